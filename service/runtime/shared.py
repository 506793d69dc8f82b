"""A folder through which the web processes of one machine share what may be lost: counters, limits, the notice board.

prometheus_client looks for its folder when it is imported, so it is made before the web processes are.
"""

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = "/dev/shm"  # noqa: S108 - see where it is used
_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"


def make_shared_folder() -> Path:
    """A new folder for the processes that are started from here; the caller removes it."""
    # In memory, where that has a folder; mkdtemp makes one of its own in it, for this user alone.
    folder = tempfile.mkdtemp(prefix="reibach-web-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
    os.environ[_VARIABLE] = folder
    return Path(folder)


def shared_folder() -> Path | None:
    """The folder, None where this process shares nothing."""
    folder = os.environ.get(_VARIABLE)
    return Path(folder) if folder else None
