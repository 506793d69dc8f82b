"""How the whole deployment is: what its workers have counted, what waits, and the state of the store.

Workers have no port of their own. Each adds its counts to one hash in the store, once a second, so that any web process
can show those of all machines. A lost answer may count a second twice; a crash loses the last one.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import Any, Final

from service.connections.clients import STORE_ERRORS, Client, server_states
from service.connections.scripts import Script, call_each
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.health.heartbeat import POST
from service.gamelog.store.health.memory import memory_limit
from service.gamelog.store.streams import Store
from service.jobs import JobQueues
from service.runtime.clock import now_ms

BUCKETS: Final = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Upper bounds of the workers' histograms, in seconds."""
_KEYS: Final = ("{reibach}:workers", "{reibach}:counts")
LAST_BACKUP: Final = "reibach_last_backup_timestamp_seconds"
"""When the last good one was made, in seconds since 1970. Among the counts, as the next two: it is read with them."""
MAIL_DOWN: Final = "mail_down"
"""1 while the mail server takes no mails."""
HELD: Final = "held"
"""1 in a restored copy until it may send."""
_ALIVE_MS: Final = 5000
"""A worker counts as alive for so long after its last report."""
SILENCE_MS: Final = 600_000
"""An outage that lasts longer has taken time from the turns that ran meanwhile."""
_KEEP_S: Final = 1.0
"""A reading is kept for so long, however many scrapers there are."""
_LAG_S: Final = 5
"""A replica acknowledges what it has once a second."""
_DUE_LISTS: Final = ("due", "turns", "bots")
_OF_POST: Final = ("sending", "retries")

_REPORT: Final = Script.load("status_report.lua", room="service")
_READ: Final = Script.load("status_read.lua", room="service")


@dataclass(frozen=True, slots=True)
class Backlog:
    """Things that wait."""

    count: int
    oldest_s: float
    """Seconds for which the oldest of them has waited; 0 if there is none."""


@dataclass(frozen=True, slots=True)
class StoreNode:
    """A server of the store: the only one, or a primary of a cluster."""

    memory_used: int
    memory_limit: int
    """`maxmemory`, or without one the memory of its machine; bytes."""
    is_writing: bool
    """Whether its last write to its disk succeeded."""
    replicas: int
    """Replicas that follow it, and have been heard of within the last seconds."""


@dataclass(frozen=True, slots=True)
class DeploymentStatus:
    workers: int
    """Worker processes that have reported within the last seconds."""
    has_post: bool
    """Whether a post process has sent a heartbeat within the last seconds."""
    counts: Mapping[str, float]
    """By name and labels, separated by blanks."""
    live: int
    """Games in the archiver's lists: it has neither archived nor deleted them, and will look at them."""
    of_bots: int
    """Running games that only bots play."""
    due: Backlog
    """Games whose time has come, and for which no job has been queued within the last two seconds."""
    notices: Backlog
    """Notices whose time has come, and that no process is sending; of a copy that holds them back, all that wait."""
    nodes: tuple[StoreNode, ...]
    jobs: Backlog | None
    """None where the queue can't be reached."""


def report(client: Client, worker: str, counts: Mapping[str, float], silence_ms: float = SILENCE_MS) -> int:
    """Add counts to the deployment's, and note that the worker is alive: one round trip. Raises redis-py's errors.

    `worker`: empty for a process that is none. Where no worker has reported for more than `silence_ms`, nothing is done
    but to return for how long; else 0.
    """
    added = [word for name, amount in counts.items() for word in (name, amount)]
    (silent_ms,) = call_each(client, (_REPORT, _KEYS, _ALIVE_MS, worker, silence_ms, *added))
    return int(silent_ms)


def is_silent(client: Client, now: int) -> bool:
    """Whether no worker has reported for long, and none has noted it. `now`: the store's time, in ms."""
    last = client.zrange(_KEYS[0], -1, -1, withscores=True)
    return bool(last) and now - last[0][1] > SILENCE_MS


def is_held(client: Client) -> bool:
    """Whether nothing may be sent: the store is a restored copy. Raises redis-py's errors."""
    return bool(client.hget(_KEYS[1], HELD) == b"1")


def note(client: Client, name: str, value: float) -> None:
    """Note LAST_BACKUP, MAIL_DOWN or HELD. Raises redis-py's errors."""
    client.hset(_KEYS[1], name, value)


class StatusReader:
    """Reads the state of the deployment, at most once a second. Safe for threads."""

    def __init__(self, store: Store, jobs: JobQueues | None = None, clock: Callable[[], int] = now_ms) -> None:
        """`jobs`: the queues; None: nothing is known of it. `clock`: milliseconds since 1970, as in the due lists."""
        self._store = store
        self._jobs = jobs
        self._clock = clock
        self._lock = Lock()
        self._status: DeploymentStatus | None = None
        self._until = -inf

    def read(self) -> DeploymentStatus | None:
        """The deployment now or within the last second; None where the store can't be reached.

        Four round trips, whatever the number of games: due lists, counts, the server's state (one for each primary of a
        cluster), the queues.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                try:
                    self._status = self._ask()
                except (*STORE_ERRORS, StoreUnavailable):
                    self._status = None
                self._until = time.monotonic() + _KEEP_S
            return self._status

    def _ask(self) -> DeploymentStatus:
        now, client = self._clock(), self._store.client
        ((workers, counts),) = call_each(client, (_READ, _KEYS, _ALIVE_MS))
        named = {name.decode(): float(amount) for name, amount in zip(counts[::2], counts[1::2], strict=True)}
        lists = [(key, kind) for kind in (*_DUE_LISTS, *_OF_POST) for key in self._store.shard_keys(kind)]
        pipeline = client.pipeline(transaction=False)
        for key, kind in lists:
            pipeline.zcount(key, "-inf", "+inf" if kind in _OF_POST and named.get(HELD) else now)
            pipeline.zrange(key, 0, 0, withscores=True)
        for kind in ("quiet", "bots"):
            for key in self._store.shard_keys(kind):
                pipeline.zcard(key)
        pipeline.exists(POST)
        *replies, has_post = pipeline.execute()
        waiting, sizes = replies[: 2 * len(lists)], replies[2 * len(lists) :]
        live, of_bots = sum(sizes[: self._store.shards]), sum(sizes[self._store.shards :])
        games = 2 * len(_DUE_LISTS) * self._store.shards
        nodes = tuple(map(_node, server_states(client)))
        return DeploymentStatus(
            workers,
            bool(has_post),
            named,
            live,
            of_bots,
            _waiting(waiting[:games], now),
            _waiting(waiting[games:], now),
            nodes,
            self._queued(now),
        )

    def _queued(self, now: int) -> Backlog | None:
        if self._jobs is None:
            return None
        try:
            count, oldest = self._jobs.backlog()
        except STORE_ERRORS:
            return None
        return Backlog(count, 0.0 if oldest is None else max(0.0, now / 1000 - oldest))


def _waiting(replies: list[Any], now: int) -> Backlog:
    """What is due in some lists: of each the number, and its first member with its time in ms."""
    oldest = min((first[0][1] for first in replies[1::2] if first), default=now)
    return Backlog(sum(replies[::2]), max(0.0, (now - oldest) / 1000))


def _node(state: Mapping[str, Any]) -> StoreNode:
    is_writing = state.get("aof_last_write_status", "ok") == "ok"
    replicas = (replica for name, replica in state.items() if name.startswith("slave") and isinstance(replica, Mapping))
    following = sum(replica.get("state") == "online" and int(replica.get("lag", 0)) <= _LAG_S for replica in replicas)
    return StoreNode(state.get("used_memory", 0), memory_limit(state), is_writing, following)
