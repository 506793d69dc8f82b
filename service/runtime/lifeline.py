"""Ends a process together with its parent, however the parent ends.

Two entry points:

* `tied(argv)` is the command line for a parent that starts any program: this file runs first in the new process, ties
  it to its parent, and then becomes the program by exec (same process id). No code runs between fork and exec, so
  threads of the parent don't matter.
* `die_with_parent` is for a Python process that was started in another way, such as a web server's own processes.

On Linux the kernel sends the signal. It does so when the *thread* that started the child ends: start children from
the main thread. On macOS a child outlives a parent that is killed.

This file is also run by its path with `python -I -S`, so it imports the standard library only.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

PR_SET_PDEATHSIG = 1


def tied(argv: Sequence[str], signum: int = signal.SIGKILL) -> list[str]:
    """The command line that runs `argv` and has it get `signum` when the calling process ends."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(signum)), *argv]


def die_with_parent(parent: int) -> None:
    """Have the calling process killed when its parent ends. Never raises.

    `parent`: the process id of the parent, by which one that ended before this call is noticed. Call this at the start
    of the main thread, and not in a process that a person may leave running after its shell (`nohup ... &`).
    """
    _ask_kernel(signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _ask_kernel(signum: int) -> None:
    """Have Linux send `signum` when the parent ends; this survives exec."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signum), 0, 0, 0)


def _become(parent: int, signum: int, argv: list[str]) -> None:
    """Tie this process to `parent`, then become `argv`."""
    _ask_kernel(signum)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended")
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - argv comes from the process that started this one
    except OSError as error:
        sys.exit(f"can't run {argv[0]}: {error.strerror}")


if __name__ == "__main__":
    _become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
