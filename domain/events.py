"""What has happened to a game: the catalogue of events (contract 3).

Fields are in the order in which the log stores them. Never reorder or remove one: stored games are kept forever.
Seats, rows and slots count from 0, money is in millions. Two events are not the same because they are equal: named
tuples compare their fields alone.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias, get_args

from domain.cards import Card
from domain.people.events import EVENTS_OF_PEOPLE, EventOfPeople, GameCancelled, MessagePosted


class GameCreated(NamedTuple):
    """The table is open. `server_seed` (64 hex digits) stays hidden from all until the game is over.

    A fork also has `parent`, the game that it comes from, and `from`, the version there; a game whose turns have
    deadlines has `pace`, as `Pace.to_json` gives it; with `replaceable` (true) new people may take abandoned seats;
    `name`: what its opener calls the table.
    """

    game: str
    rules: str
    seats: int
    variants: dict[str, bool]
    starting_seat: int
    listed: bool
    commitment: str
    server_seed: str
    parent: str | None = None
    from_version: int | None = None
    pace: dict[str, Any] | None = None
    replaceable: bool | None = None
    name: str | None = None


class PlayerJoined(NamedTuple):
    """A seat was taken by a person (`bot` null) or is a bot's. `salt`: 32 hex digits; older games have none."""

    seat: int
    name: str
    bot: str | None
    entropy: str
    salt: str | None = None


class GameStarted(NamedTuple):
    """The cards are dealt. `draw_pile` has the top card first."""

    hands: list[list[Card]]
    display: list[Card]
    draw_pile: list[Card]


class PositionSet(NamedTuple):
    """The position that a fork of a running game starts from, as `seat` of the game `parent` could see it.

    `rows`: seat -> {"businessmaker", "shown", "cards"} of each; `rounds`: {"round", "seats"} of each that was scored;
    `turn`: {"number", "seat", "action_points"}. What the seat could not see is shuffled anew (`position.fill_hidden`):
    the other hands, businessmakers that aren't `shown`, and the draw pile, top card first.
    """

    parent: str
    seat: int
    hands: list[list[Card]]
    hand_sizes: list[int]
    rows: list[list[dict[str, Any]]]
    display: list[Card]
    draw_pile: list[Card]
    revealed: int
    rounds: list[dict[str, Any]]
    totals: list[int]
    turn: dict[str, int]


class TurnStarted(NamedTuple):
    """Turns count from 1 over the whole game."""

    turn: int
    seat: int


class CardTaken(NamedTuple):
    """A display card went to the hand for `cost` action points."""

    seat: int
    slot: int
    card: Card
    cost: int


class PileDrawn(NamedTuple):
    """A draw was paid for; `CardDrawn` has its card."""

    seat: int


class CardDrawn(NamedTuple):
    """The card of a draw, hidden from the other seats."""

    seat: int
    card: Card


class BusinessmakerLaid(NamedTuple):
    """A new row; `card` may be seen until its owner's next turn (ruling 7)."""

    seat: int
    row: int
    card: Card


class CardAppended(NamedTuple):
    """A card laid open on a row."""

    seat: int
    row: int
    card: Card


class DisplayRefilled(NamedTuple):
    """The slot of a taken card has a new one."""

    slot: int
    card: Card


class ReibachRevealed(NamedTuple):
    """The `count`-th Reibach card turned up."""

    count: int  # type: ignore[assignment]  # no member of an event is called as a method


class ScoringStarted(NamedTuple):
    """The game waits for scoring round 1, 2 or 3."""

    round: int


class RoundScored(NamedTuple):
    """`seats` is as `scoring.score` gives it; `totals` are all incomes so far, with the bonus."""

    round: int
    seats: list[dict[str, Any]]
    totals: list[int]


class ActionPointsForfeited(NamedTuple):
    """The rest of a turn in which no action is left (ruling 5)."""

    seat: int
    points: int


class GameEnded(NamedTuple):
    """`winners` holds more than one seat when totals tie (ruling 4)."""

    totals: list[int]
    winners: list[int]


Event: TypeAlias = (
    GameCreated | PlayerJoined | GameStarted | PositionSet | TurnStarted
    | CardTaken | PileDrawn | CardDrawn | BusinessmakerLaid | CardAppended | DisplayRefilled
    | ReibachRevealed | ScoringStarted | RoundScored | ActionPointsForfeited | GameEnded
    | EventOfPeople
)  # fmt: skip

EventRecord: TypeAlias = dict[str, Any]
"""An event as the contract writes it: {"version", "type", "at", "data", "hash"}."""


class EventType(NamedTuple):
    """What codec, views, audit and schemas need to know of an event type besides its fields."""

    kind: type[Event]
    tag: str
    """The short name that begins the event's row in the store. Never reuse one; a changed payload gets a new tag."""
    begins: bool
    """Whether a command causes it first; otherwise it follows such an event in the same append."""
    public: bool
    """Whether every viewer sees all of its fields at all times; otherwise `view.py` says who sees what."""


def require_all(table: str, named: Iterable[Any], kinds: Iterable[Any]) -> None:
    """Raise ImportError, which names those that a table lacks, or has beside the `kinds` that there are."""
    if wrong := {*named} ^ {*kinds}:
        names = sorted(getattr(kind, "__name__", kind) for kind in wrong)
        raise ImportError(f"{table} must name each kind, and no other; look at {', '.join(names)}")


EVENT_TABLE: Final[dict[str, EventType]] = {
    entry.kind.__name__: entry
    for entry in (
        #         class                 tag         begins  public
        EventType(GameCreated,          "created",  True,   False),
        EventType(PlayerJoined,         "joined",   True,   True),
        EventType(GameStarted,          "started",  False,  False),
        EventType(PositionSet,          "position", False,  False),
        EventType(TurnStarted,          "turn",     False,  True),
        EventType(CardTaken,            "take",     True,   True),
        EventType(PileDrawn,            "draw",     True,   True),
        EventType(CardDrawn,            "drawn",    False,  False),
        EventType(BusinessmakerLaid,    "lay",      True,   False),
        EventType(CardAppended,         "append",   True,   True),
        EventType(DisplayRefilled,      "refill",   False,  True),
        EventType(ReibachRevealed,      "reibach",  False,  True),
        EventType(ScoringStarted,       "scoring",  False,  True),
        EventType(RoundScored,          "scored",   True,   True),
        EventType(ActionPointsForfeited, "forfeit", False,  True),
        EventType(GameEnded,            "ended",    False,  True),
        *(EventType(*entry) for entry in EVENTS_OF_PEOPLE),
    )
}  # fmt: skip
"""All event types by name: the one table that codec, views, audit and schemas read."""
require_all("EVENT_TABLE", (entry.kind for entry in EVENT_TABLE.values()), get_args(Event))
ENDS: Final = frozenset({"GameEnded", "GameCancelled"})
"""The events with which a game is over: a log has at most one of them, and only messages after it."""
OF_PEOPLE: Final = frozenset(
    entry[0].__name__ for entry in EVENTS_OF_PEOPLE if entry[0] not in (GameCancelled, MessagePosted)
)
"""The events about who plays a seat, and when, and what they agree on. In a copy those of the parent are history.

Other people sit there."""
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(field for field in entry.kind._fields if field not in entry.kind._field_defaults)
    for name, entry in EVENT_TABLE.items()
}
"""By event type: the members that its payload always has."""
OPTIONAL: Final[dict[str, dict[str, str]]] = {
    "GameCreated": {"parent": "parent", "from": "from_version"}
    | {name: name for name in ("pace", "replaceable", "name")},
    **{name: {"about": "about"} for name in ("ConsentGiven", "ConsentWithdrawn")},
    **{name: {"salt": "salt"} for name in ("PlayerJoined", "SeatReplaced", "MessagePosted")},
}
"""By event type: optional members of the payload -> the fields for them, in order; None where one is missing."""


def type_of(event: Event) -> str:
    return type(event).__name__


def payload_of(event: Event) -> dict[str, Any]:
    """The event's unredacted `data`."""
    name = type_of(event)
    payload = dict(zip(FIELDS[name], event, strict=False))  # optional members come last
    for member, field in OPTIONAL[name].items() if name in OPTIONAL else ():
        if (value := getattr(event, field)) is not None:
            payload[member] = value
    return payload
