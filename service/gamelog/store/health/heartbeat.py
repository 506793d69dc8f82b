"""The heartbeats of the workers and of post: keys that are renewed every second and expire after 5 s; their readers."""

import threading
import time
from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.keys import SET_BACK
from service.gamelog.store.streams import Store

WORKER: Final = "reibach:worker"
POST: Final = "reibach:post"
_EXPIRES_MS = 5000
_UNASKABLE: Final = ("no-store", "wrong-store")
_KEEP_READY_S: Final = 1.0
_KEEP_OTHER_S: Final = 0.1
"""Shorter: a service that is starting is ready soon."""


def send_heartbeat(store: Store, key: str) -> None:
    """Renew the heartbeat of that key; a process calls this about every second."""
    store.client.set(key, 1, px=_EXPIRES_MS)


class Alive(NamedTuple):
    """What has been reported in the last 5 seconds."""

    worker: bool
    post: bool
    was_set_back: bool = False
    """Whether a process has found within the last day that revocations or erasures were lost."""


def find_alive(store: Store) -> Alive:
    """What the processes of all machines have reported: one round trip. Raises StoreUnavailable."""
    return Alive(*map(bool, store.call_each(*(("EXISTS", key) for key in (WORKER, POST, SET_BACK)))))


class Readiness:
    """Whether games can be played. An answer is kept for a moment: it costs a durable write. Safe for threads."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.monotonic,
        is_wrong_store: Callable[[], bool] = lambda: False,
    ) -> None:
        """`clock`: seconds. `is_wrong_store`: whether this process knows that the store isn't the deployment's."""
        self._is_wrong_store = is_wrong_store
        self._store = store
        self._clock = clock
        self._asking = threading.Lock()
        self._status = ""
        self._alive = Alive(worker=False, post=False)
        self._has_replicas = True
        self._until = -inf

    def status(self) -> str:
        """`ready`, `no-store` (it can't be reached or written), `wrong-store` (not the deployment's) or `no-worker`.

        `no-store` also where `check_replicas` has found too few. While one thread asks, the others get the last
        answer: a store that hangs holds up none of them.
        """
        if self._is_wrong_store():
            return "wrong-store"
        if self._clock() >= self._until and self._asking.acquire(blocking=not self._status):
            try:
                if self._clock() >= self._until:
                    self._status = self._ask()
                    self._until = self._clock() + (_KEEP_READY_S if self._status == "ready" else _KEEP_OTHER_S)
            finally:
                self._asking.release()
        return self._status

    def check_replicas(self) -> None:
        """Look whether writes reach enough replicas; until the next look `status` says so.

        It may take seconds, so no request does it. Raises StoreUnavailable, or one of STORE_ERRORS, where they don't.
        """
        has_replicas = False
        try:
            self._store.check_replicas()
            has_replicas = True
        finally:
            self._has_replicas = has_replicas

    def has_post(self) -> bool:
        """Whether notices are sent, as far as the store can be asked; games can be played without it."""
        return self.status() in _UNASKABLE or self._alive.post

    def was_set_back(self) -> bool:
        """Whether the store has lost revocations or erasures, as far as it can be asked."""
        return self.status() not in _UNASKABLE and self._alive.was_set_back

    def _ask(self) -> str:
        if not self._has_replicas:
            return "no-store"
        try:
            self._store.check_writable()
            self._alive = find_alive(self._store)
        except (StoreUnavailable, *STORE_ERRORS):
            return "no-store"
        return "ready" if self._alive.worker else "no-worker"
