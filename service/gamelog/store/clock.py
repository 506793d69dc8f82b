"""The store's clock, which counts for all machines, without a round trip for each look at it.

Rule 1: a process keeps how far the store's time is from its own monotonic clock, and measures that about once a second.
A process's wall clock is never used. On a cluster the node of shard 0's keys is the reference.
Rule 2: where the store's clock jumps, no process follows before the jump is on record, and every process reads the
record with each measurement. So one that starts right afterwards knows of it.
Rule 3: a deadline has passed when the store's time says so, as much true time has passed as there was, and the clock
has been steady for ten minutes.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

import structlog

from service.connections.clients import STORE_ERRORS
from service.gamelog.errors import StoreUnavailable
from service.gamelog.store.jumps import Jump, lengthening, read_jumps
from service.gamelog.store.reader import StoreReader
from service.gamelog.store.scripts import Script
from service.runtime.clock import now_ms

TOLERANCE_MS: Final = 2000
"""How far the store's clock may move between two measurements and still be steady."""
STEADY_MS: Final = 600_000
"""How long it must have been steady before anything times out."""
SETTLE_MS: Final = 1500
"""A process that starts waits for so long: others may have seen a jump just before, and are recording it."""
APART_MS: Final = 1000
"""How far the wall clock of a machine may be from the store's before that is reported."""
_MOST: Final = 64
"""Jumps on record."""
_READ: Final = Script.load("clock_read.lua")
_RECORD: Final = Script.load("clock_record.lua")

logger = structlog.get_logger("service.gamelog")


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class _Measured(NamedTuple):
    """The last measurement."""

    offset: int
    """The store's time minus the monotonic clock, in ms."""
    at: int
    """The monotonic clock then."""
    error: int
    """The round trip, in ms: the offset, and the true one, lie somewhere within it."""
    apart: int
    """This machine's wall clock minus the store's time, in ms."""
    jumps: tuple[Jump, ...]


class StoreClock:
    """The store's time in this process. Safe for threads; it starts none."""

    def __init__(  # noqa: PLR0913 - what a test hands in
        self,
        store: StoreReader,
        *,
        instead: Callable[[], int] | None = None,
        monotonic: Callable[[], int] = _monotonic_ms,
        wall: Callable[[], int] = now_ms,
        steady_ms: int = STEADY_MS,
        settle_ms: int = SETTLE_MS,
    ) -> None:
        """`instead`: a clock that counts in the store's place, is always steady, and is never measured.

        `monotonic`: milliseconds; `wall`: this machine's, in ms since 1970.
        """
        self._store = store
        self._instead = instead
        self._monotonic = monotonic
        self._wall = wall
        self._steady_ms = steady_ms
        self._settle_ms = settle_ms
        self._key = store.shard_keys("clock")[0]
        self._measuring = Lock()
        self._showing = Lock()
        self._measured: _Measured | None = None
        self._settled = 0
        self._shown = 0

    def now_ms(self) -> int:
        """The store's time, in ms since 1970: no round trip, but for the first call.

        It never goes back, unless the store's own clock has jumped back: a clock that was ahead holds up no game.
        Raises StoreUnavailable, at the first call.
        """
        if self._instead:
            return self._instead()
        with self._showing:
            measured = self._measured
            if measured:
                self._shown = max(self._shown, self._monotonic() + measured.offset)
                return self._shown
        self.measure()
        return self.now_ms()

    @property
    def jumps(self) -> tuple[Jump, ...]:
        """The last jumps on record, the oldest first."""
        return self._measured.jumps if self._measured else ()

    @property
    def apart_ms(self) -> int:
        """How far this machine's wall clock is ahead of the store's, in ms; negative: behind."""
        return self._measured.apart if self._measured else 0

    def is_apart(self) -> bool:
        """Whether this machine's wall clock is over a second from the store's."""
        return abs(self.apart_ms) > APART_MS

    @property
    def error_ms(self) -> int:
        """How exact the last measurement is, in ms."""
        return self._measured.error if self._measured else 0

    def is_steady(self) -> bool:
        """Whether the store's clock has not jumped within the last ten minutes. Raises as `now_ms`."""
        return self.now_ms() >= self._steady_at()

    def passes_at(self, moment: int, since: int, *, has_stopped: bool = False) -> int:
        """The store's time at which a deadline counts as passed, if the clock stays steady; both in ms since 1970.

        `since`: when the wait for it began; `has_stopped`: it doesn't count all of the time since then.
        Raises as `now_ms`.
        """
        settled = self.now_ms() + max(0, self._settled - self._monotonic()) if self._settled else 0
        return max(moment + lengthening(self.jumps, since, has_stopped=has_stopped), self._steady_at(), settled)

    def measure(self) -> None:
        """Ask the store for its time: one round trip, and one more when it has jumped. Raises StoreUnavailable."""
        if self._instead:
            return
        with self._measuring:
            try:
                self._follow()
            except STORE_ERRORS as error:
                raise StoreUnavailable("the store's clock can't be read") from error

    def _steady_at(self) -> int:
        return self.jumps[-1].after + self._steady_ms if self.jumps else 0

    def _follow(self) -> None:
        sent = self._monotonic()
        seconds, micros, records = self._store.client.eval(_READ.text, 1, self._key)
        came = self._monotonic()
        now, jumps = int(seconds) * 1000 + int(micros) // 1000, read_jumps(records)
        low, high = now - came, now - sent  # the offset is between these
        if (old := self._measured) is None:
            # Where the last jump on record is later than now, the clock has gone back while no process measured it.
            before = jumps[-1].after if jumps and jumps[-1].after > now + TOLERANCE_MS else now
            moved, known = now - before, len(jumps) and jumps[-1].number
            offset = (low + high) // 2
        else:
            # No further than the measurement demands: a slow answer doesn't make the clock worse.
            offset = min(max(old.offset, low), high)
            moved, known = offset - old.offset, old.jumps[-1].number if old.jumps else 0
            before = old.offset + old.at
        if abs(moved) > TOLERANCE_MS:
            rest = moved - sum(jump.by for jump in jumps if jump.number > known)
            if abs(rest) > TOLERANCE_MS:  # another process hasn't recorded this jump
                jump = Jump(jumps[-1].number + 1 if jumps else 1, before, now, rest)
                last = records[-1] if records else b""
                if self._store.client.eval(_RECORD.text, 1, self._key, jump.to_record(), last, _MOST) != [1]:
                    return  # the next measurement decides
                jumps = (*jumps, jump)
                logger.warning("the store's clock has jumped: time-outs wait", seconds=rest / 1000)
        self._settled = self._settled or came + self._settle_ms
        self._show(_Measured(offset, came, came - sent, self._wall() - came - offset, jumps), moved)

    def _show(self, measured: _Measured, moved: int) -> None:
        was_apart = self._measured is not None and abs(self._measured.apart) > APART_MS
        with self._showing:
            self._measured = measured
            if moved < -TOLERANCE_MS:
                self._shown = 0
        if abs(measured.apart) > APART_MS and not was_apart:
            logger.warning("this machine's clock is not the store's", seconds=measured.apart / 1000)
