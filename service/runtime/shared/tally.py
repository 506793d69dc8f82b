"""How many things of a kind each client holds, counted over all web processes of a machine.

Each process has a file of its own, with a number for each thing that one of its clients holds. It holds the file's lock
for as long as it runs, so a process that dies takes its counts with it: the others leave out a file that isn't locked,
and the next process that starts takes it over.
"""

import fcntl
import mmap
import os
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from service.runtime.shared.folder import is_locked

_FREE: Final = 0
"""In the place of a client's number."""
_BYTES: Final = 8


class SharedTally:
    """Counts by client. Safe for threads and processes: one at a time counts and adds."""

    def __init__(self, size: int, folder: Path | None, name: str) -> None:
        """`size`: things that this process can hold at once; `folder`: the shared one, None for this process alone."""
        self._lock = threading.Lock()
        self._folder, self._name = folder, name
        self._path: Path | None = None
        self._file = self._turn = -1
        if folder is not None:
            self._path, self._file = _claim_file(folder, name)
            self._turn = os.open(folder / f"{name}.turn", os.O_CREAT | os.O_RDWR, 0o600)
            os.truncate(self._file, 0)  # what a process that has ended held
            os.truncate(self._file, size * _BYTES)
        self._memory = mmap.mmap(self._file, size * _BYTES)
        self._held = memoryview(self._memory).cast("Q")
        self._free = list(range(size))

    def add(self, client: int, most: int) -> int | None:
        """Count one more for the client, a number of 64 bits; None if it holds `most` already, or nothing is free.

        The answer is what `remove` needs.
        """
        client = client or 1  # 0 is a free place
        with self._lock, self._turn_of_process():
            own = array("Q", self._memory[:]).count(client)
            if not self._free or own + self._count_in_other_processes(client) >= most:
                return None
            place = self._free.pop()
            self._held[place] = client
            return place

    def remove(self, place: int) -> None:
        """Count one less."""
        with self._lock:
            self._held[place] = _FREE
            self._free.append(place)

    @contextmanager
    def _turn_of_process(self) -> Iterator[None]:
        if self._turn < 0:
            yield
            return
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)

    def _count_in_other_processes(self, client: int) -> int:
        if self._folder is None:
            return 0
        files = [path for path in self._folder.glob(f"{self._name}-*") if path != self._path]
        return sum(array("Q", path.read_bytes()).count(client) for path in files if is_locked(path))


def _claim_file(folder: Path, name: str) -> tuple[Path, int]:
    """The first file that no running process holds, and its descriptor, which holds the lock."""
    for number in count():
        path = folder / f"{name}-{number}"
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        return path, file
    raise AssertionError("count() has no end")
