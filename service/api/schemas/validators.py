"""Marshmallow's validators and messages, as sentences of `domain/words/refusals`: the one place that sets them.

Schemas import this module as `validate`, in place of marshmallow's. A message is a Sentence, worded when its reader's
language is known.
"""

from collections.abc import Sequence
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from domain.words.refusals.sentences import Sentence, Value

_FEW: Final = 5
"""Up to so many numbers are listed instead of their range."""
SCHEMA_MESSAGES: Final[dict[str, Any]] = {"type": Sentence("object"), "unknown": Sentence("unknown")}
_FIELD_MESSAGES: Final[dict[type[fields.Field[Any]], dict[str, Any]]] = {
    fields.Field: {"required": Sentence("required"), "null": Sentence("null")},
    fields.Nested: {"type": Sentence("object")},
    fields.List: {"invalid": Sentence("list")},
    fields.String: {"invalid": Sentence("text"), "invalid_utf8": Sentence("text")},
    fields.Number: {"invalid": Sentence("number"), "too_large": Sentence("number")},
    fields.Integer: {"invalid": Sentence("whole-number")},
    fields.Float: {"special": Sentence("number")},
    fields.Boolean: {"invalid": Sentence("boolean")},
}
Schema.error_messages = SCHEMA_MESSAGES
for _kind, _messages in _FIELD_MESSAGES.items():
    _kind.default_error_messages = {**_kind.default_error_messages, **_messages}

Equal: Final = validate.Equal
"""For the one value that a field has when its schema is chosen by it: never refuses, and is in the OpenAPI document."""


def wrong(name: str, field: str = "_schema", **values: Value) -> ValidationError:
    """The error with this sentence. `field`: of the schema that is validated."""
    return ValidationError([Sentence(name, values)], field)


class Range(validate.Range):
    """A number from `min`, to `max` where it has one."""

    def __call__(self, value: Any) -> Any:
        try:
            return super().__call__(value)
        except ValidationError:
            raise _out_of_range(self.min, self.max) from None


def _out_of_range(low: Any, high: Any) -> ValidationError:
    if high is None:
        return wrong("range.low", low=low)
    if high - low < _FEW:
        return wrong("values", values=range(low, high + 1))
    return wrong("range", low=low, high=high)


class Length(validate.Length):
    """Characters (code points) of a text, or entries of a list: from `min`, where it has one, to `max`."""

    def __call__(self, value: Any) -> Any:
        try:
            return super().__call__(value)
        except ValidationError:
            if self.min is None:
                raise wrong("characters.high", high=self.max or 0) from None
            name = "characters" if isinstance(value, str) else "entries"
            raise wrong(name, low=self.min, high=self.max or 0) from None


class OneOf(validate.OneOf):
    """One of a few words."""

    def __call__(self, value: Any) -> Any:
        try:
            return super().__call__(value)
        except ValidationError:
            raise not_one_of(list(self.choices)) from None


def not_one_of(choices: Sequence[str], field: str = "_schema") -> ValidationError:
    return wrong("choices", field, choices=choices)


class Regexp(validate.Regexp):
    """A text that matches a pattern as a whole."""

    def __init__(self, pattern: str, sentence: str) -> None:
        """`sentence`: the name of what a text without a match gets."""
        super().__init__(pattern)
        self._sentence = sentence

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:  # Python's `$` matches before a final line feed, too
            raise wrong(self._sentence)
        return value
