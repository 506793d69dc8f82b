"""Waiting for what other processes do, always with an end."""

import os
import time
from collections.abc import Callable
from pathlib import Path

POLL = 0.01


def wait_until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Return as soon as `condition` holds; an AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"still not so after {seconds} s"
        time.sleep(POLL)


def is_running(pid: int) -> bool:
    """Whether the process is there and not just waiting to be buried."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
