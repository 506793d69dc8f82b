"""Wakes whatever is due and not done. The due lists are written by the append itself, so nothing can be missing.

Jobs may be lost on the way (a process dies between append and enqueue, a worker in the middle of a job); here each
game that should have gone on is found again, and a worker is called for it, until it has.
"""

import time
from typing import Final

import structlog

from domain.waiting import waiting_for
from service.bootstrap import Services
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.heartbeat import send_heartbeat
from workers.periodic import PeriodicTask

_TICK_S = 0.25
_LEASE_MS = 2000
"""A game handed to the queue is looked at again after this time, if it still waits."""
_AT_ONCE: Final = 200

logger = structlog.get_logger("workers.reconciler")


class Reconciler(PeriodicTask):
    """Looks through the due lists every quarter of a second, and shows that this worker is alive."""

    def __init__(self, services: Services) -> None:
        """Starts with `start`."""
        super().__init__(services, "reconciler", _TICK_S)
        self._shown = 0.0

    def run_once(self) -> int:
        """Call a worker for every game that is due now; returns how many were."""
        if time.monotonic() - self._shown > 1:
            send_heartbeat(self._services.store)
            self._shown = time.monotonic()
        woken = 0
        for due in self._services.store.shard_keys("due"):
            for game in self._due(due, _LEASE_MS, _AT_ONCE):
                self._wake(game)
                woken += 1
        return woken

    def _wake(self, name: str) -> None:
        try:
            game = self._services.games.load(name).game
        except NoSuchGame:
            logger.error("a game is due that does not exist", game=name)
            return
        except CorruptLog as error:  # of this game: the others go on
            logger.error("a game is due that can't be read", game=name, reason=str(error))
            return
        if waiting := waiting_for(game):
            self._services.reactions.enqueue(game, waiting)
