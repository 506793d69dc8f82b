"""What bodies of requests may hold. The OpenAPI document is generated from the same schemas."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from marshmallow import Schema, fields, post_load, validates_schema
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from domain.bots import BOTS
from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.commands import (
    ACTION_TABLE,
    LONGEST_ENTROPY,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    LONGEST_TABLE_NAME,
    Alternative,
    AppendTo,
    SeatPlan,
    Skip,
    TakeCard,
)
from domain.orders.planner import IF_NONE, MOST_ALTERNATIVES, MOST_STEPS
from domain.orders.wishes import TYPES
from domain.rules import NEWEST
from domain.words.catalogue import LANGUAGES
from domain.words.refusals.sentences import Sentence
from domain.words.wording import words_of
from service.api.schemas import validators as validate
from service.api.schemas.fields import (
    NO_CONTROL_CHARACTERS,
    ShortList,
    ShortListOr,
    Timestamp,
    TrueOrFalse,
    WholeNumber,
    refuse_control_characters,
    refuse_invisible,
)
from service.api.schemas.pace import PaceSchema, check_zone
from service.api.schemas.validators import SCHEMA_MESSAGES, not_one_of, wrong
from service.post.mail.address import LONGEST_ADDRESS
from service.signing.salts import new_salt


def _name(*, required: bool = False, longest: int = LONGEST_NAME) -> fields.String:
    return fields.String(
        required=required,
        validate=[validate.Length(1, longest), refuse_control_characters, refuse_invisible],
        metadata=NO_CONTROL_CHARACTERS,
    )


def _entropy() -> fields.String:
    return fields.String(
        validate=[validate.Length(max=LONGEST_ENTROPY), refuse_control_characters], metadata=NO_CONTROL_CHARACTERS
    )


class _PlanSchema(Schema):
    @post_load
    def _plan(self, data: dict[str, Any], **_: Any) -> SeatPlan:
        given = {name: value for name, value in data.items() if name not in {"invite", "language", "zone"}}
        return SeatPlan(**given, salt=new_salt(), is_invited="invite" in data)


class NamedSeatSchema(_PlanSchema):
    """A seat that is taken by name. The answer has its token, unless a mail invites its player."""

    name = _name(required=True)
    entropy = _entropy()
    invite = fields.String(validate=validate.Length(1, LONGEST_ADDRESS))
    language = fields.String(validate=validate.OneOf(tuple(LANGUAGES)))
    zone = fields.String(validate=check_zone, metadata={"example": "Europe/Berlin"})


class BotSeatSchema(_PlanSchema):
    """A seat that the service's bot of this name plays."""

    bot = fields.String(required=True, validate=validate.OneOf(sorted(BOTS)))


class OpenSeatSchema(_PlanSchema):
    """A seat that a player joins later."""


class _UnionSchema(OneOfSchema):
    """One of several schemas; `get_data_type` says which."""

    def _load(self, data: Any, **options: Any) -> Any:
        if not isinstance(data, dict):
            raise wrong("object")
        return super()._load(data, **options)  # type: ignore[no-untyped-call]  # it has no types


class SeatSchema(_UnionSchema):
    """A seat of a new game: taken by name, a bot's, or open. Its members say which."""

    type_field = ""
    type_schemas = {  # noqa: RUF012 - marshmallow-oneofschema declares it without ClassVar
        "name": NamedSeatSchema(),
        "bot": BotSeatSchema(),
        "open": OpenSeatSchema(),
    }

    def get_data_type(self, data: dict[str, Any]) -> str:
        """The kind of the seat. Raises ValidationError where members don't go together."""
        if "name" in data and "bot" in data:
            raise wrong("seat.kind", "bot")
        if "entropy" in data and "name" not in data:
            raise wrong("seat.entropy", "entropy")
        for name in ("language", "zone"):
            if name in data and "invite" not in data:
                raise wrong("seat.language", name)
        return next((kind for kind in ("name", "bot") if kind in data), "open")


VariantsSchema = Schema.from_dict(
    {
        name: TrueOrFalse(load_default=False, metadata={"description": words_of("en").variants_texts[name]})
        for name in NEWEST.variants
    },
    name="VariantsSchema",
)
VariantsSchema.__doc__ = "The variants; one that is left out is off."


class NewGameSchema(Schema):
    """The body of `POST /v1/games`."""

    seats = ShortList(fields.Nested(SeatSchema), least=2, most=5, required=True)
    variants = fields.Nested(VariantsSchema, load_default=dict)
    starting_seat = WholeNumber(load_default=0, validate=validate.Range(0, 4))
    listed = TrueOrFalse(load_default=False)
    name = _name(longest=LONGEST_TABLE_NAME)
    pace = fields.Nested(PaceSchema, load_default=None, allow_none=True)
    replaceable = TrueOrFalse(load_default=False)
    server_seed = fields.String(validate=validate.Regexp("^[0-9a-f]{64}$", "hex"))

    @validates_schema
    def _check_replaceable(self, data: dict[str, Any], **_: Any) -> None:
        if data["replaceable"] and not (data["pace"] and data["pace"].has_stand_in):
            raise wrong("replaceable", "replaceable")

    @validates_schema
    def _check_starting_seat(self, data: dict[str, Any], **_: Any) -> None:
        if data["starting_seat"] >= len(data["seats"]):
            raise wrong("values", "starting_seat", values=range(len(data["seats"])))


class ForkedNamedSeatSchema(_PlanSchema):
    """A seat that is taken by name; the shuffle, and so its entropy, is the parent's."""

    name = _name(required=True)


class ForkedSeatSchema(_UnionSchema):
    """A seat of a fork: taken by name or a bot's. No seat can be open, since the game continues at once."""

    type_field = ""
    type_schemas = {  # noqa: RUF012 - marshmallow-oneofschema declares it without ClassVar
        "name": ForkedNamedSeatSchema(),
        "bot": BotSeatSchema(),
    }

    def get_data_type(self, data: dict[str, Any]) -> str:
        """The kind of the seat. Raises ValidationError where members don't go together."""
        for member in data:
            if member not in self.type_schemas:
                raise wrong("unknown.fork-seat", member)
        if ("name" in data) == ("bot" in data):
            raise wrong("seat.fork", "name")
        return "name" if "name" in data else "bot"


class ForkedSchema(Schema):
    """Where a fork begins: at a turn of a game that is over, or at a running game's head, with a seat's token."""

    game = fields.String(required=True, validate=validate.Length(1, 64))
    version = WholeNumber(required=True, validate=validate.Range(1))


class NewForkSchema(Schema):
    """The body of `POST /v1/games` for a game that continues another; the rest is the same as in its parent."""

    error_messages = SCHEMA_MESSAGES | {"unknown": Sentence("unknown.fork")}
    fork = fields.Nested(ForkedSchema, required=True)
    seats = ShortList(fields.Nested(ForkedSeatSchema), least=2, most=5, required=True)
    listed = TrueOrFalse(load_default=False)
    name = _name(longest=LONGEST_TABLE_NAME)


class JoinSchema(Schema):
    """The body of `POST /v1/games/{id}/seats`."""

    name = _name(required=True)
    entropy = _entropy()


class HandCard(validate.OneOf):
    """A card that a hand can hold."""

    def __call__(self, value: Any) -> Any:
        if value == REIBACH:
            raise wrong("reibach-card")
        return super().__call__(value)


_MEMBERS: Final[Mapping[str, Callable[[], fields.Field[Any]]]] = {
    "slot": lambda: WholeNumber(required=True, validate=validate.Range(0, 2)),
    "card": lambda: fields.String(required=True, validate=HandCard(HAND_CARDS)),
    "row": lambda: WholeNumber(required=True, validate=validate.Range(0, 9)),
    "business": lambda: fields.String(required=True, validate=validate.OneOf(BUSINESSES)),
}
"""What actions and wishes name."""


def _schema_of(kind: type[Alternative]) -> Schema:
    """The schema of an action or wish, from its fields and its docstring."""
    members = {name: _MEMBERS[name]() for name in kind.__dataclass_fields__}
    word = fields.String(required=True, validate=validate.Equal(TYPES[kind]))
    schema = Schema.from_dict({"type": word, **members}, name=f"{kind.__name__}Schema")
    schema.__doc__ = kind.__doc__
    return schema()


class ActionSchema(_UnionSchema):
    """One action; `type` says which."""

    type_field = "type"
    type_field_remove = False
    type_schemas = {entry.word: _schema_of(kind) for kind, entry in ACTION_TABLE.items()}  # noqa: RUF012 - as above
    kinds = tuple(type_schemas)

    def get_data_type(self, data: dict[str, Any]) -> str:
        if "type" not in data:
            raise wrong("required", "type")
        kind = data["type"]
        if not isinstance(kind, str) or kind not in self.kinds:
            raise not_one_of(self.kinds, "type")
        return kind


class WishSchema(ActionSchema):
    """An action of standing orders, or none. Its members say which: a slot or a card, a row or a business."""

    type_field = ""
    type_schemas = {  # noqa: RUF012 - as above
        "take_card": _schema_of(TakeCard),
        "append_to": _schema_of(AppendTo),
        "skip": _schema_of(Skip),
        **ActionSchema.type_schemas,
    }
    kinds = (*ActionSchema.kinds, "skip")

    def get_data_type(self, data: dict[str, Any]) -> str:
        kind = super().get_data_type(data)
        if kind == "take" and "card" in data and "slot" not in data:
            return "take_card"
        return "append_to" if kind == "append" and "business" in data and "row" not in data else kind


_ALTERNATIVES: dict[str, Any] = {"items": fields.Nested(WishSchema), "least": 1, "most": MOST_ALTERNATIVES}


class StepSchema(Schema):
    """A step of standing orders in full; a list of its alternatives is short for it."""

    do = ShortList(**_ALTERNATIVES, required=True)
    repeat = TrueOrFalse()
    if_none = fields.String(validate=validate.OneOf(IF_NONE))


class OrdersSchema(Schema):
    """The body of `PUT /v1/games/{id}/orders`: steps, each with its alternatives, the one wanted most first."""

    steps = ShortList(ShortListOr(StepSchema(), **_ALTERNATIVES), least=1, most=MOST_STEPS, required=True)


class ActionListSchema(Schema):
    """One to three actions, in order."""

    actions = ShortList(fields.Nested(ActionSchema), least=1, most=3, required=True)


class EmptySchema(Schema):
    """A body that says nothing."""


class VacationSchema(Schema):
    """The body of `POST /v1/games/{id}/vacation`."""

    until = Timestamp(required=True, metadata={"format": "date-time"})


class NoteSchema(Schema):
    """The body of `PUT /v1/games/{id}/note`: a text, stored unchanged."""

    text = fields.String(required=True, validate=validate.Length(0, LONGEST_MESSAGE))


class MessageSchema(Schema):
    """The body of `POST /v1/games/{id}/messages`: a text, stored unchanged."""

    text = fields.String(required=True, validate=validate.Length(1, LONGEST_MESSAGE))
