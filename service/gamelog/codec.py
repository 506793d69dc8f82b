"""How events lie in the store, in one table for both directions.

An event is a positional JSON array that begins with its tag, readable in a Redis shell: `["take",0,1,"gold",1]`. A tag
names a type *and* a payload version: a changed payload gets a new tag (`take@2`) and a new line in `_SHAPES`; the old
line stays, for games live for ever. The fold reads through `Shape.apply`, where an old payload is brought up to date;
hashes, exports and `/events` always use the payload as first appended.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import gmtime, strftime
from typing import Any, Final, NamedTuple

from domain.chain import next_hash
from domain.events import FIELDS, Event, RoundScored, type_of
from domain.evolve import HANDLERS
from domain.state import Game

Row = list[Any]


class CorruptLog(Exception):  # noqa: N818 - says what the log is
    """The store holds what no append can have written."""


class Entry(NamedTuple):
    """One accepted request as the store holds it."""

    version: int
    """Of its last event."""
    count: int
    elapsed: int
    """Milliseconds since the game was created; of the first entry, since 1970."""
    body: bytes
    """The events: JSON arrays, joined by commas."""
    hash: bytes
    """Of its last event."""
    request: bytes
    """Random, so that a resend recognises what it has written."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One payload version of one event type."""

    type: str
    fields: tuple[str, ...]
    apply: Callable[..., None]
    """Called with the game and the positional fields; raises AssertionError where the event can't have happened."""
    unpack: Callable[[Sequence[Any]], Sequence[Any]] = lambda values: values


def _pack_scored(values: Sequence[Any]) -> list[Any]:
    """RoundScored without the words that repeat in every seat: a fifth of the size."""
    number, seats, totals = values
    packed = [
        [
            [
                [name, one["income"], one["reason"], one["length"], int(one["doubled"])]
                for name, one in seat["businesses"].items()
            ],
            seat["penalties"]["empty_businessmakers"],
            seat["penalties"]["hand_cards"],
            seat["income"],
        ]
        for seat in seats
    ]
    return [number, packed, totals]


def _unpack_scored(values: Sequence[Any]) -> list[Any]:
    number, packed, totals = values
    seats = [
        {
            "seat": seat,
            "businesses": {
                name: {"income": income, "reason": reason, "length": length, "doubled": bool(doubled)}
                for name, income, reason, length, doubled in businesses
            },
            "penalties": {"empty_businessmakers": empty, "hand_cards": hand_cards},
            "income": income,
        }
        for seat, (businesses, empty, hand_cards, income) in enumerate(packed)
    ]
    return [number, seats, totals]


def _apply_scored(game: Game, *values: Any) -> None:
    HANDLERS[RoundScored.__name__](game, *_unpack_scored(values))


def _shape(kind: str) -> Shape:
    return Shape(kind, FIELDS[kind], HANDLERS[kind])


_SHAPES: Final[dict[str, Shape]] = {
    "created": _shape("GameCreated"),
    "joined": _shape("PlayerJoined"),
    "started": _shape("GameStarted"),
    "turn": _shape("TurnStarted"),
    "take": _shape("CardTaken"),
    "draw": _shape("PileDrawn"),
    "drawn": _shape("CardDrawn"),
    "lay": _shape("BusinessmakerLaid"),
    "append": _shape("CardAppended"),
    "refill": _shape("DisplayRefilled"),
    "reibach": _shape("ReibachRevealed"),
    "scoring": _shape("ScoringStarted"),
    "scored": Shape("RoundScored", FIELDS["RoundScored"], _apply_scored, _unpack_scored),
    "forfeit": _shape("ActionPointsForfeited"),
    "ended": _shape("GameEnded"),
}
_APPLY: Final = {tag: shape.apply for tag, shape in _SHAPES.items()}
_TAGS: Final = {shape.type: tag for tag, shape in _SHAPES.items()}
assert _TAGS.keys() == FIELDS.keys()


def row_of(event: Event) -> Row:
    """The event as it is stored."""
    name = type_of(event)
    values = [getattr(event, field) for field in FIELDS[name]]
    return [_TAGS[name], *(_pack_scored(values) if name == "RoundScored" else values)]


def body_of(rows: Sequence[Row]) -> bytes:
    """The rows as one entry's body."""
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()[1:-1]


def rows_of(bodies: Iterable[bytes]) -> list[Row]:
    """The rows of any number of entries, parsed in one go: ten times faster than one by one."""
    rows: list[Row] = json.loads(b"[" + b",".join(bodies) + b"]")
    return rows


def apply_rows(game: Game, rows: Iterable[Row]) -> None:
    """Let stored events happen to a game that nobody else holds. Raises CorruptLog."""
    try:
        for tag, *values in rows:
            _APPLY[tag](game, *values)
            game.version += 1
    except (AssertionError, KeyError, IndexError, TypeError, ValueError) as error:
        raise CorruptLog(f"game {game.id}: the event after version {game.version} can't have happened") from error


def timestamp(milliseconds: int) -> str:
    """Milliseconds since 1970 as the contract writes a time."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{rest:03d}Z"


def payload_of(row: Row) -> tuple[str, dict[str, Any]]:
    """Type and unredacted data of a stored event, as first appended."""
    tag, *values = row
    shape = _SHAPES[tag]
    return shape.type, dict(zip(shape.fields, shape.unpack(values), strict=True))


def chained(
    rows: Iterable[Row], *, version: int, at: int, key: bytes, previous: bytes
) -> tuple[list[dict[str, Any]], bytes]:
    """Stored events as the contract's objects, unredacted, and the hash of the last.

    `version`, `previous`: of the event before the first row; `at`: milliseconds since 1970, one for all.
    """
    moment = timestamp(at)
    events = []
    for number, row in enumerate(rows, version + 1):
        kind, data = payload_of(row)
        event = {"version": number, "type": kind, "at": moment, "data": data}
        previous = next_hash(key, previous, event)
        event["hash"] = previous.hex()
        events.append(event)
    return events, previous
