"""What the web processes of one machine share, in a folder in memory, and may lose: metrics, limits.

prometheus_client reads PROMETHEUS_MULTIPROC_DIR when it is imported, and each of its processes writes its counters
there. That variable is also how this service hands the folder from the process that creates it to the web processes.

Rule: a folder is in use exactly while its file `owner` is locked. The kernel releases the lock when the last process
ends that has the file open: the one that made the folder, and the web processes, which are forked from it.
"""

import fcntl
import mmap
import os
import secrets
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

SHARED_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_MEMORY: Final = "/dev/shm"  # noqa: S108 - see where it is used
_PREFIX: Final = "reibach-web-"
_OWNER: Final = "owner"
_MAKING_S: Final = 3600.0
"""A folder gets its owner within a millisecond of its making; so much longer, as the process may be suspended."""
_IDENTITY: Final = "identity"
_SECRET: Final = "secret"  # noqa: S105 - a file's name
_DRAINING: Final = "draining"


def make_shared_folder() -> Path:
    """Create the folder, for the processes that are started after this call; the caller deletes it.

    Folders that processes of this user have left behind, because they were killed, are deleted.
    """
    # In memory where the system has such a folder; mkdtemp creates a folder of this user's own in it.
    parent = Path(_MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir())
    _delete_abandoned(parent)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    draft = folder / f"{_OWNER}.draft"
    owner = os.open(draft, os.O_CREAT | os.O_RDWR, 0o600)  # open until this process ends
    fcntl.flock(owner, fcntl.LOCK_EX)
    draft.rename(folder / _OWNER)  # locked before it has its name: no other process finds it free
    (folder / _SECRET).write_bytes(secrets.token_bytes(32))
    os.environ[SHARED_FOLDER_VARIABLE] = str(folder)
    return folder


def shared_folder() -> Path | None:
    """The folder; None if this process shares nothing."""
    folder = os.environ.get(SHARED_FOLDER_VARIABLE)
    return Path(folder) if folder else None


def known_identity() -> str:
    """The identity of the deployment that the processes of the folder have served; empty where none has yet."""
    folder = shared_folder()
    try:
        return (folder / _IDENTITY).read_text("ascii") if folder else ""
    except OSError:
        return ""


def remember_identity(identity: str) -> None:
    """Let the processes that come know it: one that takes the place of a crashed one mustn't take any store."""
    folder = shared_folder()
    if folder:
        draft = folder / f"{_IDENTITY}.{os.getpid()}"
        draft.write_text(identity, "ascii")
        draft.replace(folder / _IDENTITY)


@cache
def shared_secret(folder: Path | None) -> bytes:
    """32 random bytes that the processes of a folder have in common; without one this process's own."""
    return secrets.token_bytes(32) if folder is None else (folder / _SECRET).read_bytes()


def is_locked(path: Path) -> bool:
    """Whether a process that runs holds the lock of a file. False where there is no such file."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _delete_abandoned(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another user's, or deleted meanwhile
            if folder.stat().st_uid == os.getuid() and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """Whether no process uses the folder. One without an owner was left while it was made, unless it is just made."""
    if (folder / _OWNER).exists():
        return not is_locked(folder / _OWNER)
    return time.time() - folder.stat().st_mtime > _MAKING_S


def shared_memory(path: Path | None, size: int) -> mmap.mmap:
    """So many bytes, zero at first, that the processes share by a file; None: this process's alone."""
    if path is None:
        return mmap.mmap(-1, size)
    with path.open("a+b") as file:
        os.truncate(file.fileno(), size)
        return mmap.mmap(file.fileno(), size)


def begin_draining() -> None:
    """Tell all web processes that they are about to end."""
    _draining()[0] = 1


def is_draining() -> bool:
    """Whether the web processes are about to end."""
    return _draining()[0] == 1


@cache
def _draining() -> mmap.mmap:
    folder = shared_folder()
    return shared_memory(folder and folder / _DRAINING, 1)
