"""The answers as JSON schemas (2020-12). Members are always present, except the optional ones."""

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


def or_null(shape: Shape) -> Shape:
    """The shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


TEXT: Final[Shape] = {"type": "string"}
BOOLEAN: Final[Shape] = {"type": "boolean"}
COUNT: Final[Shape] = {"type": "integer", "minimum": 0}
NUMBER: Final[Shape] = {"type": "integer", "minimum": 1}
MONEY: Final[Shape] = {"type": "integer", "description": "Whole millions."}
HEX: Final[Shape] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
BASE64: Final[Shape] = {"type": "string", "contentEncoding": "base64"}
TIME: Final[Shape] = {"type": "string", "format": "date-time"}
CARD: Final[Shape] = {"enum": [*HAND_CARDS, REIBACH]}
HAND_CARD: Final[Shape] = {"enum": list(HAND_CARDS)}
BUSINESS: Final[Shape] = {"enum": list(BUSINESSES)}

_EVENT_FIELDS: Final[dict[str, Shape]] = {
    # Null while hidden from the asking viewer, and what a type hint can't say.
    "GameCreated.server_seed": or_null(HEX),
    "GameCreated.commitment": HEX,
    "GameStarted.hands": array(or_null(array(HAND_CARD))),
    "GameStarted.display": array(HAND_CARD),
    "GameStarted.draw_pile": or_null(array(CARD)),
    "GameCreated.from": NUMBER,
    "PositionSet.hands": array(or_null(array(HAND_CARD))),
    "PositionSet.hand_sizes": array(COUNT),
    "PositionSet.rows": array(
        array(record(businessmaker=or_null(HAND_CARD), shown=BOOLEAN, cards=array(HAND_CARD))),
    ),
    "PositionSet.display": array(HAND_CARD),
    "PositionSet.draw_pile": or_null(array(CARD)),
    "PositionSet.rounds": array(record(round=NUMBER, seats=array(ref("SeatScore")))),
    "PositionSet.turn": record(number=NUMBER, seat=COUNT, action_points=COUNT),
    "CardDrawn.card": or_null(HAND_CARD),
    "BusinessmakerLaid.card": or_null(HAND_CARD),
    "RoundScored.seats": array(ref("SeatScore")),
    "card": HAND_CARD,
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
    shape = record(version=NUMBER, type={"const": name}, at=TIME, data=record(optional=given, **data), hash=HEX)
    return shape | {"description": (kind.__doc__ or "").strip()}


EVENTS: Final[dict[str, Shape]] = {name: _event(name, entry.kind) for name, entry in EVENT_TABLE.items()}

_ROW = record(
    row=COUNT,
    business=or_null(BUSINESS),
    cards=array(HAND_CARD),
    length=COUNT,
    closed=BOOLEAN,
    businessmaker=or_null(HAND_CARD),
)
_SEAT = record(seat=COUNT, name=or_null(TEXT), bot=or_null(TEXT), hand_size=COUNT, total=MONEY, rows=array(ref("Row")))
_VIEW = record(
    id=TEXT,
    version=NUMBER,
    status={"enum": ["open", "playing", "scoring", "over"]},
    listed=BOOLEAN,
    variants=record(**dict.fromkeys(VARIANTS, BOOLEAN)),
    seats=array(ref("SeatView"), minItems=2, maxItems=5),
    display=array(or_null(HAND_CARD), minItems=3, maxItems=3),
    draw_pile=or_null(COUNT),
    reibach=record(revealed=COUNT, next_scoring_at=or_null(NUMBER), rounds_scored=COUNT),
    turn=or_null(record(number=NUMBER, seat=COUNT, action_points=COUNT)),
    you=or_null(record(seat=COUNT, hand=array(HAND_CARD))),
    winners=or_null(array(COUNT)),
    fairness=record(commitment=HEX, entropy=array(or_null(TEXT)), server_seed=or_null(HEX)),
    receipt=record(version=NUMBER, hash=HEX),
    optional={
        "open_information": {
            "const": True,
            "description": "There in a fork of a finished game alone: who looks that up knows all cards.",
        }
    },
)
_PROBLEM = record(
    type={"type": "string", "format": "uri-reference", "description": "`/problems/<code>`; a page explains it there."},
    title=TEXT,
    status={"type": "integer", "minimum": 400, "maximum": 599},
    detail=TEXT | {"description": "For people, in the language of Accept-Language: en, de, nl or fr."},
    optional={
        "version": NUMBER | {"description": "The game's present version, where there is a game."},
        "errors": {
            "type": "object",
            "additionalProperties": array(TEXT),
            "description": "With `invalid-request`: field path -> messages.",
        },
    },
)
_SEAT_SCORE = record(
    seat=COUNT,
    businesses={
        "type": "object",
        "propertyNames": BUSINESS,
        "additionalProperties": record(
            income=COUNT, reason={"enum": list(INCOME_REASONS)}, length=COUNT, doubled=BOOLEAN
        ),
    },
    penalties=record(empty_businessmakers=MONEY | {"maximum": 0}, hand_cards=MONEY | {"maximum": 0}),
    income=MONEY,
)

SHAPES: Final[dict[str, Shape]] = {
    "View": _VIEW,
    "SeatView": _SEAT,
    "Row": _ROW,
    "Problem": _PROBLEM,
    "Receipt": record(version=NUMBER, hash=HEX, key=TEXT, signature=BASE64),
    "SeatScore": _SEAT_SCORE,
    "Created": record(game=ref("View"), seats=array(record(seat=COUNT, name=TEXT, token=TEXT)), receipt=ref("Receipt")),
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
        rounds=array(record(round=NUMBER, version=NUMBER, seats=array(ref("SeatScore")))),
        bonus=array(MONEY),
        totals=array(MONEY),
        winners=or_null(array(COUNT)),
    ),
    "Audit": record(
        ok=BOOLEAN,
        version=COUNT,
        checks=array(
            record(
                name={"enum": list(CHECKS)},
                ok=or_null(BOOLEAN) | {"description": "Null if it can't be checked, or not before the game is over."},
                detail=TEXT,
            ),
            minItems=len(CHECKS),
            maxItems=len(CHECKS),
        ),
    ),
    "Recap": record(
        since=COUNT,
        version=NUMBER,
        language={"enum": list(LANGUAGES)},
        items=array(ref("RecapItem")),
        next=or_null(NUMBER) | {"description": "The `since` of the next page; null at the end."},
    ),
    "RecapItem": record(
        version=NUMBER | {"description": "Of its last event."},
        type={
            "enum": list(EVENT_TABLE),
            "description": "Of its first event; `TurnStarted` for (a part of) a turn.",
        },
        seat=or_null(COUNT) | {"description": "Whose turn, action or message; null where there is no one seat."},
        at=TIME | {"description": "Of its last event."},
        text=TEXT | {"description": "A sentence."},
        events=array(record(version=NUMBER, type={"enum": list(EVENT_TABLE)}, data={"type": "object"})),
    ),
    "Keys": record(keys=array(record(key=TEXT, algorithm={"const": "Ed25519"}, public_key=BASE64))),
    "Bots": record(bots=array(record(name=TEXT, about=TEXT))),
    "Health": record(status={"const": "up"}),
    "Readiness": record(status={"enum": ["ready", "no-worker", "no-store"]}),
    "Document": {"type": "object", "description": "This document."},
    **EVENTS,
}
