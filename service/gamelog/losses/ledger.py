"""The record of what the store has lost: in the log, in a metric, and in the store, where `reibach doctor` reads it.

Rule: an entry is counted once, whichever processes remember it, and whenever they notice.
"""

import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import structlog

from service.gamelog.losses.loss import Loss
from service.gamelog.store.reader import StoreReader
from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store

_RECORD: Final = Script.load("ledger.lua", room="service.gamelog.losses")
_MOST: Final = 10_000
"""Lost entries of a shard on record."""
_EXPIRES_S: Final = 90 * 24 * 3600
_SHOWN: Final = 100
"""Lost entries of a game that its audit shows: the last ones."""
_WAITING: Final = 10_000
"""Losses of this process that wait to be recorded: the oldest ones are dropped."""
_RECORDED: Final = re.compile(rb"([ -~]+)/([0-9]{1,15})/[0-9a-f]+ ([0-9]{1,15}):([0-9]{1,15}):[0-9a-f]+")
"""Game, version and check of an entry; its events, when its loss was noticed, and the report's id."""

logger = structlog.get_logger("service.gamelog")


class RecordedLoss(NamedTuple):
    """An entry that the store has lost."""

    game: str
    version: int
    """Of its last event."""
    events: int
    noticed: int
    """By the store's clock, in seconds since 1970."""


class LossLedger:
    """Records losses: any thread notes them."""

    def __init__(self, store: Store, count: Callable[[int], None] = lambda _events: None) -> None:
        """`count`: adds lost events to the deployment's counts. Raises one of STORE_ERRORS."""
        self._store = store
        self._count = count
        self._waiting: deque[tuple[Loss, str]] = deque(maxlen=_WAITING)
        """Each with a random id, by which the store recognises a report that is sent again."""
        self._uncounted = 0

    def note(self, loss: Loss) -> None:
        """Leave a loss to the next `record`: no round trip, so that no request waits for a store that fails."""
        self._waiting.append((loss, secrets.token_hex(4)))

    def record(self) -> None:
        """Record what waits: no round trip where nothing does. One thread alone calls this.

        With replicas each loss takes seconds while they are missing. Raises one of STORE_ERRORS, and StoreUnavailable.
        """
        while self._waiting:
            waiting = self._waiting.popleft()
            try:
                self._send(*waiting)
            except BaseException:
                self._waiting.appendleft(waiting)
                raise
        if self._uncounted:
            self._count(self._uncounted)
            self._uncounted = 0

    def _send(self, loss: Loss, report: str) -> None:
        named: list[str | int] = [report]
        for entry in loss.entries:
            named += (f"{loss.game}/{entry.version}/{entry.check.hex()}", entry.events)
        events, entries = self._store.run(_RECORD, [_key(self._store, loss.game)], _MOST, _EXPIRES_S, *named)
        if entries:
            self._uncounted += events
            logger.error(
                "the store has lost acknowledged events",
                game=loss.game,
                events=events,
                remembered=loss.remembered,
                present=loss.present,
                kept=loss.kept,
            )


def read_losses(store: StoreReader) -> Iterator[RecordedLoss]:
    """All losses on record, by shard. Raises redis-py's errors."""
    for key in store.shard_keys("lost"):
        yield from _read(store, key)


def read_game_losses(store: StoreReader, game: str) -> list[RecordedLoss]:
    """A game's losses on record, in the order in which they were noticed, the last _SHOWN. Raises StoreUnavailable.

    One round trip; one more for each 1,000 records of the shard.
    """
    key = _key(store, game)
    found = store.with_retries(lambda: list(_read(store, key, f"{game}/*")), key)
    own = sorted((loss for loss in found if loss.game == game), key=lambda loss: (loss.noticed, loss.version))
    return own[-_SHOWN:]


def _read(store: StoreReader, key: str, pattern: str | None = None) -> Iterator[RecordedLoss]:
    for name, value in store.client.hscan_iter(key, match=pattern, count=1000):
        found = _RECORDED.fullmatch(name + b" " + value)
        if found is None:  # others' records, and the game's own log, can still be read
            logger.error("the record of a loss is damaged", key=key, record=repr(name))
            continue
        yield RecordedLoss(found[1].decode(), int(found[2]), int(found[3]), int(found[4]))


def _key(store: StoreReader, game: str) -> str:
    return f"{store.tag(game)}:lost"
