"""Threads that fail: no thread of a process ends unseen, while the process runs and looks alive."""

import os
import signal
import threading
import traceback
from pathlib import Path
from typing import Final

import structlog

_END_S: Final = 5.0
"""Seconds after its SIGTERM in which a process must have ended; then it exits at once."""

logger = structlog.get_logger("service.runtime")


def name_fault(error: BaseException) -> str:
    """The kind of an unforeseen error, and where it was raised. Its text may hold what a player wrote."""
    places = traceback.extract_tb(error.__traceback__)
    where = f" in {places[-1].name}, line {places[-1].lineno} of {Path(places[-1].filename).name}" if places else ""
    return f"{type(error).__name__}{where}"


class FaultLog:
    """The log of a thread that survives a fault: each fault once, until another one follows."""

    def __init__(self, task: str) -> None:
        self._task = task
        self._last = ""

    def note(self, error: Exception) -> None:
        """Log the fault, unless it is the last one again."""
        fault, before = name_fault(error), self._last
        self._last = fault
        if fault != before:
            logger.error("a task has failed, and is tried again", task=self._task, reason=fault)


def end_with_threads() -> None:
    """End this process, as by SIGTERM, when a thread of it ends with an exception: it is started again.

    SystemExit ends its thread alone, as always.
    """

    def end(failed: threading.ExceptHookArgs) -> None:
        if failed.exc_type is SystemExit or failed.exc_value is None:
            return
        name = failed.thread.name if failed.thread else ""
        reason = name_fault(failed.exc_value)
        logger.error("a thread has failed: this process ends, to be started again", thread=name, reason=reason)
        timer = threading.Timer(_END_S, os._exit, (1,))
        timer.daemon = True
        timer.start()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.excepthook = end
