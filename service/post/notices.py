"""Notices: what is told, and the types and channels of which they are."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from domain.events import OF_PEOPLE

TURN: Final = "turn.started"
REMINDER: Final = "turn.reminder"
SCORING: Final = "round.scored"
OVER: Final = "game.over"
MESSAGE: Final = "message.posted"
POSTED: Final = "MessagePosted"
"""The event of a message."""
PEOPLE: Final = "people.changed"
_UNTOLD: Final = {"BankUsed", "BankRefilled", "SeatsInvited", "InvitationAccepted"}
PEOPLE_EVENTS: Final = OF_PEOPLE - _UNTOLD | {"GameCancelled"}
"""The events that it tells of."""
CONSENTS: Final = frozenset({"ConsentGiven", "ConsentWithdrawn"})
"""The only ones of them that a seat can cause many of."""
TOLD_BY_TURNS: Final = {MESSAGE: {POSTED}, PEOPLE: {"TurnTimedOut", "SeatAbandoned", "PlayerResigned", "SeatReclaimed"}}
"""The events that a mail about a turn tells as well, by type."""
CONSENT: Final = "consent"
BANK: Final = "bank"
CONFIRMATION: Final = "confirmation"
TOKEN: Final = "token"  # noqa: S105 - a word
ANSWER: Final = "answer"
RECEIVER: Final = "receiver"
"""That a webhook was added beside a confirmed address."""
DEVICE: Final = "device"
"""That a device was added beside a confirmed address."""
ENDED: Final = "ended"
"""That a webhook has ended, as its receiver is gone."""
UNUSED: Final = "unused"
"""That the game is about to be deleted."""
WEBHOOK: Final = "webhook"
EMAIL: Final = "email"
PUSH: Final = "push"
WORDS_OF_TYPES: Final = {
    TURN: "turn",
    REMINDER: "reminder",
    SCORING: "scoring",
    OVER: "over",
    MESSAGE: "message",
    PEOPLE: "people",
}
"""By type: the word by which a subscription asks for it. Types without one are sent to all."""
OF_A_TURN: Final = frozenset({TURN, REMINDER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to tell one seat through one channel."""

    game: str
    seat: int
    type: str
    version: int
    """Of the event that it is about; 0 where there is none."""
    channel: str
    """A name in the table of channels."""
    detail: str = field(default="", repr=False)
    """Empty but for `confirmation` (the address's nonce), `token` (nonce, generation of the lost token, and until when
    the link is valid in ms since 1970), `receiver` (the webhook's host, and a random word), `answer` (JSON of the
    answer mail), `ended` (the host, and why), `unused` (when the game is deleted, in ms since 1970), `turn.reminder`
    (BANK where it tells that the bank begins), and `people.changed` (CONSENT of one of CONSENTS)."""
    target: str = field(default="", repr=False)
    """A digest of the receiver: a new one gets a notice of the running turn, too."""
    generation: int = 0
    """Of the token with which its subscription was made; a mail that holds a link is recognised by its nonce."""
    until: int = 0
    """Of a notice that gathers: the version of the last one in it; 0 where that isn't known yet."""
    place: str = ""
    """Which of its channel's receivers it goes to, where there may be several."""
    doer: int | None = None
    """The seat that caused it, if one did: its deliveries don't show it."""
    is_shared: bool = False
    """Whether all seats that name the receiver get it as one: `seat` is that by which it is sent."""

    @property
    def id(self) -> str:
        """The same in each attempt, and no other notice's."""
        more = filter(None, [self.digest, self.place])
        return ".".join([self.game, str(self.version), str(self.seat), self.type, *more])

    @property
    def digest(self) -> str:
        """Of the detail; empty where there is none."""
        return sha256(self.detail.encode()).hexdigest()[:16] if self.detail else ""
