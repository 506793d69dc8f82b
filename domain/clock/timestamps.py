"""Conversion between milliseconds since 1970, as the log has times, and RFC 3339 in UTC, as the contract has them."""

from datetime import UTC, datetime, timedelta
from time import gmtime, strftime
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def timestamp(milliseconds: int) -> str:
    """RFC 3339 of milliseconds since 1970. Raises ValueError for a time outside the calendar."""
    seconds, rest = divmod(milliseconds, 1000)
    try:
        return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{rest:03d}Z"
    except (OverflowError, OSError) as error:
        raise ValueError(f"the time {milliseconds} ms is outside the calendar") from error


def milliseconds(timestamp: str) -> int:
    """Milliseconds since 1970 of a time in RFC 3339. Raises ValueError."""
    return (datetime.fromisoformat(timestamp) - _EPOCH) // _MILLISECOND
