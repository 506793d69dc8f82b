"""Which receivers are busy or failing, as this process has seen it: so that some don't delay the others."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final

UNKNOWN: Final = "unknown"
"""The name under which attempts at receivers are counted that haven't answered yet."""
_FAILING_S: Final = 120.0
"""A receiver counts as failing for so long after its last failure."""
_MOST_KEPT: Final = 10_000
"""Failing receivers that are known, those that have answered, and paces; more are forgotten, the oldest first."""
_PACE_MS: Final = 1500
_AT_ONCE: Final = 20
"""Attempts that may run ahead of that pace: 60 in any minute."""


class ReceiverLimits:
    """Safe for threads."""

    def __init__(self, most: int, most_unknown: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most`: attempts at a time for one game, or one host; `most_unknown`: for UNKNOWN. `clock`: seconds."""
        self._most = most
        self._most_unknown = most_unknown
        self._clock = clock
        self._lock = Lock()
        self._running: Counter[str] = Counter()
        self._failed: dict[str, float] = {}
        self._answered: dict[str, None] = {}
        self._paces: dict[str, tuple[int, int]] = {}
        """When the last attempt would have ended by its pace, and until when attempts wait."""

    @contextmanager
    def enter(self, names: Sequence[str]) -> Iterator[bool]:
        """Count an attempt while the body runs; False, and not counted, where one of the names has enough of them."""
        with self._lock:
            most = {UNKNOWN: self._most_unknown}
            has_room = all(self._running[name] < most.get(name, self._most) for name in names)
            if has_room:
                self._running.update(names)
        try:
            yield has_room
        finally:
            if has_room:
                with self._lock:
                    self._running.subtract(names)
                    for name in names:
                        if not self._running[name]:
                            del self._running[name]

    def pace(self, name: str, now: int, *, is_first: bool) -> int:
        """Count an attempt of one game at one host at `now`, in ms; or when to try again, if it is too early.

        `is_first`: half of what may run ahead is for such attempts alone.
        """
        most = _AT_ONCE if is_first else _AT_ONCE // 2
        with self._lock:
            filled, waited = self._paces.pop(name, (0, 0))
            filled, at = max(filled, now), 0
            if filled - now <= (most - 1) * _PACE_MS:
                filled += _PACE_MS
            else:
                at = waited = max(waited + _PACE_MS, filled - (most - 1) * _PACE_MS)
            self._paces[name] = filled, waited
            if len(self._paces) > _MOST_KEPT:
                del self._paces[next(iter(self._paces))]
        return at

    def is_failing(self, name: str) -> bool:
        with self._lock:
            return self._clock() - self._failed.get(name, float("-inf")) < _FAILING_S

    def is_unknown(self, name: str) -> bool:
        """Whether the receiver hasn't answered yet, or not at the last attempt."""
        with self._lock:
            return name not in self._answered

    def record(self, name: str, *, failed: bool) -> None:
        """An attempt at the receiver has ended; `failed`: without an answer."""
        with self._lock:
            self._failed.pop(name, None)
            self._answered.pop(name, None)
            if failed:
                self._failed[name] = self._clock()
            else:
                self._answered[name] = None
            for kept in (self._failed, self._answered):
                if len(kept) > _MOST_KEPT:
                    del kept[next(iter(kept))]
