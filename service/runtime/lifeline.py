"""Ends a process together with its parent, however the parent ends.

Two entry points:

* `tied(argv)` is the command line for a parent that starts any program: this file runs first in the new process, ties
  it to its parent, and then becomes the program by exec (same process id). No code runs between fork and exec, so
  threads of the parent don't matter.
* `die_with_parent` is for a Python process that was started in another way, such as a web server's own processes.

On Linux the kernel sends the signal. It does so when the *thread* that started the child ends: start children from
the main thread. On other systems a thread or process polls once a second.

This file is also run by its path with `python -I -S`, so it imports the standard library only.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 1.0
"""Between two checks of the parent where the kernel sends no signal."""


def tied(argv: Sequence[str], signum: int = signal.SIGKILL) -> list[str]:
    """The command line that runs `argv` and has it get `signum` when the calling process ends."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(signum)), *argv]


def die_with_parent(parent: int) -> None:
    """Have the calling process killed when its parent ends. Never raises.

    `parent`: the process id of the parent, by which one that ended before this call is noticed. Call this at the start
    of the main thread, and not in a process that a person may leave running after its shell (`nohup ... &`).
    """
    if not _ask_kernel(signal.SIGKILL):
        threading.Thread(target=_poll, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def _ask_kernel(signum: int) -> bool:
    """Whether the kernel will send `signum` when the parent ends; this survives exec."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return False
    return int(prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signum), 0, 0, 0)) == 0


def _poll(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _fork_poller(parent: int, signum: int) -> None:
    """Fork a child that polls for the calling process, which may then exec. For other systems than Linux."""
    target = os.getpid()
    if os.fork():
        return
    try:
        os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 65536))  # a lock must be released when its owner ends
        while os.getppid() == target:
            if not _exists(parent):
                os.kill(target, signum)
            time.sleep(POLL_SECONDS)
    finally:
        os._exit(0)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:  # it has ended, or another user's process has its number
        return False
    return True


def _become(parent: int, signum: int, argv: list[str]) -> None:
    """Tie this process to `parent`, then become `argv`."""
    if not _ask_kernel(signum):
        _fork_poller(parent, signum)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended")
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - argv comes from the process that started this one
    except OSError as error:
        sys.exit(f"can't run {argv[0]}: {error.strerror}")


if __name__ == "__main__":
    _become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
