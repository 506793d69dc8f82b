"""The headers of many games, read without their entries: at which version and hash each of them is."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from service.gamelog.store.reader import StoreReader

_AT_ONCE: Final = 500
"""Headers that are read in one round trip."""


class Head(NamedTuple):
    """Where a game is, as its header says."""

    game: str
    version: int
    hash: str
    """Of the last event, in hex; empty where the header has none."""


def read_heads(store: StoreReader, games: Sequence[str]) -> Iterator[Head]:
    """The headers of the games, in their order; version 0 for a game without a header. Raises StoreUnavailable."""
    for begin in range(0, len(games), _AT_ONCE):
        some = games[begin : begin + _AT_ONCE]
        heads = store.call_each(*(("HMGET", store.keys(game).head, "version", "hash") for game in some))
        for game, (version, last_hash) in zip(some, heads, strict=True):
            number = int(version) if version is not None and version.isdigit() else 0
            yield Head(game, number, (last_hash or b"").hex())
