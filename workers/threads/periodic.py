"""Periodic tasks: what a worker repeats at intervals, each task in a thread of its own."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

import structlog

from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.errors import StoreUnavailable
from service.gamelog.store.waiting_lists import is_mark
from service.runtime.guards.threads import FaultLog
from workers.counts import COUNTS

_CLAIM: Final = """
-- KEYS 1 games by the time at which they are due   ARGV 1 now  2 end of the lease (both ms since 1970)  3 most games
-- Reading and postponing are one step: no two workers claim the same game.
local games = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(games) do
  redis.call('ZADD', KEYS[1], 'XX', ARGV[2], game)
end
return games
"""

logger = structlog.get_logger("workers.threads.periodic")


class QueueUnavailable(Exception):
    """The server of the job queue can't be reached, or refuses the command; its cause says why."""


def describe_outage(error: BaseException | None) -> str:
    """Why the store is unavailable: that its disk is full, if it says so, or the kind of error, without any address."""
    kind = type(error).__name__
    while error is not None:
        if "No space left" in str(error):  # as in MISCONF, the store's answer to a write while its disk is full
            return "no space left on the store's disk"
        if "NOREPLICAS" in str(error):  # so the supervisor has an embedded store refuse writes before that
            return "the store takes no writes: too little space on its disk, or too few replicas"
        error = error.__cause__
    return kind


class PeriodicTask(ABC):
    """Calls `run_once` in a thread, with a pause after each call. It survives a store that is unavailable, and faults.

    Nothing would report a thread that ended with a fault: its process goes on, and looks alive.
    """

    def __init__(self, services: Services, name: str, pause_s: float) -> None:
        """`name`: of the thread, which begins with `start`."""
        self._services = services
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._faults = FaultLog(name)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and wait until it has finished the game that it is working on."""
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def run_once(self) -> int:
        """Do what is due; returns the number of games.

        Raises StoreUnavailable, QueueUnavailable and redis-py's errors, of the store.
        """

    def _find_due(self, *kinds: str) -> list[list[str]]:
        """The lists with games that are due, for each kind (`due`, `bots` or `quiet`): one round trip for all shards.

        The list in which a game has waited for longest comes first.
        """
        store, now = self._services.store, self._services.outside.clock()
        look = store.client.pipeline(transaction=False)
        for kind in kinds:
            for key in store.shard_keys(kind):
                look.zrangebyscore(key, "-inf", now, start=0, num=1, withscores=True)
        firsts = iter(look.execute())
        found = []
        for kind in kinds:
            due = [(first[0][1], key) for key, first in zip(store.shard_keys(kind), firsts, strict=False) if first]
            found.append([key for _, key in sorted(due)])
        return found

    def _claim(self, keys: Sequence[str], lease_ms: int, limit: int) -> Iterator[str]:
        """Claim games that are due, at most `limit` of each list.

        No other worker gets a claimed game for `lease_ms`. Each list costs a round trip, just before its games are
        needed.
        """
        store, now = self._services.store, self._services.outside.clock()
        for key in keys:
            yield from self._read_names(key, store.client.eval(_CLAIM, 1, key, now, now + lease_ms, limit))

    def _claim_few(self, keys: Sequence[str], lease_ms: int, most: int) -> list[str]:
        """Claim so many games that are due, at most, about as many of each list: one round trip, and one sync."""
        each, now = ceil(most / len(keys)), self._services.outside.clock()
        claim = self._services.store.client.pipeline(transaction=False)
        for place, key in enumerate(keys):
            if (room := min(each, most - place * each)) > 0:
                claim.execute_command("EVAL", _CLAIM, 1, key, now, now + lease_ms, room)
        found = zip(keys, claim.execute(), strict=False)
        return [game for key, games in found for game in self._read_names(key, games)]

    def _read_names(self, key: str, found: Sequence[bytes]) -> list[str]:
        """The names of games in a list. What is none is removed from it, as it would come again and again."""
        names = []
        for entry in found:
            name = entry.decode(errors="replace")
            if name.encode() == entry and not is_mark(name):
                names.append(name)
            else:  # also a list's mark, to which a worker of an older release gave a time: then the list is rebuilt
                self._services.store.client.zrem(key, entry)
                logger.error("an entry of a due list is no game's name, and is removed", task=self._thread.name)
        return names

    def _run(self) -> None:
        away = ""
        while not self._stop.is_set():
            try:
                self.run_once()
            except QueueUnavailable as error:
                away = self._note_outage(away, "the job queue", error.__cause__)
            except (*STORE_ERRORS, StoreUnavailable) as error:
                away = self._note_outage(away, "the store", error)
            except Exception as error:  # noqa: BLE001 - a fault of this service
                self._faults.note(error)
                COUNTS.add("reibach_task_faults", self._thread.name)
            else:
                if away:
                    line = f"{away} is available again"
                    logger.warning(line, task=self._thread.name)
                away = ""
            self._stop.wait(self._pause_s)

    def _note_outage(self, before: str, what: str, error: BaseException | None) -> str:
        """Log that something is away, unless it was `before`: once an outage, however often it is tried."""
        if what != before:
            line = f"{what} is unavailable"
            logger.warning(line, task=self._thread.name, reason=describe_outage(error))
        return what
