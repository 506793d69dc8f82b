"""The stored form of events: one table for both directions.

A stored event is a row, a positional JSON array that begins with its tag, readable in a Redis shell:
`["take",0,1,"gold",1]`. A tag names a type *and* a payload version: a changed payload gets a new tag (`take@2`) and a
new line in `_SHAPES`; the old line stays, because stored games are never rewritten. The fold reads rows through
`Shape.apply`, which converts an old payload; hashes, exports and `/events` always use the payload as first appended.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson

from domain.cards import BUSINESSES
from domain.clock.pace import is_pace
from domain.clock.timestamps import timestamp
from domain.erasure import ERASED, erase
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL, Event, EventRecord, payload_of, type_of
from domain.evolve import EFFECTS
from domain.fairness.chain import ERASABLE, hash_of, hashed_data
from domain.scoring import INCOME_REASONS
from domain.state import Game
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.entry import Entry, entry_check

Row = list[Any]


def _unchanged(values: Sequence[Any]) -> Sequence[Any]:
    return values


@dataclass(frozen=True, slots=True)
class Shape:
    """One payload version of one event type."""

    type: str
    fields: tuple[str, ...]
    apply: Callable[..., None]
    """Called with the game and the positional fields; raises AssertionError if the event can't have happened."""
    pack: Callable[[Sequence[Any]], Sequence[Any]] = _unchanged
    unpack: Callable[[Sequence[Any]], Sequence[Any]] = _unchanged
    """`pack`: from the fields of the event to those stored; `unpack`: back."""
    has_hash: bool = False
    """Whether the row holds the event's hash after its tag: it doesn't follow from what an erasure left."""
    has_more: bool = False
    """Whether the last value is an object of those optional members that are given."""

    def values_of(self, data: dict[str, Any]) -> Sequence[Any] | None:
        """The values of a payload; None where it has other members. Raises what a value of another form does."""
        try:
            values = [data[field] for field in self.fields]
        except KeyError:
            return None
        if self.has_more:
            more = {name: value for name, value in data.items() if name not in self.fields}
            return None if more.keys() - OPTIONAL[self.type] else self.pack([*values, more])
        return self.pack(values) if len(values) == len(data) else None


def _pack_scored(values: Sequence[Any]) -> list[Any]:
    """RoundScored without the names that repeat in every seat: a fifth or sixth of the size."""
    number, seats, totals = values
    return [number, [_pack_seat(**seat) for seat in seats], totals]


def _pack_seat(*, businesses: dict[str, Any], penalties: dict[str, int], income: int, **_: int) -> list[Any]:
    # Sorted: the names in an export are in another order than those of `score`.
    rows = sorted(
        [BUSINESSES.index(name), row["income"], INCOME_REASONS.index(row["reason"]), row["length"], int(row["doubled"])]
        for name, row in businesses.items()
    )
    return [rows, penalties["empty_businessmakers"], penalties["hand_cards"], income]


def _unpack_scored(values: Sequence[Any]) -> list[Any]:
    number, packed, totals = values
    return [number, [_unpack_seat(seat, *rest) for seat, rest in enumerate(packed)], totals]


def _unpack_seat(seat: int, rows: list[Any], empty: int, hand_cards: int, income: int) -> dict[str, Any]:
    businesses = {
        BUSINESSES[name]: {
            "income": earned,
            "reason": INCOME_REASONS[reason],
            "length": length,
            "doubled": bool(doubled),
        }
        for name, earned, reason, length, doubled in rows
    }
    penalties = {"empty_businessmakers": empty, "hand_cards": hand_cards}
    return {"seat": seat, "businesses": businesses, "penalties": penalties, "income": income}


def _pack_started(values: Sequence[Any]) -> list[Any]:
    """GameStarted with each pile of cards as one string: no card's name holds a space."""
    hands, display, draw_pile = values
    return [[" ".join(hand) for hand in hands], " ".join(display), " ".join(draw_pile)]


def _unpack_started(values: Sequence[Any]) -> list[Any]:
    hands, display, draw_pile = values
    return [[hand.split() for hand in hands], display.split(), draw_pile.split()]


def _pack_position(values: Sequence[Any]) -> list[Any]:
    """PositionSet with cards as in GameStarted and rounds as in RoundScored; sizes of hands follow from the hands."""
    parent, seat, hands, _sizes, rows, display, draw_pile, revealed, rounds, totals, turn = values
    laid = [[[row["businessmaker"], int(row["shown"]), " ".join(row["cards"])] for row in some] for some in rows]
    scored = [[done["round"], [_pack_seat(**score) for score in done["seats"]]] for done in rounds]
    points = [turn["number"], turn["seat"], turn["action_points"]]
    return [parent, seat, *_pack_started([hands, display, draw_pile]), laid, revealed, scored, totals, points]


def _unpack_position(values: Sequence[Any]) -> list[Any]:
    parent, seat, *cards, laid, revealed, scored, totals, (number, turn_seat, points) = values
    hands, display, draw_pile = _unpack_started(cards)
    rows = [
        [{"businessmaker": card, "shown": bool(shown), "cards": on.split()} for card, shown, on in some]
        for some in laid
    ]
    rounds = [
        {"round": done, "seats": [_unpack_seat(seat, *rest) for seat, rest in enumerate(packed)]}
        for done, packed in scored
    ]
    turn = {"number": number, "seat": turn_seat, "action_points": points}
    sizes = [len(hand) for hand in hands]
    return [parent, seat, hands, sizes, rows, display, draw_pile, revealed, rounds, totals, turn]


def _shape(kind: str) -> Shape:
    """The shape of an event type's first payload version."""
    handler = EFFECTS[kind]
    if kind not in _PACKERS:
        return Shape(kind, FIELDS[kind], handler)
    pack, unpack = _PACKERS[kind]
    return Shape(kind, FIELDS[kind], lambda game, *values: handler(game, *unpack(values)), pack, unpack)


_LAWFUL: Final[dict[str, Callable[[Any], bool]]] = {
    "pace": is_pace,
    "replaceable": lambda value: value is True,
    "name": lambda value: isinstance(value, str),
}
"""By optional member of GameCreated: whether a value can be stored."""


def _create(game: Game, *values: Any) -> None:
    *always, given = values
    EFFECTS["GameCreated"](game, *always, **{OPTIONAL["GameCreated"][name]: value for name, value in given.items()})


def _pack_created(values: Sequence[Any]) -> Sequence[Any]:
    for name, value in values[-1].items():
        if name in _LAWFUL and not _LAWFUL[name](value):
            raise ValueError(f"this is no {name}")
    return values


def _shape_created(*members: str) -> Shape:
    """The shape of a GameCreated of earlier games, whose optional members follow as values, in this order."""

    def unpack(values: Sequence[Any]) -> list[Any]:
        return [*values[:count], dict(zip(members, values[count:], strict=True))]

    fields = FIELDS["GameCreated"]
    count = len(fields)
    return Shape(
        "GameCreated", fields, lambda game, *values: _create(game, *unpack(values)), unpack=unpack, has_more=True
    )


def _shape_erased(kind: str, *, salted: bool) -> Shape:
    """The shape of an event whose words were erased: its row has the fields that are left, and the digest.

    One from before salts has its hash in front, and no digest.
    """
    fields, first = (*FIELDS[kind], *["digest"] * salted), not salted
    at = fields.index(ERASABLE[kind])

    def apply(game: Game, *values: Any) -> None:
        left = values[first:]
        bot = left[at] if kind == "PlayerJoined" else None
        EFFECTS[kind](game, *left[:at], bot or ERASED, *left[at:])

    def pack(values: Sequence[Any]) -> list[Any]:
        return [*values[:at], *values[at + 1 : -1]]

    def unpack(values: Sequence[Any]) -> list[Any]:
        left = values[first:]
        return [*left[:at], None, *left[at:], True]

    return Shape(kind, (*fields, "erased"), apply, pack, unpack, has_hash=first)


_PACKERS: Final[dict[str, tuple[Callable[[Sequence[Any]], list[Any]], Callable[[Sequence[Any]], list[Any]]]]] = {
    "GameStarted": (_pack_started, _unpack_started),
    "PositionSet": (_pack_position, _unpack_position),
    "RoundScored": (_pack_scored, _unpack_scored),
}
"""By event type: the functions that make its fields smaller, and that restore them."""
_SHAPES: Final[dict[str, Shape]] = {
    "created@9": Shape("GameCreated", FIELDS["GameCreated"], _create, _pack_created, has_more=True),
    **{entry.tag: _shape(name) for name, entry in EVENT_TABLE.items()},
    **{f"{EVENT_TABLE[kind].tag}@erased": _shape_erased(kind, salted=False) for kind in ERASABLE},
    **{f"{EVENT_TABLE[kind].tag}@2": Shape(kind, (*FIELDS[kind], "salt"), EFFECTS[kind]) for kind in ERASABLE},
    **{f"{EVENT_TABLE[kind].tag}@digest": _shape_erased(kind, salted=True) for kind in ERASABLE},
    "agree@2": Shape("ConsentGiven", (*FIELDS["ConsentGiven"], "about"), EFFECTS["ConsentGiven"]),
    "disagree@2": Shape("ConsentWithdrawn", (*FIELDS["ConsentWithdrawn"], "about"), EFFECTS["ConsentWithdrawn"]),
    "created@2": _shape_created("parent", "from"),
    "created@3": _shape_created("pace"),
    "created@4": _shape_created("pace", "replaceable"),
    "created@5": _shape_created("name"),
    "created@6": _shape_created("parent", "from", "name"),
    "created@7": _shape_created("pace", "name"),
    "created@8": _shape_created("pace", "replaceable", "name"),
}
"""By tag. Of several of one type that fit an event the first one is stored: the others are read only."""
_SHAPES_OF: Final = {kind: [(tag, shape) for tag, shape in _SHAPES.items() if shape.type == kind] for kind in FIELDS}
_TAGS_WITH_HASH: Final = frozenset(tag for tag, shape in _SHAPES.items() if shape.has_hash)
PACKED: Final = frozenset(tag for tag, shape in _SHAPES.items() if shape.unpack is not _unchanged)
"""The tags of rows that hold the values of a payload in another form."""
_APPLY: Final = {tag: shape.apply for tag, shape in _SHAPES.items()}
_IMPOSSIBLE: Final = (AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What applying an event raises that can't have happened."""


def row_of_event(event: Event) -> Row:
    name = type_of(event)
    if name in OPTIONAL:  # the members that it has decide its tag
        return row_of_payload(name, payload_of(event))
    tag = EVENT_TABLE[name].tag
    return [tag, *_SHAPES[tag].pack(event)]


def encode_rows(rows: Sequence[Row]) -> bytes:
    return orjson.dumps(rows)[1:-1]


def decode_rows(bodies: Iterable[bytes]) -> list[Row]:
    """The rows of any number of entries, parsed in one call: twice as fast as one by one. Raises CorruptLog."""
    try:
        rows: list[Row] = orjson.loads(b"[" + b",".join(bodies) + b"]")
    except ValueError as error:
        raise CorruptLog("the body of an entry is no JSON") from error
    return rows


def apply_rows(game: Game, rows: Iterable[Row], at: int) -> None:
    """Apply stored events of the time `at` (ms since 1970) in place. After CorruptLog the game is in no valid state."""
    game.at = at
    try:
        for tag, *values in rows:
            _APPLY[tag](game, *values)
            game.version += 1
    except _IMPOSSIBLE as error:
        raise CorruptLog(f"game {game.id}: the event after version {game.version} can't have happened") from error


def fold_entries(game: Game, entries: Iterable[Entry], rows: Iterable[Row]) -> None:
    """Apply the rows of entries, as `apply_rows` those of one."""
    rest = iter(rows)
    for entry in entries:
        apply_rows(game, islice(rest, entry.count), game.created + entry.elapsed)


def payload_of_row(row: Row) -> tuple[str, dict[str, Any]]:
    """Type and unredacted data of a stored event, as first appended."""
    tag, *stored = row
    shape = _SHAPES[tag]
    values = shape.unpack(stored)
    if shape.has_more:
        return shape.type, dict(zip(shape.fields, values[:-1], strict=True)) | values[-1]
    return shape.type, dict(zip(shape.fields, values, strict=True))


def canonical(value: Any) -> bytes:
    """The same bytes as the domain's `canonical_json`, ten times as fast; for values that are events."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def read_canonical(line: bytes) -> Any:
    """The value whose canonical JSON the line is; None where it is none, or one that `read_json` must look at."""
    try:
        value = orjson.loads(line)
        return value if canonical(value) == line else None
    except (TypeError, ValueError):
        return None


def row_of_payload(kind: str, data: dict[str, Any], stated: str = "") -> Row:
    """The stored form of an event, the inverse of `payload_of_row`. Raises CorruptLog if there is none.

    `stated`: the hash of one that was erased without a digest, in hex; "": of what is left, as in a later copy.
    """
    for tag, shape in _SHAPES_OF.get(kind, ()):
        try:
            values = shape.values_of(data)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise CorruptLog(f"a {kind} with values of another form") from error
        if values is not None:
            return [tag, stated, *values] if shape.has_hash else [tag, *values]
    raise CorruptLog(f"no event of type {kind} has these members")


def erase_row(row: Row, game_hash: str) -> Row:
    """The row of an erasable event without its text; `game_hash`: that event's hash, in hex."""
    kind, data = payload_of_row(row)
    return row_of_payload(kind, erase(kind, data), game_hash)


def make_entry(  # noqa: PLR0913 - what an entry is made of
    rows: Sequence[Row], *, version: int, at: int, elapsed: int, key: bytes, previous: bytes
) -> tuple[Entry, list[EventRecord], bytes]:
    """A new entry, its events and the hash of the last one; `elapsed`: of Entry; the others: of `hash_rows`."""
    events, last_hash = hash_rows(rows, version=version, at=at, key=key, previous=previous)
    entry = Entry(version + len(rows), len(rows), elapsed, encode_rows(rows), entry_check(last_hash))
    return entry, events, last_hash


def hash_rows(
    rows: Iterable[Row], *, version: int, at: int, key: bytes, previous: bytes
) -> tuple[list[EventRecord], bytes]:
    """Stored events as the contract's objects, {"version", "type", "at", "data", "hash"}, unredacted; the last hash.

    `version`, `previous`: of the event before the first row; `at`: milliseconds since 1970, one for all.
    """
    try:
        moment = timestamp(at)
    except ValueError as error:
        raise CorruptLog("the time of an entry is out of range") from error
    events = []
    for number, row in enumerate(rows, version + 1):
        kind, data = payload_of_row(row)
        event = {"version": number, "type": kind, "at": moment, "data": data}
        stated = row[1] if row[0] in _TAGS_WITH_HASH else ""
        hashed = event | {"data": hashed_data(kind, data)} if kind in ERASABLE else event
        previous = bytes.fromhex(stated) if stated else hash_of(key, previous, canonical(hashed))
        event["hash"] = previous.hex()
        events.append(event)
    return events, previous
