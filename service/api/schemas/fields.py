"""The kinds of fields that requests have, stricter than marshmallow's own."""

import math
import re
from typing import Any, Final

from marshmallow import Schema, fields

from domain.clock.timestamps import milliseconds
from domain.words.spreadsheet import has_ink
from service.api.schemas import validators as validate

_MOST_DIGITS: Final = 1000


class WholeNumber(fields.Integer):
    """A JSON number without a fraction: 1 and 1.0, but not true, "1" or 1.5."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
            raise self.make_error("invalid")
        return int(value)


class Digits(fields.Integer):
    """A whole number in a query: ASCII digits, perhaps after `-`, and nothing else that Python would take for a number.

    A negative one is left to the validators, which name the range.
    """

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (value.isascii() and value.removeprefix("-").isdigit()):
            raise self.make_error("invalid")
        if len(value) > _MOST_DIGITS:
            raise validate.wrong("characters.high", high=_MOST_DIGITS)
        return int(value)


class ShortList(fields.List[Any]):
    """A list whose length is checked before its items are looked at: a long one costs no more than a short one."""

    def __init__(self, items: fields.Field[Any], *, least: int, most: int, **more: Any) -> None:
        super().__init__(items, validate=validate.Length(least, most), **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            self._validate(value)
        return super()._deserialize(value, attr, data, **kwargs)


class ShortListOr(ShortList):
    """Such a list, or an object in its place."""

    def __init__(self, other: Schema, **more: Any) -> None:
        super().__init__(**more)
        self.other = other

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            return self.other.load(value)
        return super()._deserialize(value, attr, data, **kwargs)


class TrueOrFalse(fields.Boolean):
    """A JSON true or false, and nothing that merely looks like one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Timestamp(fields.String):
    """A time in RFC 3339, with its offset to UTC; in milliseconds since 1970."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            if _TIMESTAMP.fullmatch(text):
                return milliseconds(text.upper())
        except (ValueError, OverflowError):
            pass
        raise validate.wrong("timestamp")


_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_CONTROLS: Final = r"\u0000-\u001f\u007f-\u009f"
NO_CONTROL_CHARACTERS: Final = {"pattern": f"^[^{_CONTROLS}]*$"}
"""For the OpenAPI document: the category Cc, spelled so that every dialect of patterns knows it."""


def refuse_control_characters(text: str) -> None:
    """Refuse Unicode category Cc."""
    if re.search(f"[{_CONTROLS}]", text):
        raise validate.wrong("control-characters")


def refuse_invisible(name: str) -> None:
    """Refuse a name without any character that can be seen. Logs of earlier releases may have some."""
    if name and not has_ink(name):
        raise validate.wrong("invisible")
