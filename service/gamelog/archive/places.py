"""Archives as files: in a folder, or in a bucket of an S3-compatible service.

A file is whole before it can be found, is kept for good when `write` returns, and is never changed or deleted: a store
that is put back from yesterday's backup finds yesterday's archives.
"""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from service.gamelog.errors import CorruptLog
from service.signing.deployment import BadDeployment

_PATIENCE: Final = timedelta(seconds=5)
"""For one request to a bucket and its repetitions: somebody may be waiting for an answer."""
_LEFT_BEHIND_S: Final = 3600
"""Age at which an unfinished file is nobody's any more."""


class ArchiveFilesUnavailable(Exception):
    """The place can't be reached, or takes nothing in; the message tells no address and no secret."""


class ArchiveFiles(Protocol):
    """A place of archives."""

    def write(self, name: str, value: bytes) -> None:
        """Keep a file; one of that name, with the same value, may be there. Raises ArchiveFilesUnavailable."""

    def read(self, name: str) -> bytes:
        """The file. Raises CorruptLog where there is none, and ArchiveFilesUnavailable."""


def open_archive_files(where: str) -> ArchiveFiles:
    """The place of that name: `s3://bucket/prefix`, or the path of a folder. Raises BadDeployment.

    Address, region and credentials of a bucket come from the variables that all S3 programs read: AWS_ENDPOINT_URL,
    AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the like.
    """
    return Bucket(where) if "://" in where else Folder(Path(where))


class Folder:
    """Files in a folder, which all machines of a deployment must share."""

    def __init__(self, path: Path) -> None:
        """Made when the first file is written."""
        self._path = path

    def write(self, name: str, value: bytes) -> None:
        """See ArchiveFiles."""
        with _failing():
            begun = self._path / "unfinished"
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            begun.mkdir(mode=0o700, exist_ok=True)
            self._clear(begun)
            draft = begun / secrets.token_hex(8)
            with open(draft, "xb", opener=_for_the_owner) as file:  # Path.open has no opener
                file.write(value)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path / name)
            folder = os.open(self._path, os.O_RDONLY)
            try:
                os.fsync(folder)  # or the name could be lost with the power
            finally:
                os.close(folder)

    def read(self, name: str) -> bytes:
        """See ArchiveFiles."""
        try:
            return (self._path / name).read_bytes()
        except OSError as error:
            if not os.access(self._path, os.R_OK | os.X_OK):  # not mounted, perhaps: the file may be whole
                raise ArchiveFilesUnavailable(
                    f"the folder of the archives can't be read ({type(error).__name__})"
                ) from error
            raise CorruptLog(f"the archive of a game can't be read ({type(error).__name__})") from error

    @staticmethod
    def _clear(begun: Path) -> None:
        """Remove what writers left behind that died."""
        for draft in begun.iterdir():
            try:
                if draft.stat().st_mtime < time.time() - _LEFT_BEHIND_S:
                    draft.unlink()
            except FileNotFoundError:
                continue  # its writer, or another one, was quicker


def _for_the_owner(path: str, flags: int) -> int:
    """Unlisted games are nobody else's business."""
    return os.open(path, flags, 0o600)


class Bucket:
    """Files in a bucket."""

    def __init__(self, url: str) -> None:
        """`url`: s3://bucket/prefix. Raises BadDeployment."""
        from obstore.exceptions import BaseError
        from obstore.store import S3Store

        try:
            self._bucket = S3Store.from_url(
                url,
                # Without TLS only where the operator's own AWS_ENDPOINT_URL says http://.
                client_options={"timeout": _PATIENCE, "connect_timeout": _PATIENCE, "allow_http": True},
                retry_config={"max_retries": 2, "retry_timeout": _PATIENCE},
            )
        except BaseError:
            raise BadDeployment("REIBACH_ARCHIVE_FILES names no bucket, or an AWS_ variable is wrong") from None

    def write(self, name: str, value: bytes) -> None:
        """See ArchiveFiles."""
        import obstore

        with _failing():
            obstore.put(self._bucket, name, value, use_multipart=False)

    def read(self, name: str) -> bytes:
        """See ArchiveFiles."""
        import obstore
        from obstore.exceptions import NotFoundError

        with _failing():
            try:
                return bytes(obstore.get(self._bucket, name).bytes())
            except (NotFoundError, FileNotFoundError):
                raise CorruptLog("the archive of a game is missing") from None


@contextmanager
def _failing() -> Iterator[None]:
    """Turn what a folder or bucket raises into ArchiveFilesUnavailable."""
    try:
        yield
    except CorruptLog:
        raise
    except Exception as error:
        # Not its message: that of a bucket may hold the address, and the answer of a stranger.
        raise ArchiveFilesUnavailable(f"the place of the archives fails ({type(error).__name__})") from error
