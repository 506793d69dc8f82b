"""How long tests wait for other processes: always with a timeout, which is longer on a loaded machine."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

POLL = 0.01
_FACTOR = os.environ.get("REIBACH_TEST_PATIENCE", "")
_LEAST = 2.0
_CORES = os.cpu_count() or 1
Outcome = TypeVar("Outcome")


def patience(seconds: float) -> float:
    """Seconds to wait for what takes `seconds` at most on a quiet machine.

    The factor is REIBACH_TEST_PATIENCE; without it 2, or twice the number of processes that wait for each core.
    """
    return seconds * (float(_FACTOR) if _FACTOR else max(_LEAST, 2 * os.getloadavg()[0] / _CORES))


def stated(seconds: float) -> float:
    """A limit that is stated for a quiet machine: times half of REIBACH_TEST_PATIENCE, whatever else the load is."""
    return seconds * float(_FACTOR) / _LEAST if _FACTOR else seconds


def wait_until(condition: Callable[[], object], seconds: float = 10.0, poll: float = POLL) -> None:
    """Return as soon as `condition` holds, asked every `poll` seconds; an AssertionError after `patience(seconds)`."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < patience(seconds), f"still not so after {waited:.1f} s"
        time.sleep(poll)


def outcome_of(call: Callable[[], Outcome], error: type[Exception], seconds: float = 10.0) -> Outcome:
    """What the call gives as soon as it doesn't raise that error any more, which it may for `patience(seconds)`."""
    began = time.monotonic()
    while True:
        try:
            return call()
        except error:
            if time.monotonic() - began > patience(seconds):
                raise
        time.sleep(POLL)


def is_running(pid: int) -> bool:
    """Whether the process runs, and isn't a zombie."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
