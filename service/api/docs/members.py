"""Puts what members and parameters mean, as `members.toml` has it, into the OpenAPI document."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

MEMBERS: Final[Mapping[str, str]] = tomllib.loads((files(__package__) / "members.toml").read_text("utf-8"))
TEXTS: Final[Mapping[str, Any]] = tomllib.loads((files(__package__) / "document.toml").read_text("utf-8"))
"""All else that the document says."""


def describe(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Add the descriptions to the members of the document's schemas."""
    for name, schema in schemas.items():
        _describe(schema, (name,))


def describe_parameter(query: str, parameter: dict[str, Any]) -> None:
    """Add its description to a parameter. `query`: the name of its schema."""
    parameter["description"] = _meaning((query, parameter["name"]))


def _describe(schema: dict[str, Any], path: tuple[str, ...]) -> None:
    for member, inner in schema.get("properties", {}).items():
        inner.setdefault("description", _meaning((*path, member)))
        _describe(inner, (*path, member))


def _meaning(path: tuple[str, ...]) -> str:
    member = path[-1]
    for outer in reversed(path[:-1]):
        if found := MEMBERS.get(f"{outer}.{member}"):
            return found
    return MEMBERS.get(member, "")
