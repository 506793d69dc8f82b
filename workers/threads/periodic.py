"""Periodic tasks: what a worker repeats at intervals, each task in a thread of its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from typing import Final

import structlog

from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.errors import StoreUnavailable
from service.gamelog.waiting_lists import is_mark
from service.runtime.periodic import Periodic
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


_OUTAGES: Final = {
    QueueUnavailable: "the job queue",
    StoreUnavailable: "the store",
    **dict.fromkeys(STORE_ERRORS, "the store"),
}


class PeriodicTask(Periodic, ABC):
    """Calls `run_once` in a thread, with a pause after each call."""

    def __init__(self, services: Services, name: str, pause_s: float) -> None:
        """`name`: of the thread, which begins with `start`."""
        count = partial(COUNTS.add, "reibach_task_faults", name)
        super().__init__(name, self.run_once, pause_s, outages=_OUTAGES, on_fault=count)
        self._services = services

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
                logger.error("an entry of a due list is no game's name, and is removed", task=self.name)
        return names
