"""Times as the log counts them, in milliseconds since 1970, and as the contract writes them (RFC 3339, UTC)."""

from datetime import UTC, datetime, timedelta
from time import gmtime, strftime


def timestamp(milliseconds: int) -> str:
    """Milliseconds since 1970 as the contract writes a time. Raises ValueError for a time that no calendar has."""
    seconds, rest = divmod(milliseconds, 1000)
    try:
        return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(seconds))}.{rest:03d}Z"
    except (OverflowError, OSError) as error:
        raise ValueError(f"no calendar has the time {milliseconds}") from error


def milliseconds(timestamp: str) -> int:
    """A time as the contract writes it, in milliseconds since 1970. Raises ValueError."""
    since = datetime.fromisoformat(timestamp) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1)
