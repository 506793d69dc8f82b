"""A folder in memory that the web processes of one machine share, for what may be lost: metrics, rate limits, activity.

prometheus_client reads PROMETHEUS_MULTIPROC_DIR when it is imported, and each of its processes writes its counters
there. That variable is also how this service hands the folder from the process that creates it to the web processes:
one folder, one variable, no second one that could differ.
"""

import os
import tempfile
from pathlib import Path
from typing import Final

SHARED_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_MEMORY: Final = "/dev/shm"  # noqa: S108 - see where it is used


def make_shared_folder() -> Path:
    """Create the folder, for the processes that are started after this call; the caller deletes it."""
    # In memory where the system has such a folder; mkdtemp creates a folder of this user's own in it.
    folder = tempfile.mkdtemp(prefix="reibach-web-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
    os.environ[SHARED_FOLDER_VARIABLE] = folder
    return Path(folder)


def shared_folder() -> Path | None:
    """The folder; None if this process shares nothing."""
    folder = os.environ.get(SHARED_FOLDER_VARIABLE)
    return Path(folder) if folder else None
