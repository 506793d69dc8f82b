"""The disk of the embedded store: while it has hardly any space left the server refuses writes, and answers reads.

Rule 1: a write that finds no space ends the server, since an acknowledged one must be on disk; read on, it would be
started and ended again by the next write. So writes are refused before that, and allowed again when there is room.
Rule 2: what the server writes by itself, about keys that have expired, needs little. Where the disk has nothing left, a
reserve that this process keeps is freed for it.
Rule 3: a rewrite of the log fills the disk faster than rule 1 looks, so none is begun without room for all of it.
"""

import logging
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.runtime.embedded import EmbeddedStore, StoreError

LEAST: Final = 4 * 1024 * 1024
"""Bytes of free space below which writes are refused: more than is written between two looks."""
ENOUGH: Final = 6 * 1024 * 1024
"""Bytes above which they are allowed again."""
RESERVE: Final = 1024 * 1024
NOTHING: Final = 64 * 1024
"""Bytes below which the reserve is needed."""
LOOK_EVERY: Final = 0.5
"""Seconds."""
_SETTING: Final = "min-replicas-to-write"
"""A server that has none refuses every write with it, also those of scripts, and no read."""
_REWRITES: Final = "auto-aof-rewrite-percentage"
_REWRITES_AT: Final = "100"
"""The server's default; 0: it begins none by itself."""

logger = logging.getLogger(__name__)


class DiskGuard:
    """Starts the server of an embedded store, and looks after its disk."""

    def __init__(self, store: EmbeddedStore) -> None:
        self._store = store
        self._reserve = store.data / "reserve"
        self.is_full = False
        self._set: dict[str, str] = {}

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server; on a disk that is full one that refuses writes, but no new one. Raises StoreError."""
        if not self._store.has_files() and shutil.disk_usage(self._store.data).free < LEAST:
            raise StoreError(f"a new store needs {LEAST // 2**20} MiB: the disk of {self._store.data} has less left")
        free = self._judge()
        if free is not None and free < NOTHING:
            with suppress(OSError):
                self._reserve.unlink()
        self._set = {_SETTING: "1" if self.is_full else "0", _REWRITES: _REWRITES_AT}
        return self._store.launch({_SETTING: "1"} if self.is_full else {})

    def look(self) -> None:
        """Look at the disk, and have the server refuse or allow writes, and rewrites of its log.

        Also at what it has logged at its start.
        """
        self._store.note_start()
        free = self._judge()
        self._configure(_SETTING, "1" if self.is_full else "0")
        if free is not None:
            left = free - self._store.rewritten_size()
            has_room = left >= (LEAST if self._set.get(_REWRITES) == _REWRITES_AT else ENOUGH)
            self._configure(_REWRITES, _REWRITES_AT if has_room else "0")
        if not self.is_full and free is not None and free > ENOUGH + RESERVE and not self._reserve.exists():
            _write_reserve(self._reserve)

    def _configure(self, name: str, value: str) -> None:
        if self._set.get(name) != value and self._store.configure(name, value):
            self._set[name] = value

    def _judge(self) -> int | None:
        """The free space in bytes; None where it can't be known."""
        try:
            free = shutil.disk_usage(self._store.data).free
        except OSError:
            return None
        was_full, self.is_full = self.is_full, free < (ENOUGH if self.is_full else LEAST)
        if self.is_full and not was_full:
            logger.warning("hardly any space left on the disk of %s: games can be read, not played", self._store.data)
        elif was_full and not self.is_full:
            logger.warning("the disk of %s has room again", self._store.data)
        return free


def _write_reserve(path: Path) -> None:
    """A file that takes space which no other one can have. Where that fails there is none."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return
    try:
        os.posix_fallocate(descriptor, 0, RESERVE)
    except (OSError, AttributeError):  # macOS has no such call
        with suppress(OSError):
            os.write(descriptor, bytes(RESERVE))
    finally:
        os.close(descriptor)
