"""Archives as files: in a folder, or in a bucket of an S3-compatible service.

A file is complete before it has its name, is on disk when `write` returns, and is never changed. It is deleted when
a later archive of its game has taken its place, and by an operator, with its game or with a person's words in it.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeAlias

from service.gamelog.store.errors import CorruptLog
from service.signing.deployment import BadDeployment

_TIMEOUT: Final = timedelta(seconds=5)
"""Timeout of one request to a bucket, retries included: an HTTP request may be waiting for it."""
_STALE_S: Final = 3600
"""Age at which an unfinished file must be that of a process that crashed."""


class ArchiveFilesUnavailable(Exception):
    """The place can't be reached or written; the message holds no address and no secret."""


def open_archive_files(where: str) -> "ArchiveFiles":
    """Open a place by its name: `s3://bucket/prefix`, or the path of a folder. Raises BadDeployment.

    Address, region and credentials of a bucket come from the variables that all S3 programs read: AWS_ENDPOINT_URL,
    AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY.
    """
    return Bucket(where) if "://" in where else Folder(Path(where))


class Folder:
    """Files in a folder that all machines of a deployment share."""

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


class Bucket:
    def __init__(self, url: str) -> None:
        """`url`: s3://bucket/prefix. Raises BadDeployment."""
        from obstore.exceptions import BaseError
        from obstore.store import S3Store

        try:
            self._bucket = S3Store.from_url(
                url,
                # Without TLS only where the operator's own AWS_ENDPOINT_URL says http://.
                client_options={"timeout": _TIMEOUT, "connect_timeout": _TIMEOUT, "allow_http": True},
                retry_config={"max_retries": 2, "retry_timeout": _TIMEOUT},
            )
        except BaseError:
            raise BadDeployment("REIBACH_ARCHIVE_FILES names no bucket, or an AWS_ variable is wrong") from None

    def write(self, name: str, value: bytes) -> None:
        import obstore

        with _translated_errors():
            obstore.put(self._bucket, name, value, use_multipart=False)

    def read(self, name: str) -> bytes:
        import obstore
        from obstore.exceptions import NotFoundError

        with _translated_errors():
            try:
                return bytes(obstore.get(self._bucket, name).bytes())
            except (NotFoundError, FileNotFoundError):
                raise CorruptLog("the archive of a game is missing") from None

    def names(self, prefix: str) -> list[str]:
        import obstore

        names: list[str] = []
        with _translated_errors():
            # Names come in order; obstore's own prefix ends at a slash.
            for page in obstore.list(self._bucket, offset=prefix):
                names += [str(file["path"]) for file in page if file["path"].startswith(prefix)]
                if not page[-1]["path"].startswith(prefix):
                    break
        return names

    def delete(self, name: str) -> None:
        import obstore
        from obstore.exceptions import NotFoundError

        with _translated_errors(), suppress(NotFoundError, FileNotFoundError):
            obstore.delete(self._bucket, name)


ArchiveFiles: TypeAlias = Folder | Bucket


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise ArchiveFilesUnavailable in place of what a folder or bucket raises."""
    try:
        yield
    except CorruptLog:
        raise
    except Exception as error:
        # Without its message: a bucket's may hold the address, or the answer of another server.
        raise ArchiveFilesUnavailable(f"the archive files can't be reached ({type(error).__name__})") from error
