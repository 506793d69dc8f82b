"""Whether the web processes of this server are about to end, so that proxies should send requests elsewhere.

A byte of memory that they share: the server's own process sets it, and its web processes read it with each answer.
"""

import mmap
import os
from functools import cache
from typing import Final

from service.runtime.shared.folder import shared_folder

_NAME: Final = "draining"


def begin_draining() -> None:
    """Tell all web processes that they are about to end."""
    _memory()[0] = 1


def is_draining() -> bool:
    """Whether the web processes are about to end."""
    return _memory()[0] == 1


@cache
def _memory() -> mmap.mmap:
    """The byte, in the folder that the processes share; without one it is this process's alone."""
    folder = shared_folder()
    if folder is None:
        return mmap.mmap(-1, 1)
    with (folder / _NAME).open("a+b") as file:
        os.truncate(file.fileno(), 1)
        return mmap.mmap(file.fileno(), 1)
