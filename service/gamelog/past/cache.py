"""The cache of proved pasts of one process."""

from collections import OrderedDict
from threading import Lock
from typing import Final

from service.gamelog.past.past import Past

_MOST_BYTES: Final = 32 << 20
"""Of all pasts by their weights. A finished game without messages weighs about half a megabyte at most."""
_MOST_GAMES: Final = 512
_SHARE_OF_NEW: Final = 4
"""Pasts that were read once have a quarter of the bytes and of the games."""


class PastCache:
    """The pasts that were read last, within two limits. Safe for threads.

    Those that were read once and those that were read again have separate parts: a client that reads many games once
    displaces none that others read again and again. The one that was read longest ago is dropped; the next read of it
    costs as much as a first one.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES, most_games: int = _MOST_GAMES) -> None:
        """`most_bytes`: in both parts together; a past that is heavier than its part is not kept."""
        new_bytes, new_games = most_bytes // _SHARE_OF_NEW, most_games // _SHARE_OF_NEW
        self._new = _Part(new_bytes, new_games)
        self._used = _Part(most_bytes - new_bytes, most_games - new_games)
        self._lock = Lock()

    def get(self, game: str) -> Past | None:
        """The game's past as this process last saw it, perhaps behind the store."""
        with self._lock:
            past = self._used.get(game)
            if past is None and (past := self._new.pop(game)) is not None:
                self._used.put(game, past)
            return past

    def put(self, game: str, past: Past) -> None:
        """Keep the past, in the place of an earlier one of the game."""
        with self._lock:
            part = self._used if game in self._used.pasts else self._new
            part.put(game, past)

    def forget(self, game: str) -> None:
        """Remove the game's past."""
        with self._lock:
            self._new.pop(game)
            self._used.pop(game)

    @property
    def weight(self) -> int:
        """Bytes of all pasts, at most."""
        with self._lock:
            return self._new.weight + self._used.weight


class _Part:
    """Pasts in the order of their use, within limits. Not safe for threads."""

    def __init__(self, most_bytes: int, most_games: int) -> None:
        self.pasts: OrderedDict[str, tuple[Past, int]] = OrderedDict()
        self.weight = 0
        self._most_bytes = most_bytes
        self._most_games = most_games

    def get(self, game: str) -> Past | None:
        kept = self.pasts.get(game)
        if kept is None:
            return None
        self.pasts.move_to_end(game)
        return kept[0]

    def put(self, game: str, past: Past) -> None:
        self.pop(game)
        weight = past.weight
        if weight > self._most_bytes:
            return
        self.pasts[game] = past, weight
        self.weight += weight
        while self.weight > self._most_bytes or len(self.pasts) > self._most_games:
            _, (_, lost) = self.pasts.popitem(last=False)
            self.weight -= lost

    def pop(self, game: str) -> Past | None:
        past, weight = self.pasts.pop(game, (None, 0))
        self.weight -= weight
        return past
