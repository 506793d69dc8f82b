"""When a player last acted, on any web process of this machine: work that can wait gives way to requests that follow.

The clock is 8 bytes of memory that the processes share. A torn or lost value delays a wake-up by milliseconds.
"""

import mmap
import os
import struct
import time
from pathlib import Path
from typing import Final

_MOMENT: Final = struct.Struct("<q")
"""Nanoseconds of the machine's monotonic clock, which all of its processes read alike."""


class ActivityClock:
    """Measures the time since the last action."""

    def __init__(self, path: Path | None = None) -> None:
        """`path`: the file that the processes share; None for this process alone."""
        if path is None:
            self._memory = mmap.mmap(-1, _MOMENT.size)
            return
        with path.open("a+b") as file:
            os.truncate(file.fileno(), _MOMENT.size)
            self._memory = mmap.mmap(file.fileno(), _MOMENT.size)

    def mark(self) -> None:
        """Note that an action arrives now."""
        _MOMENT.pack_into(self._memory, 0, time.monotonic_ns())

    def seconds_since(self) -> float:
        """Seconds since the last action; since the machine's start where there was none."""
        (moment,) = _MOMENT.unpack_from(self._memory)
        return float((time.monotonic_ns() - moment) / 1e9)
