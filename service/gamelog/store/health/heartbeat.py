"""The heartbeats of the workers and of post: keys that are renewed every second and expire after 5 s; their readers."""

import threading
import time
from collections.abc import Callable
from math import inf
from typing import Final

from service.gamelog.errors import StoreUnavailable
from service.gamelog.store.scripts import STORE_ERRORS
from service.gamelog.store.streams import Store

WORKER: Final = "reibach:worker"
POST: Final = "reibach:post"
_EXPIRES_MS = 5000
_KEEP_READY_S: Final = 1.0
_KEEP_OTHER_S: Final = 0.1
"""Shorter: a service that is starting is ready soon."""


def send_heartbeat(store: Store, key: str = WORKER) -> None:
    """Renew the heartbeat of that key; a process calls this about every second."""
    store.client.set(key, 1, px=_EXPIRES_MS)


def find_alive(store: Store) -> tuple[bool, bool]:
    """Whether any worker, and any post process, has sent a heartbeat in the last 5 seconds. Raises StoreUnavailable."""

    def look() -> list[int]:
        pipeline = store.client.pipeline(transaction=False)
        for key in (WORKER, POST):
            pipeline.exists(key)
        return list(pipeline.execute())

    worker, post = store.with_retries(look)
    return bool(worker), bool(post)


class Readiness:
    """Whether games can be played. An answer is kept for a moment: it costs a durable write. Safe for threads."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds."""
        self._store = store
        self._clock = clock
        self._asking = threading.Lock()
        self._status = ""
        self._has_post = False
        self._until = -inf

    def status(self) -> str:
        """`ready`, `no-store` (it can't be reached or written) or `no-worker`.

        While one thread asks, the others get the last answer: a store that hangs holds up none of them.
        """
        if self._clock() >= self._until and self._asking.acquire(blocking=not self._status):
            try:
                if self._clock() >= self._until:
                    self._status = self._ask()
                    self._until = self._clock() + (_KEEP_READY_S if self._status == "ready" else _KEEP_OTHER_S)
            finally:
                self._asking.release()
        return self._status

    def has_post(self) -> bool:
        """Whether notices are sent, as far as the store can be asked; games can be played without it."""
        return self.status() == "no-store" or self._has_post

    def _ask(self) -> str:
        try:
            self._store.check_writable()
            has_worker, self._has_post = find_alive(self._store)
        except (StoreUnavailable, *STORE_ERRORS):
            return "no-store"
        return "ready" if has_worker else "no-worker"
