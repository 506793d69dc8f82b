"""Events about the people who play: who is there, and what they say. The rules of the cards know none of them."""

from typing import Final, NamedTuple, TypeAlias


class TurnTimedOut(NamedTuple):
    """The turn was not finished by its deadline."""

    turn: int
    seat: int


class BankUsed(NamedTuple):
    """The seat's turn took `seconds` longer than a turn's time; its time bank has `left` seconds."""

    seat: int
    seconds: int
    left: int


class BankRefilled(NamedTuple):
    """The seat's time bank got `seconds` for the turn that ends, and has `left` now."""

    seat: int
    seconds: int
    left: int


class VacationTaken(NamedTuple):
    """The clock of the seat's turns stops now, until that time (RFC 3339)."""

    seat: int
    until: str


class VacationEnded(NamedTuple):
    """The seat's person is back before the vacation's end: the clock runs from now on."""

    seat: int


class SeatsInvited(NamedTuple):
    """At a table with a pace: the people of these seats, in order, were invited; the first turn's clock awaits them."""

    seats: list[int]


class InvitationAccepted(NamedTuple):
    """The seat's person has come, while the clock of the first turn waits, or will wait, for that one."""

    seat: int


class GamePaused(NamedTuple):
    """All people who play have agreed to a pause: the game's clock stops now."""


class GameResumed(NamedTuple):
    """The seat's person has ended the pause: the clock runs from now on."""

    seat: int


class SeatAbandoned(NamedTuple):
    """Turns of the seat have timed out, or all others have released it: a bot plays until its person is back."""

    seat: int


class SeatReclaimed(NamedTuple):
    """The person of an abandoned seat is back."""

    seat: int


class SeatReplaced(NamedTuple):
    """A new person has taken an abandoned seat, with its hand and rows; its entropy stays that of the first person."""

    seat: int
    name: str
    salt: str | None = None


class PlayerResigned(NamedTuple):
    """The seat's person has left the game for good: a bot plays on."""

    seat: int


class ConsentGiven(NamedTuple):
    """The seat's person agrees to `cancel` or `pause` the game, or to `release` seat `about`: done when all agree."""

    seat: int
    to: str
    about: int | None = None


class ConsentWithdrawn(NamedTuple):
    """The seat's person agrees no longer."""

    seat: int
    to: str
    about: int | None = None


class GameCancelled(NamedTuple):
    """All people who play have agreed to it: the game is over, without a winner."""


class MessagePosted(NamedTuple):
    """A seat's message to all players, as it was sent. It changes nothing in the game, and may follow its end."""

    seat: int
    text: str
    salt: str | None = None


EventOfPeople: TypeAlias = (
    TurnTimedOut | SeatAbandoned | SeatReclaimed | SeatReplaced | PlayerResigned | MessagePosted
    | BankUsed | BankRefilled | VacationTaken | VacationEnded | GamePaused | GameResumed
    | ConsentGiven | ConsentWithdrawn | GameCancelled | SeatsInvited | InvitationAccepted
)  # fmt: skip
EVENTS_OF_PEOPLE: Final[tuple[tuple[type[EventOfPeople], str, bool, bool], ...]] = (
    (TurnTimedOut,     "timeout",   True,  True),
    (SeatAbandoned,    "abandon",   False, True),
    (SeatReclaimed,    "reclaim",   True,  True),
    (SeatReplaced,     "replace",   True,  True),
    (PlayerResigned,   "resign",    True,  True),
    (BankUsed,         "overtime",  False, True),
    (BankRefilled,     "bank",      False, True),
    (VacationTaken,    "vacation",  True,  True),
    (VacationEnded,    "back",      True,  True),
    (SeatsInvited,     "invited",   False, True),
    (InvitationAccepted, "accepted", True, True),
    (GamePaused,       "paused",    False, True),
    (GameResumed,      "resumed",   True,  True),
    (ConsentGiven,     "agree",     True,  True),
    (ConsentWithdrawn, "disagree",  True,  True),
    (GameCancelled,    "cancelled", False, True),
    (MessagePosted,    "said",      True,  True),
)  # fmt: skip
"""Their lines of `events.EVENT_TABLE`."""
