"""One attempt to deliver a claimed notice: is it still due, what does it say, and what has become of it.

Rule 1: a notice is judged twice by the game and the subscription: before a connection is opened, which may take
seconds, and when it is open, right before the notice leaves; once where it was open at once.
Rule 2: no line, count or delivery says to which address or URL something was sent, or what; of an outage the host.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Final

import structlog

from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion, StoreUnavailable
from service.gamelog.orders.book import OrderBook
from service.gamelog.reader import GameReader
from service.post.attempt import Attempt, Transports
from service.post.channel_table import CHANNELS
from service.post.channels.results import PUT_OFF_MS, RETRY_PERIOD_S, UNSENT, SendResult, next_attempt
from service.post.claim import FIRST, Claim
from service.post.mail.people import NothingToTell
from service.post.notices import CONFIRMATION, ENDED, OF_A_TURN, OVER, REMINDER, SCORING, WORDS_OF_TYPES, Notice
from service.post.noticing.due import is_still_due, seats_of
from service.post.noticing.notice_queue import NoticeQueue
from service.post.presence import Presence
from service.post.sending.outages import Outages
from service.post.sending.receiver_limits import UNKNOWN, ReceiverLimits
from service.post.subscriptions import Subscription, Subscriptions

_WATCHED_MS: Final = 15_000
"""A turn's notice to a seat that is watching is looked at again after this time."""
_BUSY_MS: Final = 500
"""And one to a game or host that has enough attempts."""
_UNSTEADY_MS: Final = 15_000
_ORDERS_MS: Final = 500
"""And one of a turn that standing orders may end yet; the later, the longer that lasts."""

logger = structlog.get_logger("service.post.sending.sender")


class _Outdated(Exception):
    """What a notice was judged by has changed while it was composed, or while its connection was opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Makes attempts; threads share it."""

    games: GameReader
    subscriptions: Subscriptions
    orders: OrderBook
    queue: NoticeQueue
    presence: Presence
    limits: ReceiverLimits
    outages: Outages
    transports: Transports
    clock: Callable[[], int]
    is_steady: Callable[[], bool]
    chance: Random
    count: Callable[[str], None]
    """Counts an outcome. Of what type the notice was would tell on players."""

    def attempt(self, claim: Claim, lane: str) -> None:
        """Send a claimed notice if it is due. Raises StoreUnavailable: its lease ends then."""
        found = self.subscriptions.load(claim.notice.game)
        each = [replace(claim.notice, seat=seat) for seat in seats_of(claim.notice, found)]
        heard = [one for one in each if not one.is_shared or not self._is_watched(one, found[one.seat])]
        now = self.clock()
        notice = min(heard, key=lambda one: found[one.seat].wakes_at(now), default=None)
        if notice is None:
            self._drop(claim)
            return
        shown = tuple(one.seat for one in each if not one.is_shared or one.detail != f"by {one.seat}")
        claim, subscription = replace(claim, notice=notice, seats=shown), found[notice.seat]
        receiver = CHANNELS[notice.channel].host(notice, subscription)
        if lane == FIRST and self.limits.is_failing(receiver):
            claim.set_aside(self.clock())
            return
        names = [f"game {notice.game}", receiver]
        if lane == FIRST and self.limits.is_unknown(receiver):
            names.append(UNKNOWN)
        with self.limits.enter(names) as has_room:
            if has_room:
                self._attempt(claim, found, receiver)
            else:
                claim.postpone(self.clock() + _BUSY_MS)

    def _attempt(self, claim: Claim, subscriptions: Mapping[int, Subscription], receiver: str) -> None:
        began, notice = self.clock(), claim.notice
        subscription = subscriptions[notice.seat]
        try:
            loaded = self.games.load(notice.game)
        except NoSuchGame:
            self._drop(claim)
            return
        except CorruptLog as error:
            logger.error("a game with notices can't be read", game=notice.game, reason=str(error))
            self._settle(claim, SendResult("game can't be read"), began, over=0)
            return
        over = loaded.game.version if loaded.game.over else 0
        orders = self.orders.orders_of(notice.game, None if notice.is_shared else notice.seat)
        if notice.type == REMINDER and not self.is_steady():
            claim.postpone(self.clock() + _UNSTEADY_MS)
        elif notice.is_shared and (
            # That person has left meanwhile, the others haven't; in a chat the end comes after the last scoring round.
            loaded.generation(notice.seat) != subscription.generation
            or (notice.type == OVER and claim.waits_for(SCORING, [one.version for one in loaded.game.rounds[-1:]]))
        ):
            claim.postpone(self.clock() + _BUSY_MS)
        elif loaded.generation(notice.seat) != subscription.generation or not is_still_due(
            notice, loaded.game, subscription, self.clock()
        ):
            self._drop(claim, over=over)
        elif notice.type in OF_A_TURN and self.orders.may_end_turn(loaded.game, orders):
            claim.postpone(self.clock() + max(_ORDERS_MS, (self.clock() - claim.record.created) // 4))
        elif notice.type in WORDS_OF_TYPES and self._is_left_alone(claim, subscription, began, over):
            return
        elif (
            # A game may not make this service flood somebody's host. The mail server is the operator's own.
            not CHANNELS[notice.channel].has_gauge
            and (at := self.limits.pace(f"{notice.game} {receiver}", began, is_first=notice.type in OF_A_TURN))
        ):
            claim.postpone(at)
        elif (ready := claim.seal(loaded.game.version, self.clock()) if claim.is_open else claim) is not None:
            attempt = Attempt(
                notice=ready.notice,
                created=claim.record.created,
                began=began,
                loaded=loaded,
                subscription=subscription,
                subscriptions=subscriptions,
                orders=orders,
                games=self.games,
                recheck=partial(self._recheck, ready.notice, subscription, began),
            )
            self._deliver(ready, attempt, receiver)

    def _deliver(self, claim: Claim, attempt: Attempt, receiver: str) -> None:
        """Send a notice that is due, and say what has become of it."""
        notice, began, loaded = attempt.notice, attempt.began, attempt.loaded
        channel, subscription, subscriptions = CHANNELS[notice.channel], attempt.subscription, attempt.subscriptions
        try:
            result = self._send(attempt)
        except _Outdated:
            claim.postpone(began)
            return
        except NothingToTell:
            self._drop(claim)
            return
        over = loaded.game.version if loaded.game.over else 0
        if result is UNSENT:
            if began - claim.record.created < 1000 * RETRY_PERIOD_S:
                claim.put_off(began, began + PUT_OFF_MS)
            else:
                self._drop(claim, over=over)
            return
        self.limits.record(receiver, failed=result.is_unanswered)
        self.outages.record(notice.channel, receiver, result)
        self._settle(claim, result, began, over=over, shown=loaded.game.version)
        # An address that isn't confirmed stays: anyone can name it. The delivery says what was wrong with it.
        if result.is_refused and notice.type != CONFIRMATION:
            gone = channel.receivers(subscription)["" if notice.is_shared else notice.place]
            for seat in attempt.sharers if channel.is_shared(subscription) else [notice.seat]:
                self.subscriptions.end(notice.game, seat, gone)
                if channel.tells_end:
                    why = f"{receiver.rsplit(maxsplit=1)[-1]} {result.error}"
                    self.queue.tell_of_receiver(ENDED, notice.game, seat, why, subscriptions[seat].generation)
            logger.info("a receiver has refused notices for good", game=notice.game, channel=notice.channel)

    def _is_left_alone(self, claim: Claim, subscription: Subscription, began: int, over: int) -> bool:
        """Whether the player watches, or has quiet hours; the notice is put off then, or dropped as it is seen."""
        notice, wakes_at = claim.notice, subscription.wakes_at(began)
        is_watched = not notice.is_shared and self._is_watched(notice, subscription)
        if is_watched and notice.type not in OF_A_TURN:
            self._drop(claim, over=over)
        elif is_watched or wakes_at > began:
            claim.postpone(self.clock() + _WATCHED_MS if is_watched else wakes_at)
        return is_watched or wakes_at > began

    def _is_watched(self, notice: Notice, subscription: Subscription) -> bool:
        return not subscription.while_watching and self.presence.is_watching(notice.game, notice.seat)

    def _send(self, attempt: Attempt) -> SendResult:
        notice = attempt.notice
        try:
            return CHANNELS[notice.channel].send(attempt, self.transports)
        except (StoreUnavailable, NoSuchGame, NoSuchVersion, _Outdated, NothingToTell):
            raise
        except Exception as error:  # noqa: BLE001 - a notice that can't be composed must not stop the others
            # The error's text may hold what a player wrote.
            logger.error("a notice can't be sent", game=notice.game, type=notice.type, reason=type(error).__name__)
            return SendResult("internal error")

    def _recheck(self, notice: Notice, subscription: Subscription, began: int) -> None:
        """Judge the notice again, when its connection is open, unless that just began.

        Raises _Outdated, CorruptLog and StoreUnavailable.
        """
        if 0 <= self.clock() - began < CHANNELS[notice.channel].fresh_ms:
            return
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

    def _settle(self, claim: Claim, result: SendResult, began: int, *, over: int, shown: int = 0) -> None:
        record = claim.record
        if result.error is None:
            outcome = "delivered"
            claim.deliver(began, over=over, shown=shown)
        elif result.is_refused:
            outcome = "refused"
            claim.refuse(began, result.error, over=over)
        elif at := next_attempt(
            record.attempts + 1, record.first or began, self.clock(), result.retry_after, self.chance
        ):
            outcome = "retry"
            claim.retry(began, result.error, at)
        else:
            outcome = "dead"
            claim.give_up(began, result.error, over=over)
        self.count(outcome)

    def _drop(self, claim: Claim, *, over: int = 0) -> None:
        claim.drop(over=over)
        self.count("dropped")
