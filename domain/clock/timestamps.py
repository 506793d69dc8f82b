"""Conversion between milliseconds since 1970, as the log has times, and RFC 3339 in UTC, as the contract has them."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import gmtime, strftime
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def timestamp(milliseconds: int) -> str:
    """RFC 3339 of milliseconds since 1970. Raises ValueError for a time outside the calendar."""
    seconds, rest = divmod(milliseconds, 1000)
    try:
        return f"{_second(seconds)}.{rest:03d}Z"
    except (OverflowError, OSError) as error:
        raise ValueError(f"the time {milliseconds} ms is outside the calendar") from error


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    """A second without its end. Most times are of the present second. Raises ValueError, OverflowError, OSError."""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))


def milliseconds(timestamp: str) -> int:
    """Milliseconds since 1970 of a time in RFC 3339. Raises ValueError."""
    return (datetime.fromisoformat(timestamp) - _EPOCH) // _MILLISECOND
