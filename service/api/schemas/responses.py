"""The answers as JSON schemas (2020-12). Members are always present, except the optional ones."""

from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from domain.audit.checks import CHECKS
from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.clock.pace import ON_TIMEOUT
from domain.erasure import ERASABLE
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL
from domain.people.legality import AGREEMENTS
from domain.rules import RULES
from domain.scoring import INCOME_REASONS
from domain.words.catalogue import LANGUAGES
from domain.words.wording import words_of
from service.api.schemas.shapes import (
    BASE64,
    BOOLEAN,
    COUNT,
    HEX,
    MONEY,
    NUMBER,
    TEXT,
    TIME,
    Shape,
    array,
    constant,
    one_of,
    or_null,
    record,
    ref,
)
from service.gamelog.listing import STATUSES
from service.post.channel_table import CHANNELS
from service.post.notices import WORDS_OF_TYPES
from service.post.subscriptions import FORMATS, PLACES, WORDS

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
    "GameCreated.pace": ref("PaceView"),
    "GameCreated.replaceable": BOOLEAN,
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
    "VacationTaken.until": TIME,
    "card": CARD,
    "seat": COUNT,
    "to": ref("Agreement"),
    "about": COUNT,
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
    if name in ERASABLE:
        data[ERASABLE[name]], given["erased"] = or_null(data[ERASABLE[name]]), BOOLEAN
    shape = record(version=NUMBER, type=constant(name), at=TIME, data=record(optional=given, **data), hash=HEX)
    return shape | {"description": (kind.__doc__ or "").strip()}


EVENTS: Final[dict[str, Shape]] = {name: _event(name, entry.kind) for name, entry in EVENT_TABLE.items()}

_OF_EVENTS: Final = {
    "PositionSet": "The position that a fork of a running game starts from, as one of its seats could see it.",
    "RoundScored": "A scoring round is done.",
    "GameEnded": "The third scoring round is done; several seats win when totals tie.",
}
"""What clients read of an event whose docstring is for readers of the code."""

_TOLD: Final = {"event": ref("Event")}
_TIMES: Final = dict.fromkeys(("deadline", "bank_from"), or_null(TIME))
_TURN = record("A turn.", number=NUMBER, seat=COUNT, action_points=COUNT, optional=_TIMES)
_ROW = record(
    "A row of a seat.",
    row=COUNT,
    business=or_null(BUSINESS),
    cards=array(CARD),
    length=COUNT,
    closed=BOOLEAN,
    businessmaker=or_null(CARD),
)
_SEAT = record(
    "A seat as everyone sees it.",
    seat=COUNT,
    name=or_null(TEXT),
    bot=or_null(TEXT),
    away=or_null(one_of(("abandoned", "resigned"))),
    hand_size=COUNT,
    total=MONEY,
    rows=array(ref("Row")),
    optional=dict.fromkeys(("bank_seconds", "timeouts"), COUNT)
    | {"erased": BOOLEAN, "vacations": array(ref("VacationView"), minItems=1)},
)
_VARIANTS = {
    name: BOOLEAN | {"description": words_of("en").variants_texts[name]}
    for rules in RULES.values()
    for name in rules.variants
}
_VARIANTS_ON: Final[Shape] = {
    "type": "object",
    "properties": _VARIANTS,
    "required": [name for name in _VARIANTS if all(name in rules.variants for rules in RULES.values())],
}
"""A game names all variants of its rule set, and no others."""
_VIEW = record(
    "A game as the asker may see it.",
    id=TEXT,
    name=or_null(TEXT),
    version=NUMBER,
    status=one_of(("open", "playing", "scoring", "over")),
    listed=BOOLEAN,
    variants=_VARIANTS_ON,
    pace=or_null(ref("PaceView")),
    seats=array(ref("SeatView"), minItems=2, maxItems=5),
    display=array(or_null(CARD), minItems=3, maxItems=3),
    draw_pile=or_null(COUNT),
    reibach=ref("ReibachCards"),
    turn=or_null(ref("Turn")),
    you=or_null(ref("OwnSeat")),
    winners=or_null(array(COUNT)),
    fairness=ref("Fairness"),
    receipt=ref("Position"),
    optional={
        "open_information": BOOLEAN,
        "replaceable": BOOLEAN,
        "paused_since": TIME,
        "consents": ref("ConsentsView"),
    },
)
_PROBLEM = record(
    "Why a request was refused (RFC 9457).",
    type={"type": "string", "format": "uri-reference"},
    title=TEXT,
    status={"type": "integer", "minimum": 400, "maximum": 599},
    detail=TEXT,
    optional={
        "version": NUMBER,
        "errors": {"type": "object", "additionalProperties": array(TEXT)},
    },
)
_BUSINESS_SCORE = {"income": COUNT, "reason": ref("IncomeReason"), "length": COUNT, "doubled": BOOLEAN}
_PENALTIES = record(empty_businessmakers=MONEY | {"maximum": 0}, hand_cards=MONEY | {"maximum": 0})
_SEAT_SCORE = record(
    "What a seat got in a round.",
    seat=COUNT,
    businesses={
        "type": "object",
        "propertyNames": BUSINESS,
        "additionalProperties": ref("BusinessScore"),
    },
    penalties=_PENALTIES,
    income=MONEY,
)

_STEPS = array({"anyOf": [array(ref("Wish")), ref("Step")]})

SHAPES: Final[dict[str, Shape]] = {
    "Card": one_of(HAND_CARDS, "A card that a hand can hold: of one of the ten businesses, or a special."),
    "Business": one_of(BUSINESSES, "One of the ten businesses."),
    "IncomeReason": one_of(INCOME_REASONS, "The place of a row among the rows of its business."),
    "PileCard": one_of((*HAND_CARDS, REIBACH), "A card of the draw pile, which has the ten Reibach cards, too."),
    "EventType": one_of(EVENT_TABLE, "The types of events."),
    "Agreement": one_of(AGREEMENTS, "What all people who play may agree on."),
    "OnTimeout": one_of(ON_TIMEOUT, "What happens to a turn that has timed out."),
    "ListStatus": one_of(STATUSES, "The status of a game in the list of games."),
    "Language": one_of(tuple(LANGUAGES), "The languages of recaps and score sheets."),
    "View": _VIEW,
    "SeatView": _SEAT,
    "PaceView": record(
        "How long a turn may take, and what happens then.",
        turn_seconds=NUMBER,
        on_timeout=ref("OnTimeout"),
        optional={
            "reminder_seconds": NUMBER,
            "bank_seconds": COUNT,
            "bank_refill_seconds": COUNT,
            "hours": ref("HoursView"),
            "timeouts": NUMBER,
        },
    ),
    "VacationView": record("A vacation: the clock of the seat's turns stands still.", **{"from": TIME}, until=TIME),
    "HoursView": record("Hours of a day in which the clock of a game runs.", **{"from": TEXT}, to=TEXT, zone=TEXT),
    "ConsentsView": record(
        "The seats that agree, by what they agree to. It happens when all do that are played by people.",
        optional={to: array(COUNT, minItems=1) for to in AGREEMENTS},
    ),
    "Row": _ROW,
    "ReibachCards": record(
        "The Reibach cards that turned up.", revealed=COUNT, next_scoring_at=or_null(NUMBER), rounds_scored=COUNT
    ),
    "Turn": _TURN,
    "OwnSeat": record("What only the asking seat sees.", seat=COUNT, hand=array(CARD)),
    "Fairness": record(
        "What proves the shuffle, once the game is over.",
        commitment=HEX,
        entropy=array(or_null(TEXT)),
        server_seed=or_null(HEX),
    ),
    "Position": record("A version of a game, and its hash.", version=NUMBER, hash=HEX),
    "RowBefore": record(
        "A row as it lay before the fork.", businessmaker=or_null(CARD), shown=BOOLEAN, cards=array(CARD)
    ),
    "RoundBefore": record("A scoring round before the fork.", round=NUMBER, seats=array(ref("SeatScore"))),
    "BusinessScore": record("What a business brought a seat in a round.", **_BUSINESS_SCORE),
    "Problem": _PROBLEM,
    "Receipt": record(
        "Proof that the service accepted the game up to a version.",
        version=NUMBER,
        hash=HEX,
        key=TEXT,
        signature=BASE64,
    ),
    "SeatScore": _SEAT_SCORE,
    "Created": record(
        "The new game, with the tokens of its seats.",
        game=ref("View"),
        seats=array(ref("SeatToken")),
        receipt=ref("Receipt"),
    ),
    "SeatToken": record("The token of a seat.", seat=COUNT, name=TEXT, token=TEXT),
    "Joined": record(
        "The seat that was taken, with its token.", seat=COUNT, token=TEXT, game=ref("View"), receipt=ref("Receipt")
    ),
    "Acted": record(
        "What the actions did, and the game after the last of them.",
        applied=NUMBER,
        version=NUMBER,
        events=array(ref("Event")),
        game=ref("View"),
        receipt=ref("Receipt"),
        problem=or_null(ref("Problem")),
    ),
    "Accepted": record(
        "What an accepted request did, and the game after it.",
        version=NUMBER,
        events=array(ref("Event")),
        game=ref("View"),
        receipt=ref("Receipt"),
    ),
    "LegalActions": record("What the seat may do now.", version=NUMBER, actions=array(ref("Action"))),
    "OrdersView": record(
        "The standing orders of the asking seat.",
        steps=_STEPS,
        dropped=or_null(ref("DroppedSteps")),
        optional={"preview": array(ref("Action"))},
    ),
    "DroppedSteps": record(
        "Steps of standing orders that could not go on.", turn=NUMBER, steps=_STEPS, reasons=array(TEXT)
    ),
    "Event": {
        "anyOf": [ref(name) for name in (*EVENTS, "OtherEvent")],
        "description": "Later releases may add types: skip those you don't know, and count their versions.",
    },
    "OtherEvent": record(
        "An event of a type that this document doesn't know.",
        version=NUMBER,
        type=TEXT,
        at=TIME,
        data={"type": "object"},
        hash=HEX,
    ),
    "Notice": record(
        "What a webhook of the format `standard` gets, signed as Standard Webhooks have it.",
        type=one_of(tuple(WORDS_OF_TYPES)),
        timestamp=TIME,
        data=ref("NoticeData"),
    ),
    "NoticeData": record(
        "The event told, and the game then.",
        game=TEXT,
        seat=COUNT,
        version=NUMBER,
        view=ref("View"),
        recap=array(TEXT),
        optional=_TOLD,
    ),
    "EventsPage": record("A page of events.", events=array(ref("Event")), next=or_null(NUMBER)),
    "Scores": record(
        "The score sheet.",
        rounds=array(ref("RoundScore")),
        bonus=array(MONEY),
        totals=array(MONEY),
        winners=or_null(array(COUNT)),
    ),
    "RoundScore": record("A scoring round.", round=NUMBER, version=NUMBER, seats=array(ref("SeatScore"))),
    "ScoresNow": record(
        "What the next scoring round would bring if it came now.",
        version=NUMBER,
        round=or_null(NUMBER),
        businesses=array(ref("BusinessNow")),
        seats=array(ref("SeatNow")),
    ),
    "BusinessNow": record("The race for a business.", business=BUSINESS, rows=array(ref("RowNow"), minItems=1)),
    "RowNow": record("What a row would bring.", seat=COUNT, **_BUSINESS_SCORE),
    "SeatNow": record("What a seat would get.", seat=COUNT, penalties=_PENALTIES, income=MONEY, total=MONEY),
    "Audit": record(
        "What the checks found on the stored log and on what is served from it.",
        ok=BOOLEAN,
        version=COUNT,
        checks=array(ref("Check"), minItems=len(CHECKS), maxItems=len(CHECKS)),
    ),
    "Check": record("One check of the audit.", name=one_of(CHECKS), ok=or_null(BOOLEAN), detail=TEXT),
    "Recap": record(
        "What happened, in sentences.",
        since=COUNT,
        version=NUMBER,
        language=ref("Language"),
        items=array(ref("RecapItem")),
        next=or_null(NUMBER),
    ),
    "RecapItem": record(
        "A sentence, and the events behind it.",
        version=NUMBER,
        type=ref("EventType"),
        seat=or_null(COUNT),
        at=TIME,
        text=TEXT,
        events=array(ref("RecapEvent")),
    ),
    "RecapEvent": record("An event behind a sentence.", version=NUMBER, type=ref("EventType"), data={"type": "object"}),
    "GamesPage": record("A page of the list of games.", games=array(ref("ListedGame")), next=or_null(TEXT)),
    "ListedGame": record(
        "A game of the list.",
        id=TEXT,
        name=or_null(TEXT),
        status=ref("ListStatus"),
        seats=array(or_null(TEXT)),
        version=NUMBER,
        updated_at=TIME,
        optional={"totals": array(MONEY), "winners": or_null(array(COUNT))},
    ),
    "Keys": record("The public keys of receipts.", keys=array(ref("PublicKey"))),
    "PublicKey": record(
        "A key that signs, or signed, receipts.", key=TEXT, algorithm=constant("Ed25519"), public_key=BASE64
    ),
    "Subscription": record(
        "Which notices a seat's player wants, and where they go.",
        email=or_null(TEXT),
        confirmed=or_null(BOOLEAN),
        webhook=or_null(ref("WebhookTarget")),
        on=array(ref("NotificationWord")),
        language=ref("Language"),
        while_watching=BOOLEAN,
        push=array(ref("PushDevice"), maxItems=len(PLACES)),
    ),
    "PushDevice": record("A device that gets notices.", host=TEXT, since=TIME),
    "Devices": record("How many devices get the seat's notices.", devices=NUMBER),
    "PushKey": record("The key for Web Push.", public_key=TEXT),
    "WebhookTarget": record(
        "Where webhooks go.",
        url=TEXT,
        optional={"secret": TEXT, "format": ref("WebhookFormat"), "mention": TEXT},
    ),
    "WebhookFormat": one_of(FORMATS, "The form of a webhook's body."),
    "NotificationWord": one_of(WORDS, "A type of notices that a player can subscribe to."),
    "TokenSent": record("The answer, whether or not a mail is sent.", valid_hours=NUMBER),
    "Deliveries": record("What became of the last notices.", deliveries=array(ref("Delivery"), maxItems=50)),
    "Delivery": record(
        "An attempt to deliver a notice.",
        at=TIME,
        channel=one_of(tuple(CHANNELS)),
        type=TEXT,
        version=NUMBER,
        attempt=NUMBER,
        status=TEXT,
        error=or_null(TEXT),
    ),
    "Bots": record("The bots of the service.", bots=array(ref("Bot"))),
    "Bot": record("A bot that can take a seat.", name=TEXT, about=TEXT),
    "Health": record("The process is up.", status=constant("up")),
    "Readiness": record(
        "Whether games can be played.",
        status=one_of(("ready", "no-worker", "no-store", "wrong-store", "draining")),
        optional={"clock": one_of(("unsteady", "apart")), "post": constant("missing")},
    ),
    "Document": {"type": "object", "description": "This document."},
    **EVENTS,
    **{name: EVENTS[name] | {"description": text} for name, text in _OF_EVENTS.items()},
}
