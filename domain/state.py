"""The state of a game. It has no serialiser on purpose: only `view.py` decides who sees what of it."""

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self, TypeAlias

from domain.cards import Business, Card
from domain.clock.pace import Pace
from domain.rules import NEWEST, Rules

Consents: TypeAlias = frozenset[tuple[int, str]]
"""Seat, and what its person has agreed to."""


class Row(NamedTuple):
    businessmaker: Card
    shown: bool
    """Whether the businessmaker may still be seen (ruling 7)."""
    business: Business | None = None
    cards: tuple[Card, ...] = ()
    """Business, multitalent and risk cards in the order laid."""
    length: int = 0
    """Business cards and multitalents."""
    closed: bool = False
    """By a risk card, for good."""


@dataclass(slots=True)
class Seat:
    """A place at the table; `name` is None while it is open."""

    name: str | None = None
    bot: str | None = None
    entropy: str | None = None
    hand: list[Card] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    total: int = 0
    """All income so far, with the bonus, in millions."""
    away: str | None = None
    """Why a bot plays for the seat's person: `abandoned` or `resigned`; None where the person plays."""
    free_from: int | None = None
    """When a new person may take the abandoned seat, in milliseconds since 1970; None: never."""
    timeouts: int = 0
    """Number of its last turns in a row that have timed out."""
    late_turns: int = 0
    """Number of all its person's turns that have timed out."""
    forgiven: int = 0
    """How many of them had when the seat was last reclaimed."""
    bank: int | None = None
    """Seconds left in its time bank; None: it has none, as in a game without banks, or at a bot's seat."""
    vacations: tuple[tuple[int, int], ...] = ()
    """From when to when the clock of its turns is stopped, in milliseconds since 1970, in order."""
    consents_given: int = 0
    """How often its person has agreed to something, withdrawn consents included."""

    def copy(self) -> "Seat":
        seat = Seat(*_fields_of_seat(self))
        seat.hand, seat.rows = self.hand[:], self.rows[:]
        return seat


_fields_of_seat: Final = attrgetter(*Seat.__dataclass_fields__)


class ScoredRound(NamedTuple):
    round: int
    version: int
    seats: list[dict[str, Any]]


@dataclass(slots=True)
class Game:
    """The state that a game's events lead to. Only `evolve` changes it, and only a copy that nothing else refers to."""

    id: str = ""
    version: int = 0
    at: int = 0
    """When the last event happened, in milliseconds since 1970; set from the log before the event is applied."""
    created: int = 0
    """When the first event happened, in the same unit."""
    waiting_since: int = 0
    """When the present wait began (`waiting.py`): with the last event that it counts from, in the same unit."""
    waits_in_copy: bool = False
    """Whether no seat has acted since the game was copied: the present wait began at a time of the parent's."""
    rules: Rules = NEWEST
    variants: dict[str, bool] = field(default_factory=dict)
    starting_seat: int = 0
    listed: bool = False
    commitment: str = ""
    server_seed: bytes = b""
    seats: list[Seat] = field(default_factory=list)
    display: list[Card | None] = field(default_factory=list)
    draw_pile: tuple[Card, ...] = ()
    drawn: int = 0
    """Number of cards that have left the draw pile, from its top."""
    revealed: int = 0
    """Number of Reibach cards revealed."""
    rounds: list[ScoredRound] = field(default_factory=list)
    scoring: int | None = None
    """The scoring round that the game waits for."""
    waiting_slot: int | None = None
    """The display slot whose refill is pending."""
    waiting_draw: bool = False
    """Whether a draw is paid for and its card is pending."""
    turn: int = 0
    turn_seat: int = 0
    action_points: int = 0
    winners: list[int] | None = None
    end: int | None = None
    """The version of `GameEnded` or `GameCancelled`."""
    parent: str | None = None
    position_of: str | None = None
    """The game whose position this game, or the game it was copied from, started from."""
    messages: int = 0
    message_bytes: int = 0
    """Length of all of them, in UTF-8."""
    pace: Pace | None = None
    """None: turns have no deadline."""
    replaceable: bool = False
    """Whether a new person may take a seat that was abandoned."""
    name: str | None = None
    """What the table is called."""
    turn_since: int = 0
    """When the clock of the present turn began, or will begin, in milliseconds since 1970."""
    awaited: frozenset[int] = frozenset()
    """The invited seats whose people have not accepted, as far as the log tells: the first turn's clock awaits them."""
    timed_out: bool = False
    copied_until: int = 0
    """The last version that was copied from the parent, whose people are not this game's."""
    interrupted: bool = False
    """Whether a scoring round has interrupted the present turn."""
    paused_since: int | None = None
    """When the pause began that stops the game's clock, in milliseconds since 1970; None: there is none."""
    pauses: tuple[tuple[int, int], ...] = ()
    """From when to when the earlier pauses of the present turn were, in the same unit, in order."""
    consents: Consents = frozenset()
    """What the people who play have agreed to and what hasn't happened yet (`people/legality.py`)."""
    salted: bool = False
    """Whether its words have salts: those of a game that was opened before there were any have none."""
    turn_version: int = 0
    """The version at which the present turn started, with `TurnStarted` or `PositionSet`."""

    def copy(self) -> Self:
        game = type(self)(*_fields_of_game(self))
        game.seats = [seat.copy() for seat in self.seats]
        game.display, game.rounds = self.display[:], self.rounds[:]
        return game

    @property
    def started(self) -> bool:
        return bool(self.draw_pile)

    @property
    def over(self) -> bool:
        """Whether `GameEnded` or `GameCancelled` has happened; a cancelled game has no winner."""
        return self.winners is not None

    @property
    def open_information(self) -> bool:
        """Whether the cards are those of a finished game, whose log anyone can read."""
        return self.parent is not None and self.position_of != self.parent

    @property
    def bots_only(self) -> bool:
        """Whether no person plays or can join: all seats are bots', or were left, and have not been reclaimed."""
        return all(seat.bot is not None or seat.away is not None for seat in self.seats)

    @property
    def status(self) -> str:
        """`open`, `playing`, `scoring` or `over` (contract 2)."""
        if not self.started:
            return "open"
        if self.over:
            return "over"
        return "playing" if self.scoring is None else "scoring"

    @property
    def cards_in_pile(self) -> int:
        """Cards left in the draw pile, Reibach cards included."""
        return len(self.draw_pile) - self.drawn

    @property
    def bonus(self) -> list[int]:
        return self.rules.bonuses(len(self.seats), self.starting_seat)


_fields_of_game: Final = attrgetter(*Game.__dataclass_fields__)
