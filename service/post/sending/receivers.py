"""Which receivers are busy or failing, as this process has seen it: so that some don't delay the others.

The operator is told once an outage of the mail server or of a webhook's host, and of its end.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from threading import Lock
from typing import Final

import structlog

from service.post.channel_table import CHANNELS
from service.post.channels.results import SendResult

UNKNOWN: Final = "unknown"
"""The name under which attempts at receivers are counted that haven't answered yet."""
_FAILING_S: Final = 120.0
"""A receiver counts as failing for so long after its last failure."""
_MOST_KEPT: Final = 10_000
"""Receivers that have been tried, and paces; more are forgotten, the oldest first."""
_MOST_AWAY: Final = 100
"""The same of outages: players name hosts."""
_LET_GO_S: Final = 300.0
"""Mails that wait are let go at most so often: a server may take one mail and refuse the next."""
_PACE_MS: Final = 1500
_AT_ONCE: Final = 20
"""Attempts that may run ahead of that pace: 60 in any minute."""


logger = structlog.get_logger("service.post.sending.receivers")


class Receivers:
    """Safe for threads."""

    def __init__(
        self,
        most: int,
        most_unknown: int,
        note_mail: Callable[[bool], object],
        let_go: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`most`: attempts at a time for one game, or one host; `most_unknown`: for UNKNOWN. `clock`: seconds.

        `note_mail` is told whether mails leave, where that has changed, and of the first mail and each that fails;
        `let_go` sends the mails that wait: it is called for the first mail that is taken, and the first after failures.
        """
        self._most = most
        self._most_unknown = most_unknown
        self._note_mail = note_mail
        self._let_go = let_go
        self._clock = clock
        self._lock = Lock()
        self._running: Counter[str] = Counter()
        self._tried: dict[str, float | None] = {}
        """When the last attempt at each has failed; None: it was answered."""
        self._away: dict[str, None] = {}
        self._known_mail: bool | None = None
        self._mails_wait, self._let_go_from = True, -inf
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
            failed = self._tried.get(name)
            return failed is not None and self._clock() - failed < _FAILING_S

    def is_unknown(self, name: str) -> bool:
        """Whether the receiver hasn't answered yet, or not at the last attempt."""
        with self._lock:
            return self._tried.get(name, 0.0) is not None

    def record(self, channel: str, name: str, result: SendResult) -> None:
        """An attempt at the receiver has ended; nothing in the result names a player."""
        is_up = not result.is_outage
        with self._lock:
            self._tried.pop(name, None)
            self._tried[name] = self._clock() if result.is_unanswered else None
            changed = is_up == (name in self._away)
            self._away.pop(name, None)
            if not is_up:
                self._away[name] = None
            for kept, most in ((self._tried, _MOST_KEPT), (self._away, _MOST_AWAY)):
                if len(kept) > most:
                    del kept[next(iter(kept))]
            is_mail = CHANNELS[channel].has_gauge
            is_news = is_mail and not (is_up and self._known_mail)  # another process may have noted otherwise
            lets_go = is_mail and is_up and self._mails_wait and self._clock() >= self._let_go_from
            if is_mail:
                self._known_mail, self._mails_wait = is_up, (self._mails_wait or not is_up) and not lets_go
            if lets_go:
                self._let_go_from = self._clock() + _LET_GO_S
        if changed and not is_up:
            logger.warning("notices can't be sent", channel=channel, host=name, reason=result.error, said=result.said)
        elif changed:
            logger.info("notices can be sent again", channel=channel, host=name)
        if is_news:
            self._note_mail(is_up)
        if lets_go:
            self._let_go()
