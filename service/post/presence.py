"""Which seats hold a live stream open: the web processes say it, the sender of notices asks.

Rule 1: each stream has a mark of its own, which ends by itself: a process that crashes leaves none for long.
Rule 2: each seat's streams are marked, whatever its player wants: a subscription that changes counts at once, also for
streams that are open. The store's clock counts.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Final

from service.connections.scripts import Script
from service.gamelog.store.errors import CorruptLog, StoreUnavailable
from service.gamelog.store.streams import Store

RENEW_S: Final = 10.0
_EXPIRES_MS: Final = 30_000
_COUNT: Final = Script.load("presence.lua", room="service.post")


class Presence:
    """The live streams of all seats. Methods raise StoreUnavailable."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def is_watching(self, game: str, seat: int) -> bool:
        return self._count(game, seat) > 0

    @contextmanager
    def watching(self, game: str, seat: int | None) -> Iterator[Callable[[], None]]:
        """Mark a stream while the body runs; gives the function that renews the mark. A spectator has none.

        A store that is unavailable does no harm: the mark is missing then, or ends by itself.
        """
        if seat is None:
            yield lambda: None
            return
        store, stream, key = self._store, token_hex(8), self._store.watching(game, seat)

        def renew() -> None:
            with suppress(StoreUnavailable, CorruptLog):
                self._count(game, seat, stream, _EXPIRES_MS)

        renew()
        try:
            yield renew
        finally:
            with suppress(StoreUnavailable, CorruptLog):
                store.with_retries(lambda: store.client.zrem(key, stream), key)

    def _count(self, game: str, seat: int, *words: str | int) -> int:
        return int(self._store.run(_COUNT, [self._store.watching(game, seat)], *words))
