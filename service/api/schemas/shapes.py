"""JSON schemas of answers, from short texts as `Row[]` or `text?`; `answers.toml` says how they are read."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

Shape: TypeAlias = dict[str, Any]

TEXT: Final[Shape] = {"type": "string"}
BOOLEAN: Final[Shape] = {"type": "boolean"}
SHAPES_BY_WORD: Final[dict[str, Shape]] = {
    "text": TEXT,
    "boolean": BOOLEAN,
    "count": {"type": "integer", "minimum": 0},
    "number": {"type": "integer", "minimum": 1},
    "money": {"type": "integer"},
    "amount": {"type": "number"},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "salt": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "hex": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "base64": {"type": "string", "contentEncoding": "base64"},
    "time": {"type": "string", "format": "date-time"},
    "uri": {"type": "string", "format": "uri-reference"},
    "object": {"type": "object"},
}
"""The words in small letters; `responses.py` adds those that follow from the game."""
_LIST: Final = re.compile(r"(.+)\[(?:(\d*)-(\d+)?)?\]")
_OPTIONAL: Final = "optional "


def ref(name: str) -> Shape:
    """One of the document's own schemas (`responses.SHAPES`)."""
    return {"$ref": f"#/components/schemas/{name}"}


def one_of(words: Iterable[str]) -> Shape:
    return TEXT | {"enum": list(words)}


def shape_of(text: str) -> Shape:
    """Raises KeyError for a word in small letters that has no shape."""
    if text.endswith("?"):
        return {"anyOf": [shape_of(text[:-1]), {"type": "null"}]}
    if match := _LIST.fullmatch(text):
        bounds = {"minItems": match[2], "maxItems": match[3]}
        limits = {name: int(number) for name, number in bounds.items() if number}
        return {"type": "array", "items": shape_of(match[1]), **limits}
    if text.startswith("="):
        return TEXT | {"const": text[1:]}
    if "|" in text:
        return one_of(text.split("|"))
    return ref(text) if text[0].isupper() else SHAPES_BY_WORD[text]


def record(members: Mapping[str, str | Shape]) -> Shape:
    """An object with these members; more may come with later releases."""
    texts = {name: text for name, text in members.items() if isinstance(text, str)}
    optional = {name for name, text in texts.items() if text.startswith(_OPTIONAL)}
    shapes = {**members} | {name: shape_of(text.removeprefix(_OPTIONAL)) for name, text in texts.items()}
    return {"type": "object", "properties": shapes, "required": [name for name in members if name not in optional]}
