"""The reconciler: enqueues a job for every game that is due and still waits.

Jobs may be lost: a process crashes between append and enqueue, or a worker in the middle of a job. The due lists are
written by the appends themselves, so every game that waits for a worker is found here, again and again until it
no longer waits.

Rule: games with people come first. A turn of a game that only bots play is queued when hardly anything else is: so a
turn of another game, whatever waits in the lists, finds a short queue.
"""

import time
from math import ceil
from typing import Final

import structlog

from domain.waiting import waiting_for
from service.bootstrap import Services
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.store.heartbeat import send_heartbeat
from workers.periodic import PeriodicTask

_PAUSE_S: Final = 0.25
_LEASE_MS: Final = 2000
"""A game whose job was enqueued is looked at again after this time, if it still waits."""
_LIMIT: Final = 50
"""Games with people of a shard in one round. Each is loaded, by the processor that also runs the jobs."""
_QUEUED_AT_MOST: Final = 25
"""Jobs in the queue up to which turns of bot-only games are added: about a quarter of a second's work of a worker."""
_HEARTBEAT_S: Final = 1.0

logger = structlog.get_logger("workers.reconciler")


class Reconciler(PeriodicTask):
    """Reads the due lists four times a second, and sends the worker's heartbeat."""

    def __init__(self, services: Services) -> None:
        """Begins with `start`."""
        super().__init__(services, "reconciler", _PAUSE_S)
        self._last_heartbeat = 0.0

    def run_once(self) -> int:
        """Enqueue a job for every game that is due now; returns the number of games."""
        if time.monotonic() - self._last_heartbeat > _HEARTBEAT_S:
            send_heartbeat(self._services.store)
            self._last_heartbeat = time.monotonic()
        due, bots = self._find_due("due", "bots")
        count = 0
        for game in self._claim(due, _LEASE_MS, _LIMIT):
            self._enqueue(game)
            count += 1
        if bots:
            # At least one: a queue that stays long must not stop these games.
            most = max(1, _QUEUED_AT_MOST - self._services.count_queued())
            for game in self._claim(bots, _LEASE_MS, ceil(most / len(bots)), most):
                self._enqueue(game)
                count += 1
        return count

    def _enqueue(self, name: str) -> None:
        try:
            game = self._services.games.load(name).game
        except NoSuchGame:
            logger.error("a due game doesn't exist", game=name)
            return
        except CorruptLog as error:  # the other games are still served
            logger.error("a due game can't be read", game=name, reason=str(error))
            return
        if waiting := waiting_for(game):
            self._services.reactions.enqueue(game, waiting)
