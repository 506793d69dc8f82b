"""An entry: one accepted request, with all of its events, as the store holds it."""

import os
import random
from typing import Final, NamedTuple

CHECKED: Final = 6
"""Bytes of its last event's hash that an entry keeps: enough to name the first entry that was changed."""
REQUEST_ID: Final = 3
"""Random bytes that distinguish two requests for the same version which are equal in time and hash, too."""

# No secrets. When the system makes random bytes, other threads run first: four changes of thread for each action.
_request_ids: Final = random.Random()  # noqa: S311
os.register_at_fork(after_in_child=_request_ids.seed)


class Entry(NamedTuple):
    version: int
    """Of its last event."""
    count: int  # type: ignore[assignment]  # hides tuple.count, which entries don't need
    elapsed: int
    """Milliseconds since the game was created; of the first entry, since 1970."""
    body: bytes
    """The events: JSON arrays, joined by commas."""
    check: bytes
    """As `entry_check` makes it. An entry from an archive has none, the last one the hash's first bytes only."""


def entry_check(last_hash: bytes) -> bytes:
    """The first bytes of the hash of an entry's last event, then a new request id.

    The header keeps the whole hash of the head. By the request id a resend recognises the entry that it has written.
    """
    return last_hash[:CHECKED] + _request_ids.randbytes(REQUEST_ID)
