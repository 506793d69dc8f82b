"""The workers' heartbeat, a key that each worker renews every second and that expires after 5 s; its readers."""

import threading
import time
from collections.abc import Callable
from math import inf
from typing import Final

from service.gamelog.errors import StoreUnavailable
from service.gamelog.store.streams import Store

_KEY = "reibach:worker"
_EXPIRES_MS = 5000
_KEEP_READY_S: Final = 1.0
_KEEP_OTHER_S: Final = 0.1
"""Shorter: a service that is starting is ready soon."""


def send_heartbeat(store: Store) -> None:
    """Renew the heartbeat; a worker calls this about every second."""
    store.client.set(_KEY, 1, px=_EXPIRES_MS)


def is_worker_alive(store: Store) -> bool:
    """Whether any worker has sent a heartbeat in the last 5 seconds. Raises StoreUnavailable."""
    return bool(store.with_retries(lambda: store.client.exists(_KEY)))


class Readiness:
    """Whether games can be played. An answer is kept for a moment: it costs a durable write. Safe for threads."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds."""
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._status = ""
        self._until = -inf

    def status(self) -> str:
        """`ready`, `no-store` (it can't be reached or written) or `no-worker`."""
        with self._lock:
            if self._clock() >= self._until:
                self._status = self._ask()
                self._until = self._clock() + (_KEEP_READY_S if self._status == "ready" else _KEEP_OTHER_S)
            return self._status

    def _ask(self) -> str:
        try:
            self._store.check_writable()
            return "ready" if is_worker_alive(self._store) else "no-worker"
        except StoreUnavailable:
            return "no-store"
