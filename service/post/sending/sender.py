"""One attempt to deliver a claimed notice: is it still due, what does it say, and what has become of it.

Rule 1: a notice is judged twice by the game and the subscription: before a connection is opened, which may take
seconds, and when it is open, right before the notice leaves; once where it was open at once.
Rule 2: no line, count or delivery says to which address or URL something was sent, or what.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from email.message import EmailMessage
from functools import partial
from random import Random
from typing import Any, Final, assert_never
from urllib.parse import urlsplit

import structlog

from domain.clock.timestamps import timestamp
from service.gamelog.cache import LoadedGame
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion, StoreUnavailable
from service.gamelog.reader import GameReader
from service.post.channels.connection import Fault
from service.post.channels.smtp import MailResult
from service.post.channels.smtp import Outcome as MailOutcome
from service.post.channels.webhook import Delivered, Failed, Gone, Message, Outcome, next_attempt
from service.post.notices import CONFIRMATION, OF_A_TURN, REMINDER, WEBHOOK, WORDS_OF_TYPES, Notice, is_still_due
from service.post.outbox import FIRST, Claim, Outbox, Record
from service.post.presence import Presence
from service.post.sending.answered import AnsweredReceivers
from service.post.sending.bodies import write_webhook
from service.post.sending.letters import COMPOSERS, Letter, MailRoom
from service.post.sending.traffic import STRANGER, Traffic
from service.post.subscriptions import Subscription, Subscriptions

FRESH_MS: Final = 20
"""For so long what a webhook's notice was judged by counts as seen right before it leaves: a look costs two reads."""
_WATCHED_MS: Final = 15_000
"""A turn's notice to a seat that is watching is looked at again after this time."""
_BUSY_MS: Final = 500
"""And one to a game or host that has enough attempts."""
_UNSTEADY_MS: Final = 15_000
_NO_SERVER: Final = "no mail server"
_UNANSWERED: Final = frozenset({_NO_SERVER, "timeout", "no connection", "connection lost"})
"""Of the details of a mail's result."""

logger = structlog.get_logger("service.post.sending.sender")


class _Outdated(Exception):
    """What a notice was judged by has changed while it was composed, or while its connection was opened."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """How an attempt has ended."""

    error: str | None
    """In fixed words; None: delivered."""
    retry_at: int | None = None
    """In ms since 1970; None: there is no further attempt."""
    is_refused: bool = False
    """Whether the receiver wants nothing any more."""
    is_unanswered: bool = False
    """Whether it has failed without an answer, as attempts do that take long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Makes attempts; threads share it."""

    games: GameReader
    outbox: Outbox
    subscriptions: Subscriptions
    presence: Presence
    traffic: Traffic
    answered: AnsweredReceivers
    post_webhook: Callable[[Message, int, int, Callable[[], None]], Outcome]
    """As WebhookSender.send."""
    send_mail: Callable[[EmailMessage, Callable[[], None]], MailResult] | None
    """Calls its second argument right before the mail leaves, and sends nothing where that raises.

    None: the deployment has no mail server.
    """
    room: MailRoom | None
    """None likewise."""
    public_url: str
    clock: Callable[[], int]
    is_steady: Callable[[], bool]
    chance: Random
    count: Callable[[str], None]
    """Counts an outcome. Of what type the notice was would tell on players."""

    def attempt(self, claim: Claim, lane: str) -> None:
        """Send a claimed notice if it is due. Raises StoreUnavailable: its lease ends then."""
        record = self.outbox.read(claim)
        if record is None:
            self.outbox.drop(claim, Record(created=0))
            return
        notice = claim.notice(record)
        subscription = self.subscriptions.load_seat(notice.game, notice.seat)
        if subscription is None:
            self._drop(claim, record, notice)
            return
        receiver = _receiver(notice, subscription)
        if lane == FIRST and self.traffic.is_failing(receiver):
            self.outbox.set_aside(claim, record)
            return
        names = [f"game {notice.game}", receiver]
        if lane == FIRST and self.traffic.is_stranger(receiver) and not self.answered.has(receiver):
            names.append(STRANGER)
        with self.traffic.enter(names) as has_room:
            if has_room:
                self._attempt(claim, record, notice, subscription, receiver)
            else:
                self.outbox.postpone(claim, record, self.clock() + _BUSY_MS)

    def _attempt(self, claim: Claim, record: Record, notice: Notice, subscription: Subscription, receiver: str) -> None:
        began = self.clock()
        try:
            loaded = self.games.load(notice.game)
        except NoSuchGame:
            self._drop(claim, record, notice)
            return
        except CorruptLog as error:
            logger.error("a game with notices can't be read", game=notice.game, reason=str(error))
            at = next_attempt(record.attempts + 1, record.first or began, began, None, self.chance)
            self._settle(claim, record, notice, _Ended("game can't be read", at), began, over=0)
            return
        if notice.type == REMINDER and not self.is_steady():
            self.outbox.postpone(claim, record, self.clock() + _UNSTEADY_MS)
        elif not is_still_due(notice, loaded.game, subscription, self.clock()):
            self._drop(claim, record, notice, over=_end_of(loaded))
        elif notice.type in WORDS_OF_TYPES and self._is_watched(notice, subscription):
            if notice.type in OF_A_TURN:
                self.outbox.postpone(claim, record, self.clock() + _WATCHED_MS)
            else:
                self._drop(claim, record, notice, over=_end_of(loaded))
        elif not notice.gathers or notice.until:
            self._deliver(claim, record, notice, subscription, receiver, loaded, began)
        elif (sealed := self.outbox.seal(claim, record, loaded.game.version)) is not None:
            self._deliver(claim, sealed, claim.notice(sealed), subscription, receiver, loaded, began)

    def _deliver(  # noqa: PLR0913 - what is sent, and what was known when it was judged
        self,
        claim: Claim,
        record: Record,
        notice: Notice,
        subscription: Subscription,
        receiver: str,
        loaded: LoadedGame,
        began: int,
    ) -> None:
        """Send a notice that is due, and say what has become of it. `began`: before it was judged."""
        try:
            ended = self._send(notice, record, loaded, subscription, began)
        except _Outdated:
            self.outbox.postpone(claim, record, began)
            return
        is_news = self.traffic.note(receiver, failed=ended.is_unanswered)
        self._settle(claim, record, notice, ended, began, over=_end_of(loaded))
        if is_news:
            self.answered.note(receiver, failed=ended.is_unanswered)
        # An address that isn't confirmed stays: its end would say to anyone who names it whether it exists.
        if ended.is_refused and notice.type != CONFIRMATION:
            self._end(notice, subscription)

    def _is_watched(self, notice: Notice, subscription: Subscription) -> bool:
        return not subscription.while_watching and self.presence.is_watching(notice.game, notice.seat)

    def _send(
        self, notice: Notice, record: Record, loaded: LoadedGame, subscription: Subscription, began: int
    ) -> _Ended:
        attempt, first = record.attempts + 1, record.first or began
        try:
            if notice.channel == WEBHOOK:
                return self._send_webhook(notice, record, loaded, subscription, began)
            return self._send_mail(notice, record, loaded, subscription, began)
        except (StoreUnavailable, NoSuchGame, NoSuchVersion, _Outdated):
            raise
        except Exception as error:  # noqa: BLE001 - a notice that can't be composed must not stop the others
            # The error's text may hold what a player wrote.
            logger.error("a notice can't be sent", game=notice.game, type=notice.type, reason=type(error).__name__)
            return _Ended("internal error", next_attempt(attempt, first, self.clock(), None, self.chance))

    def _send_webhook(
        self, notice: Notice, record: Record, loaded: LoadedGame, subscription: Subscription, began: int
    ) -> _Ended:
        target = subscription.webhook
        assert target is not None, "judged before"
        message = write_webhook(
            notice, record.created, loaded, target, self.games, subscription.language, self.public_url
        )

        def recheck() -> None:
            if not 0 <= self.clock() - began < FRESH_MS:
                self._recheck(notice, subscription)

        match self.post_webhook(message, record.attempts + 1, record.first or began, recheck):
            case Delivered():
                return _Ended(None)
            case Gone():
                return _Ended("status 410", is_refused=True)
            case Failed(fault=fault, status=status, retry_at=at):
                error = f"status {status}" if fault is Fault.STATUS else fault.value
                return _Ended(error, at, is_unanswered=status is None)
            case never:
                assert_never(never)

    def _send_mail(
        self, notice: Notice, record: Record, loaded: LoadedGame, subscription: Subscription, began: int
    ) -> _Ended:
        if self.send_mail is None or self.room is None:
            result = MailResult(MailOutcome.RETRY, _NO_SERVER)
        else:
            letter = Letter(
                room=self.room,
                notice=notice,
                loaded=loaded,
                games=self.games,
                subscription=subscription,
                now=record.created,
            )
            mail = COMPOSERS[notice.type](letter)
            result = self.send_mail(mail, partial(self._recheck, notice, subscription))
        match result.outcome:
            case MailOutcome.DELIVERED:
                return _Ended(None)
            case MailOutcome.REFUSED:
                return _Ended(result.detail, is_refused=True)
            case MailOutcome.RETRY:
                at = next_attempt(record.attempts + 1, record.first or began, self.clock(), None, self.chance)
                return _Ended(result.detail, at, is_unanswered=result.detail in _UNANSWERED)
            case never:
                assert_never(never)

    def _recheck(self, notice: Notice, subscription: Subscription) -> None:
        """Judge the notice again, when its connection is open. Raises _Outdated, CorruptLog and StoreUnavailable."""
        # A mail holds the seat's token. That of another person has come with the end of this subscription.
        if self.subscriptions.load_seat(notice.game, notice.seat) != subscription:
            raise _Outdated
        if notice.type in WORDS_OF_TYPES and self._is_watched(notice, subscription):
            raise _Outdated
        if notice.type not in OF_A_TURN:
            return
        try:
            game = self.games.load(notice.game).game
        except NoSuchGame:
            raise _Outdated from None
        if not is_still_due(notice, game, subscription, self.clock()):
            raise _Outdated

    def _settle(  # noqa: PLR0913 - what an attempt has come to
        self, claim: Claim, record: Record, notice: Notice, ended: _Ended, began: int, *, over: int
    ) -> None:
        record = replace(record, attempts=record.attempts + 1, first=record.first or began)
        if ended.error is None:
            outcome = "delivered"
            self.outbox.settle_delivered(claim, record, _line(notice, record, began, outcome, None), over=over)
        elif ended.retry_at is not None:
            outcome = "retry"
            line = _line(notice, record, began, outcome, ended.error)
            self.outbox.retry(claim, record, ended.retry_at, line)
        elif ended.is_refused:
            outcome = "refused"
            self.outbox.drop(claim, record, _line(notice, record, began, outcome, ended.error), over=over)
        else:
            outcome = "dead"
            self.outbox.settle_dead(claim, record, _line(notice, record, began, outcome, ended.error), over=over)
        self.count(outcome)

    def _end(self, notice: Notice, subscription: Subscription) -> None:
        """The receiver wants nothing any more, and gets nothing."""
        if notice.channel == WEBHOOK and subscription.webhook is not None:
            self.subscriptions.end_webhook(notice.game, notice.seat, subscription.webhook.url)
        elif subscription.email is not None:
            self.subscriptions.end_email(notice.game, notice.seat, subscription.email)
        logger.info("a receiver has refused notices for good", game=notice.game, channel=notice.channel)

    def _drop(self, claim: Claim, record: Record, notice: Notice, *, over: int = 0) -> None:
        self.outbox.drop(claim, record, over=over)
        self.count("dropped")


def _end_of(loaded: LoadedGame) -> int:
    """The version of a game that is over; 0 while it isn't."""
    return loaded.game.version if loaded.game.over else 0


def _receiver(notice: Notice, subscription: Subscription) -> str:
    """What an attempt waits for: the webhook's host, or the mail server."""
    if notice.channel != WEBHOOK or subscription.webhook is None:
        return "mail"
    return f"host {urlsplit(subscription.webhook.url).netloc}"


def _line(notice: Notice, record: Record, began: int, status: str, error: str | None) -> dict[str, Any]:
    """A line of the deliveries, in the contract's shape."""
    return {
        "at": timestamp(began),
        "channel": notice.channel,
        "type": notice.type,
        "version": notice.version,
        "attempt": record.attempts,
        "status": status,
        "error": error,
    }
