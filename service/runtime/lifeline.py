"""No process outlives the one that started it, however that one ended.

Two ways in:

* `tied(argv)` is for whoever starts a program of any kind: this file runs first in the new process, ties it to its
  parent and then becomes the program (same process id). Nothing happens between fork and exec, so threads don't matter.
* `die_with_parent()` is for a Python process that was started some other way, such as a web server's own workers.

On Linux the kernel sends the signal. It does so when the *thread* that started the child ends: start children from
the main thread. Elsewhere somebody has to look, once a second.

This file is also run by its path with `python -I -S`, so it imports the standard library only.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence

PR_SET_PDEATHSIG = 1
LOOK_EVERY = 1.0
"""Seconds between two looks at the parent where the kernel doesn't tell."""


def tied(argv: Sequence[str], signum: int = signal.SIGKILL) -> list[str]:
    """The command that runs `argv` so that it gets `signum` when the calling process ends."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(signum)), *argv]


def die_with_parent(parent: int | None = None, signum: int = signal.SIGKILL) -> None:
    """Have the calling process get `signum` when its parent ends. Never raises.

    `parent` is the process id that the parent is known to have, so that one that ended before this call is noticed
    too; a process of `multiprocessing` knows it by itself. Call it at the start of the main thread. A process that a
    person may leave behind in a shell (`nohup ... &`) mustn't call it.
    """
    parent = _creator() if parent is None else parent
    if not _ask_kernel(signum):
        watch = threading.Thread(target=_watch, args=(lambda: os.getppid() == parent, os.getpid(), signum), daemon=True)
        watch.start()
    if os.getppid() != parent:
        os.kill(os.getpid(), signum)


def _creator() -> int:
    from multiprocessing import parent_process

    creator = parent_process()
    return os.getppid() if creator is None or creator.pid is None else creator.pid


def _ask_kernel(signum: int) -> bool:
    """Whether the kernel has promised to send `signum` when the parent ends; the promise survives exec."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return False
    return int(prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signum), 0, 0, 0)) == 0


def _watch(alive: Callable[[], bool], target: int, signum: int) -> None:
    while alive():
        time.sleep(LOOK_EVERY)
    os.kill(target, signum)


def _leave_watcher(parent: int, signum: int) -> None:
    """Fork a child that looks after the calling process, which may then exec anything. For other systems than Linux."""
    target = os.getpid()
    if os.fork():
        return
    try:
        os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 65536))  # a lock among them must end with its owner
        while os.getppid() == target:
            if not _exists(parent):
                os.kill(target, signum)
            time.sleep(LOOK_EVERY)
    finally:
        os._exit(0)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:  # gone, or its number belongs to a stranger now
        return False
    return True


def _become(parent: int, signum: int, argv: list[str]) -> None:
    """Tie this process to `parent`, then become `argv`."""
    if not _ask_kernel(signum):
        _leave_watcher(parent, signum)
    if os.getppid() != parent:
        sys.exit("the process that started this one has ended")
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - argv comes from the process that started this one
    except OSError as error:
        sys.exit(f"can't run {argv[0]}: {error.strerror}")


if __name__ == "__main__":
    _become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
