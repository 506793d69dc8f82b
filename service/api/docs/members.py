"""Puts the meanings of members and parameters (`members.toml`) into the OpenAPI document."""

import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from domain.words.wording import words_of
from service.post.channels.chat import CHAT_FORMS

_CHATS: Final = {
    "chats": words_of("en").join([f"`{name}`" for name in CHAT_FORMS]),
    "members": ", ".join(form.member for form in CHAT_FORMS.values() if form.member),
}
_TABLE: Final = tomllib.loads((files(__package__) / "members.toml").read_text("utf-8"))
MEMBERS: Final[Mapping[str, str]] = {name: text.format_map(_CHATS) for name, text in _TABLE.items()}
TEXTS: Final[Mapping[str, Any]] = tomllib.loads((files(__package__) / "document.toml").read_text("utf-8"))
"""All else that the document says."""


def describe(schema: dict[str, Any], *path: str) -> None:
    """Add the descriptions to the members of one of the document's schemas. `path`: its name, and those below it."""
    for member, inner in schema.get("properties", {}).items():
        inner.setdefault("description", meaning_of(*path, member))
        if "default" in inner:  # in words: generated clients would send it, or make the member required
            inner["description"] += f" Missing: {json.dumps(inner.pop('default'))}."
        describe(inner, *path, member)


def meaning_of(*path: str) -> str:
    """The description of a member or parameter. `path`: the schema, the members that hold it, and its own name."""
    names = [*(f"{outer}.{path[-1]}" for outer in reversed(path[:-1])), path[-1]]
    return next((MEMBERS[name] for name in names if name in MEMBERS), "")
