"""The store's clock, which counts for all machines, without a round trip for each look at it.

Rule 1: a process keeps how far the store's time is from its own monotonic clock, and measures that about once a second.
A process's wall clock is never used. On a cluster the node of shard 0's keys is the reference.
Rule 2: where the store's clock jumps, no process follows before the time of the jump is in the store, and every process
reads that with each measurement. So one that starts right afterwards knows of it.
Rule 3: a deadline has passed when the store's time says so, and ten minutes have passed since the last jump, or an hour
since the end of an outage.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Final, NamedTuple

import structlog

from service.connections.clients import STORE_ERRORS
from service.connections.scripts import Script, call_each
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.reader import StoreReader

TOLERANCE_MS: Final = 2000
"""How far the store's clock may move between two measurements and still be steady."""
STEADY_MS: Final = 600_000
"""How long it must have been steady before anything times out."""
AFTER_OUTAGE_MS: Final = 3600_000
"""How long nothing times out when no worker has lived for long: nobody could play meanwhile."""
SETTLE_MS: Final = 1500
"""A process that starts waits for so long: others may have seen a jump just before, and are recording it."""
_READ: Final = Script.load("clock.lua", room="service.gamelog.store.health")

logger = structlog.get_logger("service.gamelog")


class _Measured(NamedTuple):
    offset: int
    """The store's time minus the monotonic clock, in ms."""
    error: int
    """The round trip, in ms: the offset, and the true one, lie somewhere within it."""
    jumped_at: int
    """When the store's clock was last seen to jump, or an outage to end, by that clock, in ms since 1970; 0: never."""
    hold: int
    """For how many ms after it nothing times out."""


class StoreClock:
    """The store's time in this process. Safe for threads; it starts none."""

    def __init__(
        self,
        store: StoreReader,
        *,
        instead: Callable[[], int] | None = None,
        monotonic: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        settle_ms: int = SETTLE_MS,
    ) -> None:
        """`instead`: a clock that counts in the store's place, is always steady, and is never measured.

        `monotonic`: milliseconds.
        """
        self._store = store
        self._instead = instead
        self._monotonic = monotonic
        self._settle_ms = settle_ms
        self._key = store.shard_keys("jumped")[0]
        self._measuring = Lock()
        self._showing = Lock()
        self._measured: _Measured | None = None
        self._settled = 0
        self._shown = 0
        self.setbacks = 0
        """How often the store's clock may have been set back, as far as this process knows."""

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
    def jumped_at(self) -> int:
        """When the last jump of the store's clock was seen, by that clock, in ms since 1970; 0: never."""
        return self._measured.jumped_at if self._measured else 0

    @property
    def error_ms(self) -> int:
        """How exact the last measurement is, in ms."""
        return self._measured.error if self._measured else 0

    def is_steady(self) -> bool:
        """Whether the store's clock has not jumped within the last ten minutes. Raises StoreUnavailable."""
        return self.now_ms() >= self._steady_at()

    def passes_at(self, moment: int) -> int:
        """When a deadline counts as passed if the clock stays steady, in ms since 1970. Raises StoreUnavailable."""
        settled = self.now_ms() + max(0, self._settled - self._monotonic()) if self._settled else 0
        return max(moment, self._steady_at(), settled)

    def measure(self) -> None:
        """Ask the store for its time: one round trip, and one more when it has jumped. Raises StoreUnavailable."""
        if self._instead:
            return
        with self._measuring:
            try:
                self._follow()
            except STORE_ERRORS as error:
                raise StoreUnavailable("the store's clock can't be read") from error

    def note_outage(self, silent_ms: int) -> None:
        """Let nothing time out for an hour, in any process, as no worker has lived for so long.

        Raises StoreUnavailable.
        """
        self.measure()
        with self._measuring:
            if self._measured is None:  # another clock counts
                return
            now = self.now_ms()
            try:
                self._store.client.set(self._key, f"{now} {AFTER_OUTAGE_MS}")
            except STORE_ERRORS as error:
                raise StoreUnavailable("an outage can't be noted") from error
            logger.warning("no worker has lived: time-outs wait for an hour", seconds=silent_ms / 1000)
            with self._showing:
                self._measured = self._measured._replace(jumped_at=now, hold=AFTER_OUTAGE_MS)

    def _steady_at(self) -> int:
        return self._measured.jumped_at + self._measured.hold if self._measured and self._measured.jumped_at else 0

    def _follow(self) -> None:
        sent = self._monotonic()
        ((seconds, micros, record),) = call_each(self._store.client, (_READ, [self._key]))
        moment, _, lasts = record.partition(b" ")
        came = self._monotonic()
        now, jumped_at = int(seconds) * 1000 + int(micros) // 1000, int(moment) if moment.isdigit() else 0
        hold = int(lasts) if lasts.isdigit() else STEADY_MS
        low, high = now - came, now - sent  # the offset is between these
        old, moved = self._measured, 0
        if old is None:
            offset = (low + high) // 2
        else:
            # No further than the measurement demands: a slow answer doesn't make the clock worse.
            offset = min(max(old.offset, low), high)
            moved = offset - old.offset
        was_set_back = jumped_at > now + TOLERANCE_MS  # while no process measured it
        # Another process may have noted the same jump just before.
        if (abs(moved) > TOLERANCE_MS or was_set_back) and abs(now - jumped_at) > TOLERANCE_MS:
            self._store.client.set(self._key, now)
            logger.warning("the store's clock has jumped: time-outs wait", seconds=(moved or now - jumped_at) / 1000)
            jumped_at, hold = now, STEADY_MS
        if moved < -TOLERANCE_MS or (old is None and now < jumped_at + STEADY_MS):
            self.setbacks += 1
        self._settled = self._settled or came + self._settle_ms
        with self._showing:
            self._measured = _Measured(offset, came - sent, jumped_at, hold)
            if moved < -TOLERANCE_MS:
                self._shown = 0
