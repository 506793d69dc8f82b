"""What requests may hold. The schemas are made once; OpenAPI is generated from them."""

import math
import unicodedata
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from domain.bots import BOTS
from domain.cards import HAND_CARDS, REIBACH
from domain.commands import LONGEST_MESSAGE, Action, Append, Draw, LayBusinessmaker, SeatPlan, Take
from domain.rules import VARIANTS
from domain.words import LANGUAGES

_CARDS = (*HAND_CARDS, REIBACH)
_MOST_DIGITS = 1000


class WholeNumber(fields.Integer):
    """A JSON number without a fraction: 1 and 1.0, but not true, "1" or 1.5."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
            raise self.make_error("invalid")
        return int(value)


class Digits(fields.Integer):
    """A whole number in a query: ASCII digits and nothing else that Python would take for a number."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
            raise self.make_error("invalid")
        return int(value)


class TrueOrFalse(fields.Boolean):
    """A JSON true or false, and nothing that merely looks like one."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


_NO_CONTROL_CHARACTERS = {"pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"}
"""For the OpenAPI document: the category Cc, spelled so that every dialect of patterns knows it."""


def no_control_characters(text: str) -> None:
    """Refuse Unicode category Cc."""
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValidationError("Control characters are not allowed.")


def _name(*, required: bool = False) -> fields.String:
    return fields.String(
        required=required, validate=[validate.Length(1, 40), no_control_characters], metadata=_NO_CONTROL_CHARACTERS
    )


def _bot() -> fields.String:
    return fields.String(validate=validate.OneOf(sorted(BOTS)))


def _entropy() -> fields.String:
    return fields.String(validate=[validate.Length(max=200), no_control_characters], metadata=_NO_CONTROL_CHARACTERS)


class SeatSchema(Schema):
    """A seat of a new game: a name (with entropy), a bot, or open."""

    name = _name()
    bot = _bot()
    entropy = _entropy()
    json_schema: ClassVar = {
        "anyOf": [
            {"required": ["name"], "not": {"required": ["bot"]}},
            {"not": {"anyOf": [{"required": ["name"]}, {"required": ["entropy"]}]}},
        ]
    }
    """What the OpenAPI document says beside the fields: `_one_kind`."""

    @validates_schema
    def _one_kind(self, data: dict[str, Any], **_: Any) -> None:
        if "name" in data and "bot" in data:
            raise ValidationError("A seat has a name or a bot.", "bot")
        if "entropy" in data and "name" not in data:
            raise ValidationError("Entropy comes with the name of a player.", "entropy")

    @post_load
    def _plan(self, data: dict[str, Any], **_: Any) -> SeatPlan:
        return SeatPlan(**data)


VariantsSchema = Schema.from_dict({name: TrueOrFalse(load_default=False) for name in VARIANTS}, name="VariantsSchema")


class NewGameSchema(Schema):
    """The body of `POST /v1/games`."""

    seats = fields.List(fields.Nested(SeatSchema), required=True, validate=validate.Length(2, 5))
    variants = fields.Nested(VariantsSchema, load_default=dict)
    starting_seat = WholeNumber(load_default=0, validate=validate.Range(0, 4))
    listed = TrueOrFalse(load_default=False)
    server_seed = fields.String(
        validate=[
            validate.Length(equal=64, error="Must be 64 hex digits."),
            validate.Regexp("^[0-9a-f]{64}$", error="Must be 64 hex digits in lower case."),
        ]
    )

    @validates_schema
    def _seat_exists(self, data: dict[str, Any], **_: Any) -> None:
        if data["starting_seat"] >= len(data["seats"]):
            raise ValidationError("There is no such seat.", "starting_seat")


class ForkedSeatSchema(Schema):
    """A seat of a fork: a name or a bot. Nobody can be waited for, as the game goes on at once."""

    error_messages = {"unknown": "A seat of a fork has a name or a bot, and nothing else."}  # noqa: RUF012 - marshmallow's
    name = _name()
    bot = _bot()
    json_schema: ClassVar = {"oneOf": [{"required": ["name"]}, {"required": ["bot"]}]}

    @validates_schema
    def _taken(self, data: dict[str, Any], **_: Any) -> None:
        if ("name" in data) == ("bot" in data):
            raise ValidationError("A seat of a fork has a name or a bot: the game goes on at once.", "name")

    @post_load
    def _plan(self, data: dict[str, Any], **_: Any) -> SeatPlan:
        return SeatPlan(**data)


class ForkedSchema(Schema):
    """Where a fork begins: at a turn of a game that is over, or at a running game's head, with a seat's token."""

    game = fields.String(required=True, validate=validate.Length(1, 64))
    version = WholeNumber(required=True, validate=validate.Range(1))


class NewForkSchema(Schema):
    """The body of `POST /v1/games` for a game that goes on from another; all else is as it is there."""

    error_messages = {"unknown": "A fork has its parent's, or there is no such field."}  # noqa: RUF012 - marshmallow's
    fork = fields.Nested(ForkedSchema, required=True)
    seats = fields.List(fields.Nested(ForkedSeatSchema), required=True, validate=validate.Length(2, 5))
    listed = TrueOrFalse(load_default=False)


class JoinSchema(Schema):
    """The body of `POST /v1/games/{id}/seats`."""

    name = _name(required=True)
    entropy = _entropy()


def _card() -> fields.String:
    return fields.String(required=True, validate=validate.OneOf(_CARDS))


class TakeSchema(Schema):
    """Take the display card at `slot`."""

    type = fields.String(required=True, validate=validate.Equal("take"))
    slot = WholeNumber(required=True, validate=validate.Range(0, 2))


class DrawSchema(Schema):
    """Draw the top card of the draw pile."""

    type = fields.String(required=True, validate=validate.Equal("draw"))


class LayBusinessmakerSchema(Schema):
    """Lay a hand card face down."""

    type = fields.String(required=True, validate=validate.Equal("lay_businessmaker"))
    card = _card()


class AppendSchema(Schema):
    """Lay a hand card on one's own row."""

    type = fields.String(required=True, validate=validate.Equal("append"))
    card = _card()
    row = WholeNumber(required=True, validate=validate.Range(0))


class ActionSchema(OneOfSchema):
    """One action, told apart by its `type`."""

    type_field = "type"
    type_field_remove = False
    type_schemas = {  # noqa: RUF012 - marshmallow-oneofschema declares it without ClassVar
        "take": TakeSchema(),
        "draw": DrawSchema(),
        "lay_businessmaker": LayBusinessmakerSchema(),
        "append": AppendSchema(),
    }


class ActionListSchema(Schema):
    """One to three actions, in order."""

    actions = fields.List(fields.Nested(ActionSchema), required=True, validate=validate.Length(1, 3))


class MessageSchema(Schema):
    """The body of `POST /v1/games/{id}/messages`: a text, of which every character is kept."""

    text = fields.String(required=True, validate=validate.Length(1, LONGEST_MESSAGE))


class ViewQuery(Schema):
    """The query of `GET /v1/games/{id}`."""

    at = Digits(validate=validate.Range(0))
    wait = fields.Float(validate=validate.Range(0, 30))


class EventsQuery(Schema):
    """The query of `GET /v1/games/{id}/events`."""

    after = Digits(load_default=0, validate=validate.Range(0))
    limit = Digits(load_default=200, validate=validate.Range(1, 1000))


class ReplayQuery(Schema):
    """The query of `GET /v1/games/{id}/replay`."""

    after = Digits(load_default=0, validate=validate.Range(0))
    limit = Digits(validate=validate.Range(1))


class ReceiptQuery(Schema):
    """The query of `GET /v1/games/{id}/receipt`."""

    at = Digits(validate=validate.Range(0))


class LanguageQuery(Schema):
    """The query of what comes in several languages."""

    language = fields.String(validate=validate.OneOf(LANGUAGES))


class RecapQuery(LanguageQuery):
    """The query of `GET /v1/games/{id}/recap`."""

    since = Digits(validate=validate.Range(0))


_ACTIONS: dict[str, type[Action]] = {
    "take": Take,
    "draw": Draw,
    "lay_businessmaker": LayBusinessmaker,
    "append": Append,
}
_WORDS = {kind: word for word, kind in _ACTIONS.items()}


def action_of(loaded: dict[str, Any]) -> Action:
    """A validated action as a command."""
    return _ACTIONS[loaded["type"]](**{name: value for name, value in loaded.items() if name != "type"})


def json_of(action: Action) -> dict[str, Any]:
    """The action as a request holds it."""
    return {"type": _WORDS[type(action)], **{name: getattr(action, name) for name in action.__dataclass_fields__}}
