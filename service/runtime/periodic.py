"""What a process repeats at intervals, in threads of their own."""

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import structlog

from service.runtime.guards.threads import FaultLog

_NONE: Final[Mapping[type[Exception], str]] = MappingProxyType({})

logger = structlog.get_logger("service.runtime")


def describe_outage(error: BaseException | None) -> str:
    """Why the store is unavailable: that its disk is full, if it says so, or the kind of error, without any address."""
    kind = type(error).__name__
    while error is not None:
        if "No space left" in str(error):  # as in MISCONF, the store's answer to a write while its disk is full
            return "no space left on the store's disk"
        if "NOREPLICAS" in str(error):  # so the supervisor has an embedded store refuse writes before that
            return "the store takes no writes: too little space on its disk, or too few replicas"
        error = error.__cause__
    return kind


class Periodic:
    """Calls a function in a daemon thread, with a pause after each call. It survives outages, and faults.

    Nothing would report a thread that ended with a fault: its process runs, and looks alive.
    """

    def __init__(
        self,
        name: str,
        call: Callable[[], object],
        pause_s: float,
        *,
        outages: Mapping[type[Exception], str] = _NONE,
        on_fault: Callable[[], None] = lambda: None,
    ) -> None:
        """`name`: of the thread, which begins with `start`. `outages`: errors that pass, and what is away then."""
        self.name = name
        self._call = call
        self._pause_s = pause_s
        self._outages = outages
        self._on_fault = on_fault
        self._away = ""
        """What is away, as it was logged: once an outage, however often it is tried."""
        self._stop = threading.Event()
        self._faults = FaultLog(name)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Make no further call: for the function itself, once there is nothing left to do."""
        self._stop.set()

    def stop(self) -> None:
        """End the thread, and wait for the call that it is in."""
        self.end()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._call()
            except Exception as error:  # noqa: BLE001 - nothing ends the thread
                self._note(error)
            else:
                if self._away:
                    line = f"{self._away} is available again"
                    logger.warning(line, task=self.name)
                self._away = ""
            self._stop.wait(self._pause_s)

    def _note(self, error: Exception) -> None:
        away = next((what for kind, what in self._outages.items() if isinstance(error, kind)), "")
        if not away:
            self._faults.note(error)
            self._on_fault()
        elif away != self._away:
            self._away = away
            line = f"{away} is unavailable"
            logger.warning(line, task=self.name, reason=describe_outage(error.__cause__ or error))
