"""The answers as JSON schemas (2020-12). Members are always present, except the optional ones."""

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from domain.audit.checks import CHECKS
from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL
from domain.rules import VARIANTS
from domain.scoring import INCOME_REASONS
from domain.words import LANGUAGES

Shape: TypeAlias = dict[str, Any]


def ref(name: str) -> Shape:
    """One of SHAPES."""
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
CARD: Final = ref("Card")
BUSINESS: Final = ref("Business")
PILE: Final = array(ref("PileCard"))

_EVENT_FIELDS: Final[dict[str, Shape]] = {
    # Null while hidden from the asking viewer, and what a type hint can't say.
    "GameCreated.server_seed": or_null(HEX),
    "GameCreated.commitment": HEX,
    "GameStarted.hands": array(or_null(array(CARD))),
    "GameStarted.display": array(CARD),
    "GameStarted.draw_pile": or_null(PILE),
    "GameCreated.from": NUMBER,
    "PositionSet.hands": array(or_null(array(CARD))),
    "PositionSet.hand_sizes": array(COUNT),
    "PositionSet.rows": array(array(ref("RowBefore"))),
    "PositionSet.display": array(CARD),
    "PositionSet.draw_pile": or_null(PILE),
    "PositionSet.rounds": array(ref("RoundBefore")),
    "PositionSet.turn": ref("Turn"),
    "CardDrawn.card": or_null(CARD),
    "BusinessmakerLaid.card": or_null(CARD),
    "RoundScored.seats": array(ref("SeatScore")),
    "card": CARD,
    "seat": COUNT,
}
_HINTS: Final[dict[Any, Shape]] = {
    int: {"type": "integer"},
    str: TEXT,
    bool: BOOLEAN,
    NoneType: {"type": "null"},
    Any: {},
}


def _shape_of(hint: Any) -> Shape:
    """The JSON schema of a type as the events use them. Raises KeyError for one that no event had yet."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is list:
        return array(_shape_of(inner[0]))
    if origin is dict:
        return {"type": "object", "additionalProperties": _shape_of(inner[1])}
    if origin is UnionType:
        return {"anyOf": [_shape_of(one) for one in inner]}
    return _HINTS[hint]


def _field(event: str, field: str, hint: Any) -> Shape:
    return _EVENT_FIELDS.get(f"{event}.{field}") or _EVENT_FIELDS.get(field) or _shape_of(hint)


def _event(name: str, kind: type) -> Shape:
    hints = get_type_hints(kind)
    data = {field: _field(name, field, hints[field]) for field in FIELDS[name]}
    given = {member: _field(name, member, str) for member in OPTIONAL.get(name, {})}
    shape = record(version=NUMBER, type=constant(name), at=TIME, data=record(optional=given, **data), hash=HEX)
    return shape | {"description": (kind.__doc__ or "").strip()}


EVENTS: Final[dict[str, Shape]] = {name: _event(name, entry.kind) for name, entry in EVENT_TABLE.items()}

_TURN = record(number=NUMBER, seat=COUNT, action_points=COUNT)
_ROW = record(
    row=COUNT,
    business=or_null(BUSINESS),
    cards=array(CARD),
    length=COUNT,
    closed=BOOLEAN,
    businessmaker=or_null(CARD),
)
_SEAT = record(seat=COUNT, name=or_null(TEXT), bot=or_null(TEXT), hand_size=COUNT, total=MONEY, rows=array(ref("Row")))
_VIEW = record(
    id=TEXT,
    version=NUMBER,
    status=one_of(("open", "playing", "scoring", "over")),
    listed=BOOLEAN,
    variants=record(**dict.fromkeys(VARIANTS, BOOLEAN)),
    seats=array(ref("SeatView"), minItems=2, maxItems=5),
    display=array(or_null(CARD), minItems=3, maxItems=3),
    draw_pile=or_null(COUNT),
    reibach=ref("ReibachCards"),
    turn=or_null(ref("Turn")),
    you=or_null(ref("OwnSeat")),
    winners=or_null(array(COUNT)),
    fairness=ref("Fairness"),
    receipt=ref("Position"),
    optional={"open_information": BOOLEAN},
)
_PROBLEM = record(
    type={"type": "string", "format": "uri-reference"},
    title=TEXT,
    status={"type": "integer", "minimum": 400, "maximum": 599},
    detail=TEXT,
    optional={
        "version": NUMBER,
        "errors": {"type": "object", "additionalProperties": array(TEXT)},
    },
)
_SEAT_SCORE = record(
    seat=COUNT,
    businesses={
        "type": "object",
        "propertyNames": BUSINESS,
        "additionalProperties": ref("BusinessScore"),
    },
    penalties=record(empty_businessmakers=MONEY | {"maximum": 0}, hand_cards=MONEY | {"maximum": 0}),
    income=MONEY,
)

SHAPES: Final[dict[str, Shape]] = {
    "Card": one_of(HAND_CARDS, "A card that a hand can hold: of one of the ten businesses, or a special."),
    "Business": one_of(BUSINESSES, "One of the ten businesses."),
    "PileCard": one_of((*HAND_CARDS, REIBACH), "A card of the draw pile, which has the ten Reibach cards, too."),
    "EventType": one_of(EVENT_TABLE, "The types of events."),
    "Language": one_of(LANGUAGES, "The languages of recaps and score sheets."),
    "View": _VIEW,
    "SeatView": _SEAT,
    "Row": _ROW,
    "ReibachCards": record(revealed=COUNT, next_scoring_at=or_null(NUMBER), rounds_scored=COUNT),
    "Turn": _TURN,
    "OwnSeat": record(seat=COUNT, hand=array(CARD)),
    "Fairness": record(commitment=HEX, entropy=array(or_null(TEXT)), server_seed=or_null(HEX)),
    "Position": record(version=NUMBER, hash=HEX),
    "RowBefore": record(businessmaker=or_null(CARD), shown=BOOLEAN, cards=array(CARD)),
    "RoundBefore": record(round=NUMBER, seats=array(ref("SeatScore"))),
    "BusinessScore": record(income=COUNT, reason=one_of(INCOME_REASONS), length=COUNT, doubled=BOOLEAN),
    "Problem": _PROBLEM,
    "Receipt": record(version=NUMBER, hash=HEX, key=TEXT, signature=BASE64),
    "SeatScore": _SEAT_SCORE,
    "Created": record(game=ref("View"), seats=array(ref("SeatToken")), receipt=ref("Receipt")),
    "SeatToken": record(seat=COUNT, name=TEXT, token=TEXT),
    "Joined": record(seat=COUNT, token=TEXT, game=ref("View"), receipt=ref("Receipt")),
    "Acted": record(
        applied=NUMBER,
        version=NUMBER,
        events=array(ref("Event")),
        game=ref("View"),
        receipt=ref("Receipt"),
        problem=or_null(ref("Problem")),
    ),
    "Accepted": record(version=NUMBER, events=array(ref("Event")), game=ref("View"), receipt=ref("Receipt")),
    "LegalActions": record(version=NUMBER, actions=array(ref("Action"))),
    "Event": {
        "oneOf": [ref(name) for name in EVENTS],
        "discriminator": {"propertyName": "type", "mapping": {name: ref(name)["$ref"] for name in EVENTS}},
        "description": "Later releases may add types: skip those you don't know, and count their versions.",
    },
    "EventsPage": record(events=array(ref("Event")), next=or_null(NUMBER)),
    "Scores": record(
        rounds=array(ref("RoundScore")),
        bonus=array(MONEY),
        totals=array(MONEY),
        winners=or_null(array(COUNT)),
    ),
    "RoundScore": record(round=NUMBER, version=NUMBER, seats=array(ref("SeatScore"))),
    "Audit": record(
        ok=BOOLEAN,
        version=COUNT,
        checks=array(ref("Check"), minItems=len(CHECKS), maxItems=len(CHECKS)),
    ),
    "Check": record(name=one_of(CHECKS), ok=or_null(BOOLEAN), detail=TEXT),
    "Recap": record(
        since=COUNT, version=NUMBER, language=ref("Language"), items=array(ref("RecapItem")), next=or_null(NUMBER)
    ),
    "RecapItem": record(
        version=NUMBER,
        type=ref("EventType"),
        seat=or_null(COUNT),
        at=TIME,
        text=TEXT,
        events=array(ref("RecapEvent")),
    ),
    "RecapEvent": record(version=NUMBER, type=ref("EventType"), data={"type": "object"}),
    "Keys": record(keys=array(ref("PublicKey"))),
    "PublicKey": record(key=TEXT, algorithm=constant("Ed25519"), public_key=BASE64),
    "Bots": record(bots=array(ref("Bot"))),
    "Bot": record(name=TEXT, about=TEXT),
    "Health": record(status=constant("up")),
    "Readiness": record(status=one_of(("ready", "no-worker", "no-store"))),
    "Document": {"type": "object"},
    **EVENTS,
}
