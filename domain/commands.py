"""The commands: what clients and workers send to a game.

Seeds, entropy and ids are fields of the command; the time is an argument of `decide`.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, get_args

from domain.cards import Business, Card
from domain.clock.pace import Pace
from domain.events import BusinessmakerLaid, CardAppended, CardTaken, Event, PileDrawn, PositionSet, require_all
from domain.rules import NEWEST

LONGEST_NAME: Final = 40
LONGEST_TABLE_NAME: Final = 60
LONGEST_ENTROPY: Final = 200
LONGEST_MESSAGE: Final = 2000
"""Characters (code points) of a player's name, a table's, an entropy, a message."""
MOST_MESSAGES: Final = 1000
"""Of a game, from its creation on."""
MOST_MESSAGE_BYTES: Final = 256 * 1024
"""Of all messages of a game together, in UTF-8."""
MOST_COPIED_BYTES: Final = MOST_MESSAGE_BYTES // 4
"""Of the messages in a copy. They count as the copy's own, which keeps room for three quarters."""


def utf8_length(text: str) -> int:
    """The length of a text in UTF-8; half a surrogate pair, which no request can hold, counts three bytes."""
    return len(text.encode(errors="surrogatepass"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Take the display card at `slot` (0 to 2)."""

    slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Draw the top card of the draw pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayBusinessmaker:
    """Lay a hand card face down; it opens a new row."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Lay a hand card open on one's own row (counted from 0 in the order laid)."""

    card: Card
    row: int


Action: TypeAlias = Take | Draw | LayBusinessmaker | Append


class ActionType(NamedTuple):
    """What JSON and logs need to know of a kind of action besides its fields."""

    word: str
    """Its `type` in JSON."""
    event: type[Event]
    """What records it; it has the action's fields."""


ACTION_TABLE: Final[dict[type[Action], ActionType]] = {
    Take: ActionType("take", CardTaken),
    Draw: ActionType("draw", PileDrawn),
    LayBusinessmaker: ActionType("lay_businessmaker", BusinessmakerLaid),
    Append: ActionType("append", CardAppended),
}
require_all("ACTION_TABLE", ACTION_TABLE, get_args(Action))
ACTIONS: Final = {entry.event.__name__: kind for kind, entry in ACTION_TABLE.items()}
"""By event type: the kind of action that it records."""


def recorded_action(event: str, data: dict[str, Any]) -> Action:
    """The action that an event of this type, one of ACTIONS, records. Raises KeyError where a field is missing."""
    kind = ACTIONS[event]
    return kind(**{name: data[name] for name in kind.__dataclass_fields__})


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeCard:
    """Take a display card of this kind, whichever slot it lies in then."""

    card: Card


Wish: TypeAlias = Action | TakeCard
"""An action as standing orders and mails may name it; `orders.find_action` gives the action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendTo:
    """Lay a hand card open on one's own row of this business, whichever row that is then."""

    card: Card
    business: Business


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Do nothing: a step of standing orders is done with by it."""


Alternative: TypeAlias = Wish | AppendTo | Skip
"""What a step of standing orders may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """A seat as `CreateGame` asks for it: a name, a bot's name, or neither (open).

    A bot has no entropy, except in the copy of a game, where it keeps that of its seat.
    """

    name: str | None = None
    bot: str | None = None
    entropy: str = ""
    salt: str | None = None
    """Of the name: 32 hex digits, which services draw; None only as in games from before salts."""
    is_invited: bool = False
    """Whether its person has yet to accept an invitation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateGame:
    """Open a table of 2 to 5 seats; with no open seat the game starts at once.

    A fork names its `parent` and the version there; one of a running game starts from a `position`, not a deal. No
    fork has a `pace`, so none is `replaceable`.
    """

    game: str
    server_seed: bytes
    seats: tuple[SeatPlan, ...]
    variants: frozenset[str] = frozenset()
    starting_seat: int = 0
    listed: bool = False
    rules: str = NEWEST.name
    parent: str | None = None
    from_version: int | None = None
    position: PositionSet | None = None
    pace: Pace | None = None
    replaceable: bool = False
    """Whether a new person may take a seat that was abandoned."""
    name: str | None = None  # the table's


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinGame:
    """Take the lowest open seat; of a game that has started the lowest abandoned one, where and when it is free."""

    name: str
    entropy: str = ""
    bot: str | None = None
    """Only in the copy of a game, where a bot may play the seat of a person who joined late."""
    salt: str | None = None
    is_history: bool = False
    """For the audit: an abandoned seat waits for nobody, as before releases that wait for its person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One to three actions of a seat, in order; the first refused one stops the rest (contract 2, "No peeking")."""

    seat: int
    actions: tuple[Action, ...]
    by_bot: bool = False
    """Whether the bot sends them that plays the seat, in its person's place, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOfSeat:
    """About its person, rather than the cards."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOut:
    """Time the turn out if its deadline has passed; a turn that is over, or that a bot plays, stays as it is."""

    turn: int


class ReclaimSeat(CommandOfSeat):
    """Play the seat again that was abandoned."""


class Resign(CommandOfSeat):
    """Leave the game for good; a bot plays on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeVacation(CommandOfSeat):
    """Stop the clock of the seat's turns now, until that time (ms since 1970)."""

    until: int


class EndVacation(CommandOfSeat):
    """Be back before the vacation's end."""


class AcceptInvitation(CommandOfSeat):
    """Let the first turn's clock wait for this seat no longer; nothing where it doesn't, or the person has come."""


class ResumeGame(CommandOfSeat):
    """End the pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveConsent(CommandOfSeat):
    """Agree to something that happens when all people who play agree: `to` is one of `legality.AGREEMENTS`."""

    to: str
    about: int | None = None
    """The seat that is to be released."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawConsent(CommandOfSeat):
    to: str
    about: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteScoring:
    """Score the round that interrupts the game, and complete what it interrupted."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PostMessage(CommandOfSeat):
    """Write to all players, at any time; `text` has 1 to LONGEST_MESSAGE characters, line breaks included."""

    text: str
    salt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePending:
    """Complete what is pending in a game that was copied up to a version within an append."""


CommandOfPeople: TypeAlias = TimeOut | CommandOfSeat
Command: TypeAlias = CreateGame | JoinGame | Act | CompleteScoring | ResumePending | CommandOfPeople
