"""Rate limits: how many requests a second one client may make, counted by all web processes of a machine together."""

import mmap
import os
import struct
import time
from pathlib import Path
from zlib import crc32

from flask import Flask, request

from domain.words.refusals.sentences import Sentence
from service.api.protocol.problems import Problem
from service.runtime.shared import shared_folder

_UNCOUNTED = frozenset({"/healthz", "/readyz", "/metrics"})
_SLOT = struct.Struct("=II")
_SLOTS = 1 << 16
_WORD = 0xFFFFFFFF


class RateLimiter:
    """Counts requests by client, in memory that the web processes share.

    A client has a slot, found by hash: the second of its last request, and the number of requests in that second.
    Two clients may share a slot, and two processes that count at once may lose a request. Both are too rare to matter.
    """

    def __init__(self, limit: int, path: Path | None) -> None:
        """`limit`: requests a second and client; `path`: the shared file, None for this process alone."""
        self._limit = limit
        size = _SLOTS * _SLOT.size
        if path is None:
            self._slots = mmap.mmap(-1, size)
            return
        with path.open("a+b") as file:
            os.truncate(file.fileno(), size)
            self._slots = mmap.mmap(file.fileno(), size)

    def allow(self, client: str, second: int) -> bool:
        """Count a request; False if it is above the limit."""
        place = crc32(client.encode()) % _SLOTS * _SLOT.size
        last, count = _SLOT.unpack_from(self._slots, place)
        count = count + 1 if last == second & _WORD else 1
        _SLOT.pack_into(self._slots, place, second & _WORD, count & _WORD)
        return bool(count <= self._limit)


def register(app: Flask, per_second: int) -> None:
    """Refuse a client's requests above the limit; 0: there is none."""
    if not per_second:
        return
    folder = shared_folder()
    limiter = RateLimiter(per_second, folder / "requests" if folder else None)

    @app.before_request
    def count() -> None:
        if request.path not in _UNCOUNTED and not limiter.allow(request.remote_addr or "", int(time.time())):
            raise Problem("too-many-requests", Sentence("too-many-requests"), headers={"Retry-After": "1"})
