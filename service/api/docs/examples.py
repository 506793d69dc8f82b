"""The examples of the OpenAPI document: answers of a real game, kept in examples.json, and of every problem."""

import json
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from service.api.protocol.negotiation import JSON
from service.api.protocol.problem_codes import CODES
from service.api.protocol.problems import Problem
from service.api.schemas.responses import Shape

_VERSION: Final = 57
_AT_A_VERSION: Final = {HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED}
"""Statuses of problems that only a game can have."""


def example_of(operation: str, media_type: str, schema: Shape) -> Any:
    """An answer in a media type; None where there is none. JSON is kept by its shape, a text by its operation."""
    kept = schema["$ref"].rpartition("/")[2] if media_type == JSON else f"{operation} {media_type}"
    return _kept().get(kept)


def problem_examples(codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Code -> example object with a whole problem."""
    return {name: {"summary": CODES[name].title, "value": problem_example(name)} for name in codes}


def problem_example(name: str) -> dict[str, Any]:
    """A whole problem of a code."""
    code = CODES[name]
    members: dict[str, Any] = {"errors": {"slot": ["Must be 0, 1 or 2."]}} if name == "invalid-request" else {}
    version = _VERSION if code.status in _AT_A_VERSION or name == "no-such-version" else None
    return Problem(name, code.detail, **members).to_json(version)


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((files("service.api.docs") / "examples.json").read_text("utf-8"))
    return kept
