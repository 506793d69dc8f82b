"""How many requests a second one client may make, counted by all web processes together.

Our own few lines: a count in the store would cost every request a second trip, and the library at hand (`limits`)
started a timer thread for each client and second, which cost about 0.3 ms a request under the profiler.
"""

import mmap
import os
import struct
import time
from pathlib import Path
from zlib import crc32

from flask import Flask, request

from service.api.protocol.problems import Problem
from service.runtime.shared import shared_folder

_UNCOUNTED = frozenset({"/healthz", "/readyz", "/metrics"})
_SLOT = struct.Struct("=II")
_SLOTS = 1 << 16
_WORD = 0xFFFFFFFF


class RequestsOfASecond:
    """Counts requests by client in memory that the web processes share.

    Each client has a slot: the second it last asked in, and how often. Slots are found by hash, so two clients may
    share one; and two processes may count at once and lose one: both are too rare to matter to a limit.
    """

    def __init__(self, limit: int, path: Path | None) -> None:
        """`limit`: how many a client may make in a second; `path`: the shared file, None for this process alone."""
        self._limit = limit
        size = _SLOTS * _SLOT.size
        if path is None:
            self._slots = mmap.mmap(-1, size)
            return
        with path.open("a+b") as file:
            os.truncate(file.fileno(), size)
            self._slots = mmap.mmap(file.fileno(), size)

    def allow(self, client: str, second: int) -> bool:
        """Count one request; False where it is one too many."""
        place = crc32(client.encode()) % _SLOTS * _SLOT.size
        last, count = _SLOT.unpack_from(self._slots, place)
        count = count + 1 if last == second & _WORD else 1
        _SLOT.pack_into(self._slots, place, second & _WORD, count & _WORD)
        return bool(count <= self._limit)


def register(app: Flask, per_second: int) -> None:
    """Refuse a client's requests above the limit; 0: none is refused."""
    if not per_second:
        return
    folder = shared_folder()
    requests = RequestsOfASecond(per_second, folder / "requests" if folder else None)

    @app.before_request
    def count() -> None:
        if request.path not in _UNCOUNTED and not requests.allow(request.remote_addr or "", int(time.time())):
            raise Problem("too-many-requests", "Too many requests a second.", headers={"Retry-After": "1"})
