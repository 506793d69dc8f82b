"""A post process beside a worker: forked once everything is imported, it costs a tenth of a start of its own.

Between the two is a keeper, which starts the post process again when it ends. It has one thread and no connection,
so it can fork at any time; the worker has threads soon, so it can't. If the keeper ends, the worker ends, too, and the
supervisor starts all three. Both end with the worker, even if that is killed.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

import structlog

from config.settings import Settings
from service.runtime.lifeline import die_with_parent
from workers.post.process import run

_STABLE_S: Final = 5.0
_LONGEST_PAUSE_S: Final = 4.0
_END_S: Final = 4.0
"""For both to end: less than the supervisor gives the worker."""
_FAULT: Final = 1
"""The status of a post process that has logged why it ends."""

logger = structlog.get_logger("workers.post.sidecar")


class PostKeeper:
    """The worker's hold on its keeper.

    The kernel closes a pipe when keeper and post have ended, which needs neither SIGCHLD nor `waitpid`. Only `stop`
    asks for the status of the keeper, so that no other process has its id before.
    """

    def __init__(self, pid: int, pipe: int) -> None:
        """`pid`: of the keeper. `pipe`: the end to read; keeper and post hold the other one."""
        self._pid = pid
        self._pipe = pipe
        self._thread: threading.Thread | None = None

    def watch(self, on_end: Callable[[], None]) -> None:
        """Call `on_end`, in a thread, as soon as keeper and post have ended."""

        def wait() -> None:
            os.read(self._pipe, 1)
            on_end()

        self._thread = threading.Thread(target=wait, name="post keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End both, and wait for them if they are watched."""
        os.kill(self._pid, signal.SIGTERM)
        if self._thread is not None:
            self._thread.join(_END_S)
            if not self._thread.is_alive():
                os.waitpid(self._pid, 0)  # no zombie is left to a container's first process


def start_post(settings: Settings) -> PostKeeper:
    """Keep a post process running.

    Call this in the main thread, before any other thread is started or connection opened.
    """
    parent = os.getpid()
    ours, theirs = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        try:
            die_with_parent(parent)
            os.close(ours)
            _keep(settings)
        finally:
            os._exit(0)
    os.close(theirs)
    return PostKeeper(keeper, ours)


def _keep(settings: Settings) -> None:
    """Run the post process, again and again, until SIGTERM."""
    child, is_ending, pause = 0, False, 0.0

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_ending
        is_ending = True
        if child:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    keeper = os.getpid()
    while not is_ending:
        began = time.monotonic()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until `child` is known
        try:
            child = os.fork()
        except OSError as error:  # memory or process limits, for example: that may pass
            logger.warning("the post process can't be started, and is tried again", reason=type(error).__name__)
        else:
            if child == 0:
                _become_post(settings, keeper)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else _FAULT
        child = 0
        if not is_ending:
            if status != _FAULT:
                logger.warning("the post process has ended, and is started again", status=status)
            pause = 0.0 if time.monotonic() - began > _STABLE_S else min(_LONGEST_PAUSE_S, 2 * pause + 0.25)
            time.sleep(pause)


def _become_post(settings: Settings, keeper: int) -> NoReturn:
    """Run post in this process, and end it."""
    code = _FAULT
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        die_with_parent(keeper)
        code = run(settings)
    except Exception as error:  # noqa: BLE001 - whatever ends it, the keeper starts another one
        logger.error("the post process has failed, and is started again", reason=type(error).__name__)
    finally:
        os._exit(code)
