"""Periodic tasks: what a worker repeats at intervals, each task in a thread of its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Final

import structlog

from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.leases import claim, find_due
from service.runtime.periodic import Periodic
from workers.counts import COUNTS

logger = structlog.get_logger("workers.threads.periodic")


class QueueUnavailable(Exception):
    """The server of the job queue can't be reached, or refuses the command; its cause says why."""


_OUTAGES: Final = {
    QueueUnavailable: "the job queue",
    StoreUnavailable: "the store",
    **dict.fromkeys(STORE_ERRORS, "the store"),
}


def make_periodic(name: str, call: Callable[[], object], pause_s: float) -> Periodic:
    """A call that a thread of this name repeats, and whose faults are counted. Begins with `start`."""
    return Periodic(name, call, pause_s, outages=_OUTAGES, on_fault=partial(COUNTS.add, "reibach_task_faults", name))


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
        lists = [store.shard_keys(kind) for kind in kinds]
        due = find_due(store, [key for keys in lists for key in keys], now)
        return [[key for key in due if key in keys] for keys in lists]

    def _claim(self, keys: Sequence[str], lease_ms: int, most: int) -> list[str]:
        """The names of at most so many games that are due, about as many of each list: one round trip, and one sync.

        No other worker gets a claimed game for `lease_ms`. What is no game's name is removed: it would come again.
        """
        each = ceil(most / len(keys))
        rooms = {key: min(each, most - place * each) for place, key in enumerate(keys)}
        limits = {key: room for key, room in rooms.items() if room > 0}
        names, store = [], self._services.store
        for key, entry, _ in claim(store, limits, self._services.outside.clock(), lease_ms):
            name = entry.decode(errors="replace")
            if name.encode() == entry:
                names.append(name)
            else:
                store.client.zrem(key, entry)
                logger.error("an entry of a due list is no game's name, and is removed", task=self.name)
        return names
