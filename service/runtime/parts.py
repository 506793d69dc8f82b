"""The processes of `serve` beside the store: forks, which begin with all that the supervisor has imported."""

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from service.runtime.lifeline import die_with_parent

_CONTEXT: Final = get_context("fork")
_HANDLED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class Part:
    """A running fork: of `subprocess.Popen` what the supervisor uses.

    Started in the main thread of a process without others. It ends with its parent.
    """

    def __init__(self, name: str, run: Callable[[], object], environment: Mapping[str, str]) -> None:
        # A signal before the fork has its own handlers would reach those of this process.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        arguments = os.getpid(), mask, name, run, environment
        self._process = _CONTEXT.Process(target=_begin, args=arguments, name=name)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.pid = self._process.pid or 0

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> None:
        self._process.join()

    def terminate(self) -> None:
        self._process.terminate()


def _begin(
    parent: int, mask: set[signal.Signals], name: str, run: Callable[[], object], environment: Mapping[str, str]
) -> None:
    die_with_parent(parent)
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in _HANDLED:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    with suppress(OSError):
        Path("/proc/self/comm").write_text(f"reibach-{name.partition(' ')[0]}", "ascii")  # as `ps` and `top` show it
    os.environ.clear()
    os.environ.update(environment)
    run()
