"""Which receivers have answered, for all post processes: one that has just started must not take them for new ones.

Rule: it only orders what is sent, so what is lost or old does little harm. Of a receiver nothing is kept but a digest.
"""

from hashlib import sha256
from typing import Final

from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store

_KEY: Final = "{receivers}"
_MOST_KEPT: Final = 10_000
_NOTE: Final = Script.load("receivers_note.lua", room="service.post")


class AnsweredReceivers:
    """Receivers that have answered, in one sorted set by the time. Methods raise StoreUnavailable."""

    def __init__(self, store: Store, most: int = _MOST_KEPT) -> None:
        """`most`: more are forgotten, those first whose answer was noted longest ago."""
        self._store = store
        self._most = most

    def has(self, name: str) -> bool:
        """Whether the receiver has answered, and has not failed since: one round trip."""
        return self._store.with_retries(lambda: self._store.client.zscore(_KEY, _digest(name))) is not None

    def note(self, name: str, *, failed: bool) -> None:
        """An attempt at the receiver has ended; `failed`: without an answer."""
        words = _digest(name), "" if failed else self._most
        self._store.with_retries(lambda: self._store.client.eval(_NOTE.text, 1, _KEY, *words))


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:32]
