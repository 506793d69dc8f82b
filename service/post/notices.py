"""Which notices are due to whom: pure functions of a game's state and its players' subscriptions.

Rule: a turn's notice follows from the present state alone, so whatever was lost or read twice, it is sent while the
turn is on, and never when it is over. All else follows from the versions that a reader of the feed has come past.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from domain.clock.deadline import deadline, player_of, reminder_at
from domain.state import Game
from service.post.subscriptions import Subscription

TURN: Final = "turn.started"
REMINDER: Final = "turn.reminder"
SCORING: Final = "round.scored"
OVER: Final = "game.over"
MESSAGE: Final = "message.posted"
CONFIRMATION: Final = "confirmation"
TOKEN: Final = "token"  # noqa: S105 - a word
ANSWER: Final = "answer"
WEBHOOK: Final = "webhook"
EMAIL: Final = "email"
WORDS_OF_TYPES: Final = {
    TURN: "turn",
    REMINDER: "reminder",
    SCORING: "scoring",
    OVER: "over",
    MESSAGE: "message",
}
"""By type: the word by which a subscription asks for it. Types without one are sent without being asked for."""
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
    """`webhook` or `email`."""
    detail: str = field(default="", repr=False)
    """Empty but for `confirmation` (the address's nonce), `token` (nonce, generation of the lost token, and until when
    the link is valid in ms since 1970) and `answer` (JSON of the answer mail)."""
    target: str = field(default="", repr=False)
    """A digest of the receiver: a new one gets a notice of the running turn, too."""
    until: int = 0
    """Of a mail about messages: the version of the last message in it; 0 where that isn't known yet."""

    @property
    def gathers(self) -> bool:
        """Whether it tells what comes while it waits, too: a mail for each message would be a stream of mails."""
        return self.type == MESSAGE and self.channel == EMAIL


def due_notices(game: Game, subscriptions: Mapping[int, Subscription]) -> list[Notice]:
    """The running turn's, where a subscribed person plays it: what a new subscription gets at once."""
    if not has_turn(game) or player_of(game) is not None:
        return []
    return _notices(game, subscriptions, game.turn_seat, TURN, game.turn_version)


def due_reminders(game: Game, subscriptions: Mapping[int, Subscription]) -> list[Notice]:
    """Those of the running turn, if it has a reminder; `reminder_at` says when they are due."""
    if reminder_at(game) is None:
        return []
    return _notices(game, subscriptions, game.turn_seat, REMINDER, game.turn_version)


def news(
    game: Game, subscriptions: Mapping[int, Subscription], after: int, until: int, authors: Mapping[int, int]
) -> list[Notice]:
    """What happened after version `after`, up to `until`, but for turns.

    `authors`: of each message among those versions, the seat that wrote it, which gets no notice of it.
    """
    events = [(SCORING, done.version, -1) for done in game.rounds]
    if game.end is not None:
        events.append((OVER, game.end, -1))
    events += [(MESSAGE, version, author) for version, author in authors.items()]
    return [
        notice
        for kind, version, author in events
        if after < version <= until
        for seat in sorted(subscriptions)
        if seat != author
        for notice in _notices(game, subscriptions, seat, kind, version)
    ]


def is_reminder_time(game: Game, now: int) -> bool:
    """Whether the running turn's player is to be reminded by `now` (ms since 1970), and has time left."""
    at, until = reminder_at(game), deadline(game)
    return at is not None and until is not None and at <= now < until


def has_turn(game: Game) -> bool:
    """Whether a turn is on; a scoring round may interrupt it."""
    return game.turn > 0 and not game.over


def is_still_due(notice: Notice, game: Game, subscription: Subscription, now: int) -> bool:
    """Whether the notice may be sent at `now` (ms since 1970): judged right before each attempt."""
    if notice.type == CONFIRMATION:
        return subscription.email is not None and not subscription.is_confirmed and subscription.nonce == notice.detail
    if target_of(subscription, notice.channel) is None:
        return False
    match notice.type:
        case "token":
            return notice.detail.partition(" ")[0] == subscription.nonce
        case "answer":
            return True
    is_wanted = WORDS_OF_TYPES[notice.type] in subscription.on
    if not is_wanted or notice.type not in OF_A_TURN:
        return is_wanted
    is_on = has_turn(game) and (game.turn_version, game.turn_seat) == (notice.version, notice.seat)
    return is_on and player_of(game) is None and (notice.type == TURN or is_reminder_time(game, now))


def target_of(subscription: Subscription, channel: str) -> str | None:
    """A digest of the channel's receiver; None where nothing may be sent through it."""
    match channel:
        case "webhook" if subscription.webhook is not None:
            receiver = f"{subscription.webhook.url} {subscription.webhook.format}"
        case "email" if subscription.email is not None and subscription.is_confirmed:
            receiver = subscription.email
        case _:
            return None
    return sha256(receiver.encode()).hexdigest()[:16]


def _notices(game: Game, subscriptions: Mapping[int, Subscription], seat: int, kind: str, version: int) -> list[Notice]:
    """One for each channel of the seat, if it has subscribed to this type."""
    subscription = subscriptions.get(seat)
    if subscription is None or WORDS_OF_TYPES[kind] not in subscription.on:
        return []
    return [
        Notice(game=game.id, seat=seat, type=kind, version=version, channel=channel, target=target)
        for channel in (WEBHOOK, EMAIL)
        if (target := target_of(subscription, channel)) is not None
    ]
