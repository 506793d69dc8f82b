"""The log that the jobs of this process work on, opened once before work begins."""

from service.gamelog.open import OpenLog

_opened: list[OpenLog] = []


def set_opened(log: OpenLog) -> None:
    """Called once, before the first job."""
    _opened[:] = [log]


def opened() -> OpenLog:
    """The log of this process."""
    return _opened[0]
