"""The reconciler: enqueues a job for every game that is due and still waits.

Jobs may be lost: a process crashes between append and enqueue, or a worker in the middle of a job. The due lists are
written by the appends themselves, so every game that waits for a worker is found here, again and again until it
no longer waits.

Rule 1: nothing is added to queues that are long and not worked off; games in due lists can wait.
Rule 2: turns of an analysis are judged when nothing else waits: the rest waits for one such job at most.
"""

from typing import Final

import structlog

from domain.clock.waiting import WaitingFor, waiting_for
from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.connections.scripts import Script
from service.gamelog.cache import LoadedGame
from service.gamelog.store.errors import CorruptLog, NoSuchGame
from workers.threads.periodic import PeriodicTask, QueueUnavailable

_PAUSE_S: Final = 0.25
_LEASE_MS: Final = 1500
"""A game whose job was enqueued is looked at again after this time, if it still waits: a deadline whose job was lost
with a worker is still kept within two seconds."""
_LIMIT: Final = 200
"""Games in one round. Each is loaded, by the processor that also runs the jobs."""
_QUEUED_AT_MOST: Final = 2000
"""Jobs in the queues, such as those of workers that `rq suspend` has paused."""
_RECALL: Final = Script.load("recall.lua", room="workers.threads")
_MOST_REPORTED: Final = 1000
"""Games that can't be read of which this process knows that it has logged them."""

logger = structlog.get_logger("workers.threads.reconciler")


class Reconciler(PeriodicTask):
    def __init__(self, services: Services) -> None:
        super().__init__(services, "reconciler", _PAUSE_S)
        self._setbacks = 0
        self._reported: dict[str, str] = {}
        """Games that can't be read, and why, as they were logged."""

    def run_once(self) -> int:
        """Enqueue a job for every game that is due now; returns the number of games."""
        self._recall()
        due, turns, bots, analyses = self._find_due("due", "turns", "bots", "analyses")
        count = 0
        for game in self._claim(due, _LEASE_MS, _LIMIT) if due else ():
            self.look_at(game)
            count += 1
        if analyses and not (turns or bots or self._count_queued()):
            for game in self._claim(analyses, _LEASE_MS, 1):
                self._services.reactions.enqueue_analysis(game)
                count += 1
        return count

    def _has_room(self) -> bool:
        return self._count_queued() < _QUEUED_AT_MOST

    def _count_queued(self) -> int:
        """The number of jobs that wait. Raises QueueUnavailable; redis-py's errors where the queue is in the store."""
        try:
            return self._services.count_queued()
        except STORE_ERRORS as error:
            if not self._services.settings.queue_url:
                raise
            raise QueueUnavailable("the job queue can't be reached") from error

    def look_at(self, name: str) -> None:
        """Enqueue the job that the game waits for, or note when it must be looked at again."""
        services = self._services
        try:
            loaded = services.games.load(name)
        except NoSuchGame:
            if services.store.forget_missing(name):
                logger.error("a due game doesn't exist, and is removed from its list", game=name)
            return
        except CorruptLog as error:  # the other games are still served
            self._report(name, str(error))
            return
        self._reported.pop(name, None)
        game, waiting = loaded.game, waiting_for(loaded.game)
        due_at = services.clock.passes_at(waiting.until) if waiting and waiting.until is not None else None
        has_timed_out = due_at is not None and services.clock.now_ms() >= due_at
        if waiting and (has_timed_out or waiting.reason is WaitingFor.SCORING):
            if self._has_room():
                services.reactions.enqueue(game, waiting)
        elif not waiting or waiting.reason is not WaitingFor.BOT:
            self._look_at_orders(loaded, due_at)

    def _report(self, name: str, reason: str) -> None:
        """Log that a game can't be read: once, not at each look at it."""
        if self._reported.get(name) == reason:
            return
        if len(self._reported) >= _MOST_REPORTED:
            self._reported.clear()
        self._reported[name] = reason
        logger.error("a due game can't be read", game=name, reason=reason)

    def _look_at_orders(self, loaded: LoadedGame, due_at: int | None) -> None:
        """Let orders play that may, else look at the game when they may begin, or when its turn times out, or never."""
        services, game = self._services, loaded.game
        if services.orders.may_end_turn(game):
            now = services.clock.now_ms()
            due_at = services.reactions.orders_due_at(game, now)
            if now >= due_at:
                if self._has_room():
                    services.reactions.enqueue_orders(game)
                return
        services.store.set_due(game.id, game.version, loaded.hash, due_at)

    def _recall(self) -> None:
        """Look at every game once after the store's clock was set back: they are due by a clock that was ahead."""
        clock, store = self._services.clock, self._services.store
        setbacks = clock.setbacks
        if setbacks == self._setbacks:
            return
        now = clock.now_ms()
        keys = [key for kind in ("due", "turns", "bots", "analyses") for key in store.shard_keys(kind)]
        store.call_each(*((_RECALL, [key], now) for key in keys))
        self._setbacks = setbacks
