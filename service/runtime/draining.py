"""Whether the web processes are about to end, so that proxies should send requests elsewhere.

The flag is a byte of memory that a process shares with those that it forks after the import of this module, and with no
others: the web server's own process sets it, and its web processes read it with each answer.
"""

import mmap
from typing import Final

_flag: Final = mmap.mmap(-1, 1)


def begin_draining() -> None:
    """Tell all web processes that they are about to end."""
    _flag[0] = 1


def is_draining() -> bool:
    """Whether the web processes are about to end."""
    return _flag[0] == 1
