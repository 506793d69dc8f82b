"""An entry: one accepted request, with all of its events, as the store holds it."""

import os
import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from struct import Struct
from typing import Final, NamedTuple

CHECKED: Final = 6
"""Bytes of its last event's hash that an entry keeps: enough to name the first entry that was changed."""
REQUEST_ID: Final = 3
"""Random bytes that distinguish two requests for the same version which are equal in time and hash, too."""

TRACES: Final = 32
"""Entries of a game of which a process keeps a trace, at most."""
_TRACE: Final = Struct(f">IH{CHECKED}s")
_MOST_EVENTS: Final = 0xFFFF

# No secrets. Asked for random bytes, the system lets other threads run first: four changes of thread for each action.
_request_ids: Final = random.Random()  # noqa: S311
os.register_at_fork(after_in_child=_request_ids.seed)


class Entry(NamedTuple):
    """One accepted request."""

    version: int
    """Of its last event."""
    count: int  # type: ignore[assignment]  # hides tuple.count, which entries don't need
    """Number of its events."""
    elapsed: int
    """Milliseconds since the game was created; of the first entry, since 1970."""
    body: bytes
    """The events: JSON arrays, joined by commas."""
    check: bytes
    """As `entry_check` makes it. An entry from an archive has none, the last one the hash's first bytes only."""


def entry_time(entry: Entry, created: int) -> int:
    """When an entry's events happened, in milliseconds since 1970; `created`: the game's creation, 0 for its own."""
    return created + entry.elapsed


def entry_check(last_hash: bytes) -> bytes:
    """The first bytes of the hash of an entry's last event, then a new request id.

    The header keeps the whole hash of the head. By the request id a resend recognises the entry that it has written.
    """
    return last_hash[:CHECKED] + _request_ids.randbytes(REQUEST_ID)


class Trace(NamedTuple):
    """What a process remembers of an entry, to notice when a store has lost it."""

    version: int
    """Of its last event."""
    events: int
    check: bytes
    """The first CHECKED bytes of its last event's hash."""


def add_traces(known: bytes, entries: Sequence[Entry]) -> bytes | None:
    """The traces that are `known` and those of these entries, each once, packed: the last TRACES of them.

    None if no log has held all of them. An entry from an archive has no check, and leaves no trace.
    """
    new = b"".join(
        _TRACE.pack(entry.version, min(entry.count, _MOST_EVENTS), entry.check[:CHECKED])
        for entry in entries[-TRACES:]
        if len(entry.check) > CHECKED
    )
    if known.endswith(new):  # a stream of this process reads what its requests append
        return known
    if known:
        first, last = Trace._make(_TRACE.unpack_from(new)), _TRACE.unpack_from(known, len(known) - _TRACE.size)
        if first.version - first.events < last[0]:
            every = sorted({*traces_in(known), *traces_in(new)})
            if any(later.version - later.events < trace.version for trace, later in pairwise(every)):
                return None
            known, new = b"", b"".join(_TRACE.pack(*trace) for trace in every)
    return (known + new)[-TRACES * _TRACE.size :]


def traces_in(known: bytes) -> Iterator[Trace]:
    """The traces that `add_traces` has packed."""
    return map(Trace._make, _TRACE.iter_unpack(known))
