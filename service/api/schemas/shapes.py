"""The pieces that JSON schemas of answers are made of."""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Shape: TypeAlias = dict[str, Any]


def ref(name: str) -> Shape:
    """One of the document's own schemas (`responses.SHAPES`)."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(*, optional: Shape | None = None, **members: Shape) -> Shape:
    """An object with these members; more may come with later releases."""
    return {"type": "object", "properties": members | (optional or {}), "required": list(members)}


def array(items: Shape, **more: Any) -> Shape:
    """A list."""
    return {"type": "array", "items": items, **more}


def one_of(words: Iterable[str], description: str = "") -> Shape:
    """One of these words."""
    shape: Shape = {"type": "string", "enum": list(words)}
    return shape | {"description": description} if description else shape


def constant(word: str) -> Shape:
    """This word."""
    return {"type": "string", "const": word}


def or_null(shape: Shape) -> Shape:
    """The shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


TEXT: Final[Shape] = {"type": "string"}
BOOLEAN: Final[Shape] = {"type": "boolean"}
COUNT: Final[Shape] = {"type": "integer", "minimum": 0}
NUMBER: Final[Shape] = {"type": "integer", "minimum": 1}
MONEY: Final[Shape] = {"type": "integer"}
HEX: Final[Shape] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
BASE64: Final[Shape] = {"type": "string", "contentEncoding": "base64"}
TIME: Final[Shape] = {"type": "string", "format": "date-time"}
