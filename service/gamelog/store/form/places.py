"""Archives as files in a folder that all machines of a deployment share.

A file is complete before it has its name, is on disk when `write` returns, and is never changed. It is deleted when
a later archive of its game has taken its place, and by an operator, with its game or with a person's words in it.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from service.gamelog.store.errors import CorruptLog

_STALE_S: Final = 3600
"""Age at which an unfinished file must be that of a process that crashed."""


class ArchiveFilesUnavailable(Exception):
    """The place can't be reached or written; the message holds no address and no secret."""


class ArchiveFiles:
    def __init__(self, path: Path) -> None:
        """The folder is created with its first file."""
        self._path = path

    def write(self, name: str, value: bytes) -> None:
        """Keep a file. A file of that name may exist, with the same value. Raises ArchiveFilesUnavailable."""
        with _translated_errors():
            unfinished = self._path / "unfinished"
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished.mkdir(mode=0o700, exist_ok=True)
            self._remove_stale(unfinished)
            draft = unfinished / f"{name}.{secrets.token_hex(8)}"
            with open(draft, "xb", opener=open_private) as file:  # Path.open has no opener
                file.write(value)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path / name)
            folder = os.open(self._path, os.O_RDONLY)
            try:
                os.fsync(folder)  # or a power failure could lose the name
            finally:
                os.close(folder)

    def read(self, name: str) -> bytes:
        """The content of the file. Raises CorruptLog if there is none, and ArchiveFilesUnavailable."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            if not os.access(self._path, os.R_OK | os.X_OK):  # perhaps not mounted: the file may be intact
                raise ArchiveFilesUnavailable(f"the archive folder can't be read ({type(error).__name__})") from error
            raise CorruptLog(f"the archive of a game can't be read ({type(error).__name__})") from error

    def names(self, prefix: str) -> list[str]:
        """Those of files that begin so, also of unfinished ones. Raises ArchiveFilesUnavailable."""
        with _translated_errors():
            folders = [(self._path, ""), (self._path / "unfinished", "unfinished/")]
            return [
                within + file.name
                for folder, within in folders
                if folder.exists()
                for file in os.scandir(folder)
                if file.name.startswith(prefix)
            ]

    def delete(self, name: str) -> None:
        """Delete the file, if there is one. Raises ArchiveFilesUnavailable."""
        with _translated_errors():
            (self._path / name).unlink(missing_ok=True)

    @staticmethod
    def _remove_stale(unfinished: Path) -> None:
        """Delete the unfinished files of writers that crashed."""
        for draft in unfinished.iterdir():
            try:
                if draft.stat().st_mtime < time.time() - _STALE_S:
                    draft.unlink()
            except FileNotFoundError:
                continue  # renamed by its writer, or deleted by another process


def open_private(path: str, flags: int) -> int:
    """An opener of files that only their owner may read: games may be unlisted, and an id lets one watch a game."""
    return os.open(path, flags, 0o600)


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise ArchiveFilesUnavailable in place of OSError."""
    try:
        yield
    except OSError as error:
        raise ArchiveFilesUnavailable(f"the archive files can't be reached ({type(error).__name__})") from error
