"""What answers look like, as JSON schemas (2020-12). Every member listed is always there, unless it says otherwise."""

from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from domain.audit.checks import CHECKS
from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL
from domain.rules import VARIANTS
from domain.words import LANGUAGES

Shape: TypeAlias = dict[str, Any]


def ref(name: str) -> Shape:
    """One of SHAPES."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(*, optional: Shape | None = None, **members: Shape) -> Shape:
    """An object with these members; more may come with later releases."""
    return {"type": "object", "properties": members | (optional or {}), "required": list(members)}


def many(items: Shape, **more: Any) -> Shape:
    """A list."""
    return {"type": "array", "items": items, **more}


def or_null(shape: Shape) -> Shape:
    """The shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


TEXT: Final[Shape] = {"type": "string"}
YES_NO: Final[Shape] = {"type": "boolean"}
COUNT: Final[Shape] = {"type": "integer", "minimum": 0}
NUMBER: Final[Shape] = {"type": "integer", "minimum": 1}
MONEY: Final[Shape] = {"type": "integer", "description": "Whole millions."}
HEX: Final[Shape] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
BASE64: Final[Shape] = {"type": "string", "contentEncoding": "base64"}
TIME: Final[Shape] = {"type": "string", "format": "date-time"}
CARD: Final[Shape] = {"enum": [*HAND_CARDS, REIBACH]}
HAND_CARD: Final[Shape] = {"enum": list(HAND_CARDS)}
BUSINESS: Final[Shape] = {"enum": list(BUSINESSES)}
REASONS: Final = ("monopoly", "longest", "shared_longest", "second", "shared_second", "none")

_EVENT_FIELDS: Final[dict[str, Shape]] = {
    # Null while hidden from the asking viewer, and what a type hint can't say.
    "GameCreated.server_seed": or_null(HEX),
    "GameCreated.commitment": HEX,
    "GameStarted.hands": many(or_null(many(HAND_CARD))),
    "GameStarted.display": many(HAND_CARD),
    "GameStarted.draw_pile": or_null(many(CARD)),
    "GameCreated.from": NUMBER,
    "PositionSet.hands": many(or_null(many(HAND_CARD))),
    "PositionSet.hand_sizes": many(COUNT),
    "PositionSet.rows": many(
        many(record(businessmaker=or_null(HAND_CARD), shown=YES_NO, cards=many(HAND_CARD))),
    ),
    "PositionSet.display": many(HAND_CARD),
    "PositionSet.draw_pile": or_null(many(CARD)),
    "PositionSet.rounds": many(record(round=NUMBER, seats=many(ref("SeatScore")))),
    "PositionSet.turn": record(number=NUMBER, seat=COUNT, action_points=COUNT),
    "CardDrawn.card": or_null(HAND_CARD),
    "BusinessmakerLaid.card": or_null(HAND_CARD),
    "RoundScored.seats": many(ref("SeatScore")),
    "card": HAND_CARD,
    "seat": COUNT,
}
_HINTS: Final[dict[Any, Shape]] = {
    int: {"type": "integer"},
    str: TEXT,
    bool: YES_NO,
    NoneType: {"type": "null"},
    Any: {},
}


def _shape_of(hint: Any) -> Shape:
    """The JSON schema of a type as the events use them. Raises KeyError for one that no event had yet."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is list:
        return many(_shape_of(inner[0]))
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
    cards=many(HAND_CARD),
    length=COUNT,
    closed=YES_NO,
    businessmaker=or_null(HAND_CARD),
)
_SEAT = record(seat=COUNT, name=or_null(TEXT), bot=or_null(TEXT), hand_size=COUNT, total=MONEY, rows=many(ref("Row")))
_VIEW = record(
    id=TEXT,
    version=NUMBER,
    status={"enum": ["open", "playing", "scoring", "over"]},
    listed=YES_NO,
    variants=record(**dict.fromkeys(VARIANTS, YES_NO)),
    seats=many(ref("SeatView"), minItems=2, maxItems=5),
    display=many(or_null(HAND_CARD), minItems=3, maxItems=3),
    draw_pile=or_null(COUNT),
    reibach=record(revealed=COUNT, next_scoring_at=or_null(NUMBER), rounds_scored=COUNT),
    turn=or_null(record(number=NUMBER, seat=COUNT, action_points=COUNT)),
    you=or_null(record(seat=COUNT, hand=many(HAND_CARD))),
    winners=or_null(many(COUNT)),
    fairness=record(commitment=HEX, entropy=many(or_null(TEXT)), server_seed=or_null(HEX)),
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
    detail=TEXT,
    optional={
        "version": NUMBER | {"description": "The game's present version, where there is a game."},
        "errors": {
            "type": "object",
            "additionalProperties": many(TEXT),
            "description": "With `invalid-request`: field path -> messages.",
        },
    },
)
_SEAT_SCORE = record(
    seat=COUNT,
    businesses={
        "type": "object",
        "propertyNames": BUSINESS,
        "additionalProperties": record(income=COUNT, reason={"enum": list(REASONS)}, length=COUNT, doubled=YES_NO),
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
    "Created": record(game=ref("View"), seats=many(record(seat=COUNT, name=TEXT, token=TEXT)), receipt=ref("Receipt")),
    "Joined": record(seat=COUNT, token=TEXT, game=ref("View"), receipt=ref("Receipt")),
    "Acted": record(
        applied=NUMBER,
        version=NUMBER,
        events=many(ref("Event")),
        game=ref("View"),
        receipt=ref("Receipt"),
        problem=or_null(ref("Problem")),
    ),
    "Accepted": record(version=NUMBER, events=many(ref("Event")), game=ref("View"), receipt=ref("Receipt")),
    "LegalActions": record(version=NUMBER, actions=many(ref("Action"))),
    "Event": {
        "oneOf": [ref(name) for name in EVENTS],
        "discriminator": {"propertyName": "type", "mapping": {name: ref(name)["$ref"] for name in EVENTS}},
        "description": "Later releases may add types: skip those you don't know, and count their versions.",
    },
    "EventsPage": record(events=many(ref("Event")), next=or_null(NUMBER)),
    "Scores": record(
        rounds=many(record(round=NUMBER, version=NUMBER, seats=many(ref("SeatScore")))),
        bonus=many(MONEY),
        totals=many(MONEY),
        winners=or_null(many(COUNT)),
    ),
    "Audit": record(
        ok=YES_NO,
        version=COUNT,
        checks=many(
            record(
                name={"enum": list(CHECKS)},
                ok=or_null(YES_NO) | {"description": "Null where it can't be shown, or not before the end."},
                detail=TEXT,
            ),
            minItems=len(CHECKS),
            maxItems=len(CHECKS),
        ),
    ),
    "Recap": record(since=COUNT, version=NUMBER, language={"enum": list(LANGUAGES)}, items=many(ref("RecapItem"))),
    "RecapItem": record(
        version=NUMBER | {"description": "Of its last event."},
        type={"enum": list(EVENT_TABLE)},
        seat=or_null(COUNT),
        at=TIME,
        text=TEXT | {"description": "A sentence."},
        events=many(record(version=NUMBER, type={"enum": list(EVENT_TABLE)}, data={"type": "object"})),
    ),
    "Keys": record(keys=many(record(key=TEXT, algorithm={"const": "Ed25519"}, public_key=BASE64))),
    "Bots": record(bots=many(record(name=TEXT, about=TEXT))),
    "Health": record(status={"const": "up"}),
    "Readiness": record(status={"enum": ["ready", "no-worker", "no-store"]}),
    "Document": {"type": "object", "description": "This document."},
    **EVENTS,
}
