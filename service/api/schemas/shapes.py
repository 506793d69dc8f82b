"""The pieces that JSON schemas of answers are made of."""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Shape: TypeAlias = dict[str, Any]


def ref(name: str) -> Shape:
    """One of the document's own schemas (`responses.SHAPES`)."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(description: str = "", /, *, optional: Shape | None = None, **members: Shape) -> Shape:
    """An object with these members; more may come with later releases."""
    shape = {"type": "object", "properties": members | (optional or {}), "required": list(members)}
    return shape | {"description": description} if description else shape


def array(items: Shape, **more: Any) -> Shape:
    return {"type": "array", "items": items, **more}


def one_of(words: Iterable[str], description: str = "") -> Shape:
    shape: Shape = {"type": "string", "enum": list(words)}
    return shape | {"description": description} if description else shape


def constant(word: str) -> Shape:
    return {"type": "string", "const": word}


def or_null(shape: Shape) -> Shape:
    return {"anyOf": [shape, {"type": "null"}]}


TEXT: Final[Shape] = {"type": "string"}
BOOLEAN: Final[Shape] = {"type": "boolean"}
COUNT: Final[Shape] = {"type": "integer", "minimum": 0}
NUMBER: Final[Shape] = {"type": "integer", "minimum": 1}
MONEY: Final[Shape] = {"type": "integer"}
HEX: Final[Shape] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
BASE64: Final[Shape] = {"type": "string", "contentEncoding": "base64"}
TIME: Final[Shape] = {"type": "string", "format": "date-time"}
