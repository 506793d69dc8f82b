"""One attempt to deliver a claimed notice: is it still due, what does it say, and what has become of it.

Rule 1: a notice is judged twice by the game and the subscription: before a connection is opened, which may take
seconds, and when it is open, right before the notice leaves.
Rule 2: no line, count or delivery says to which address or URL something was sent, or what; of an outage the host.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import structlog

from domain.orders.planner import Orders
from domain.state import Game
from service.gamelog.cache import LoadedGame
from service.gamelog.orders.book import OrderBook
from service.gamelog.reader import GameReader
from service.gamelog.store.analyses import Analyses
from service.gamelog.store.errors import CorruptLog, NoSuchGame, NoSuchVersion, StoreUnavailable
from service.post.attempt import Attempt, NothingToTell, Transports
from service.post.channel_table import CHANNELS
from service.post.channels.results import PUT_OFF_MS, RETRY_PERIOD_S, UNSENT, SendResult, next_attempt
from service.post.claim import FIRST, Claim
from service.post.notices import EMAIL, ENDED, OF_A_TURN, OVER, SCORING, TOLD_BY_TURNS, TURN, WORDS_OF_TYPES, Notice
from service.post.noticing.due import has_turn, is_still_due, seats_of
from service.post.noticing.notice_queue import NoticeQueue
from service.post.presence import Presence
from service.post.sending.receivers import UNKNOWN, Receivers
from service.post.sending.rulings import BUSY_MS, NEXT_LOOK, Case, Ruling, judge
from service.post.subscriptions import Subscription, Subscriptions

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
    receivers: Receivers
    transports: Transports
    clock: Callable[[], int]
    is_steady: Callable[[], bool]
    chance: Random
    count: Callable[[str], None]
    """Counts an outcome. Of what type the notice was would tell on players."""

    def attempt(self, claim: Claim, lane: str) -> None:
        """Send a claimed notice if it is due. Raises StoreUnavailable: its lease ends then."""
        subscriptions, now = self.subscriptions.load(claim.notice.game), self.clock()
        readers = [replace(claim.notice, seat=seat) for seat in seats_of(claim.notice, subscriptions)]
        awake = [copy for copy in readers if not copy.is_shared or not self._is_watched(copy, subscriptions[copy.seat])]
        notice = min(awake, key=lambda copy: subscriptions[copy.seat].wakes_at(now), default=None)
        if notice is None:
            self._drop(claim)
            return
        claim = replace(claim, notice=notice, seats=tuple(copy.seat for copy in readers if copy.seat != notice.doer))
        receiver = CHANNELS[notice.channel].host(notice, subscriptions[notice.seat])
        if lane == FIRST and self.receivers.is_failing(receiver):
            claim.set_aside(self.clock())
            return
        names = [f"game {notice.game}", receiver]
        if lane == FIRST and self.receivers.is_unknown(receiver):
            names.append(UNKNOWN)
        with self.receivers.enter(names) as has_room:
            if has_room:
                self._attempt(claim, subscriptions, receiver)
            else:
                claim.postpone(self.clock() + BUSY_MS)

    def _attempt(self, claim: Claim, subscriptions: Mapping[int, Subscription], receiver: str) -> None:
        began, notice = self.clock(), claim.notice
        try:
            loaded = self.games.load(notice.game)
        except NoSuchGame:
            self._drop(claim)
            return
        except CorruptLog as error:
            logger.error("a game with notices can't be read", game=notice.game, reason=str(error))
            self._settle(claim, SendResult("game can't be read"), began, over=0)
            return
        orders = self.orders.orders_of(notice.game, None if notice.is_shared else notice.seat)
        case = self._case(claim, loaded, subscriptions[notice.seat], orders, began)
        ruling = judge(case)
        if ruling is Ruling.DROP:
            self._drop(claim, over=_end_of(loaded.game))
        elif ruling is not Ruling.SEND:
            claim.postpone(NEXT_LOOK[ruling](case))
        elif (
            # A game may not make this service flood somebody's host. The mail server is the operator's own.
            not CHANNELS[notice.channel].has_gauge
            and (at := self.receivers.pace(f"{notice.game} {receiver}", began, is_first=notice.type in OF_A_TURN))
        ):
            claim.postpone(at)
        elif sealed := claim.seal(loaded.game.version, self.clock()):
            attempt = Attempt(
                notice=sealed.notice,
                created=claim.created,
                began=began,
                loaded=loaded,
                subscription=case.subscription,
                subscriptions=subscriptions,
                orders=orders,
                games=self.games,
                recheck=partial(self._recheck, sealed.notice, case.subscription),
            )
            self._deliver(sealed, attempt, receiver)

    def _case(self, claim: Claim, loaded: LoadedGame, subscription: Subscription, orders: Orders, now: int) -> Case:
        notice, game = claim.notice, loaded.game
        is_to_one, last_scoring = not notice.is_shared, [scored.version for scored in game.rounds[-1:]]
        return Case(
            notice=notice,
            game=game,
            subscription=subscription,
            now=now,
            created=claim.created,
            generation=loaded.generation(notice.seat),
            is_steady=self.is_steady(),
            is_watched=is_to_one and notice.type in WORDS_OF_TYPES and self._is_watched(notice, subscription),
            follows_another=notice.is_shared and notice.type == OVER and claim.waits_for(SCORING, last_scoring),
            merging=self._merge(claim, game, subscription, now),
            may_be_ordered=notice.type in OF_A_TURN and self.orders.may_end_turn(game, orders),
            awaits_analysis=notice.type == OVER and CHANNELS[notice.channel].joins_end and self._is_analysing(game),
        )

    def _merge(self, claim: Claim, game: Game, subscription: Subscription, now: int) -> Ruling | None:
        """What follows where a mail about the reader's turn tells, or is about to tell, what the notice tells."""
        notice, types = claim.notice, TOLD_BY_TURNS.get(claim.notice.type, ())
        if notice.channel != EMAIL or not types or WORDS_OF_TYPES[TURN] not in subscription.on:
            return None
        count = (notice.until or game.version) - notice.version + 1
        _, events = self.games.load_events(notice.game, notice.version - 1, count)
        told = [event["version"] for event in events if event["type"] in types]
        if told[:1] != [notice.version]:
            return None
        is_waiting = has_turn(game) and game.turn_seat == notice.seat and claim.waits_for(TURN, [game.turn_version])
        is_played_on = events[0]["type"] == "TurnTimedOut" and game.timed_out and now - claim.created < 6 * BUSY_MS
        if claim.find_shown(TURN) >= told[-1]:
            return Ruling.DROP
        return Ruling.MERGED if is_waiting or is_played_on else None

    def _is_analysing(self, game: Game) -> bool:
        analysis = Analyses(self.games.store).find(game.id) if game.winners else None
        return analysis is not None and not analysis.packed

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
        over = _end_of(loaded.game)
        if result is UNSENT:
            if began - claim.created < 1000 * RETRY_PERIOD_S:
                claim.put_off(began, began + PUT_OFF_MS)
            else:
                self._drop(claim, over=over)
            return
        self.receivers.record(notice.channel, receiver, result)
        if channel.patience_ms:
            result = replace(result, is_refused=self._is_refused_for_good(attempt, result, channel.patience_ms))
        self._settle(replace(claim, shown=loaded.game.version), result, began, over=over)
        if not result.is_refused:
            return
        if not channel.patience_ms:
            gone = channel.receivers(subscription)["" if notice.is_shared else notice.place]
            for seat in attempt.sharers if channel.is_shared(subscription) else [notice.seat]:
                self.subscriptions.end(notice.game, seat, gone)
                if channel.tells_end:
                    why = f"{receiver.rsplit(maxsplit=1)[-1]} {result.error}"
                    self.queue.tell_of_receiver(ENDED, notice.game, seat, why, subscriptions[seat].generation)
        logger.info("a receiver has refused notices for good", game=notice.game, channel=notice.channel)

    def _is_refused_for_good(self, attempt: Attempt, result: SendResult, patience_ms: int) -> bool:
        kept, notice = attempt.subscription, attempt.notice
        if kept.email is None or not (result.is_refused or (result.error is None and kept.refused_at)):
            return False
        refused_at = attempt.began if result.is_refused else 0
        return self.subscriptions.note_mailbox(notice.game, notice.seat, kept.email, refused_at, patience_ms)

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

    def _settle(self, claim: Claim, result: SendResult, began: int, *, over: int) -> None:
        at = None
        if result.error is None:
            status = "delivered"
        elif result.is_refused:
            status = "refused"
        else:
            at = next_attempt(claim.attempts + 1, claim.first or began, self.clock(), result.retry_after, self.chance)
            status = "retry" if at else "dead"
        claim.settle(status, began, result.error, at=at, over=over)
        self.count(status)

    def _drop(self, claim: Claim, *, over: int = 0) -> None:
        claim.drop(over=over)
        self.count("dropped")


def _end_of(game: Game) -> int:
    """The version of a game that is over; 0 while it isn't."""
    return game.version if game.over else 0
