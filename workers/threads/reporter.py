"""The reporter: sends the heartbeat of a worker or of post, and reports its counts, once a second.

A thread that does nothing else: it is as punctual while a thousand games wait as while none does.
"""

import os
import socket
import time
from contextlib import suppress
from math import inf
from typing import Final

from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.health.heartbeat import POST, WORKER, send_heartbeat
from service.status import report
from workers.counts import COUNTS, Counts
from workers.threads.periodic import PeriodicTask

_PAUSE_S: Final = 1.0


class Reporter(PeriodicTask):
    """Reports also how long the report took, which is a durable write."""

    def __init__(self, services: Services, counts: Counts = COUNTS, *, is_worker: bool = True) -> None:
        """`is_worker`: else the process is post. Begins with `start`."""
        super().__init__(services, "reporter", _PAUSE_S)
        self._counts = counts
        self._worker = f"{socket.gethostname()}-{os.getpid()}" if is_worker else ""

    def stop(self) -> None:
        """End the thread, and report what was counted since its last report."""
        super().stop()
        with suppress(*STORE_ERRORS):
            self.run_once()

    def run_once(self) -> int:
        """Report; while the store is unavailable the counts are kept."""
        taken = self._counts.take()
        try:
            if not self._stop.is_set():
                send_heartbeat(self._services.store, WORKER if self._worker else POST)
            began = time.perf_counter()
            if silent_ms := report(self._services.store.client, self._worker, taken):
                self._services.clock.note_outage(silent_ms)
                report(self._services.store.client, self._worker, taken, inf)
        except (*STORE_ERRORS, StoreUnavailable):
            self._counts.put_back(taken)
            raise
        self._counts.observe("reibach_store_write_seconds", seconds=time.perf_counter() - began)
        return len(taken)
