"""The feed: an outbox through which a reader, such as one that sends notifications, follows every game.

Rule 1: a reader gets a line for every append and import, at least once and in the order of each game; or it learns that
its position is lost (`PositionLost`), and rebuilds: a line for the present version of every game, then the feed again.
Rule 2: appends write to a feed only while it has readers, in the same atomic step as the entry. Lines are kept until
every reader has advanced past them. A reader that falls MAX_LINES behind (`feed.lua`) loses its position.
Rule 3: a position belongs to a reader's name. Two processes of one name share it, and may get the same lines.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from service.connections.scripts import Script
from service.gamelog.store.commit import load_script
from service.gamelog.store.streams import Store

_READ: Final = load_script("feed.lua", "feed_read.lua")
_ADVANCE: Final = load_script("feed.lua", "feed_advance.lua")
_REGISTER: Final = load_script("feed.lua", "feed_register.lua")
_PAGE: Final = 1000
"""Headers that a rebuild reads in one round trip."""


class PositionLost(Exception):
    """The reader is new, has fallen too far behind, or the store has lost its feed: it must rebuild."""


class FeedLine(NamedTuple):
    """A game has reached a version."""

    game: str
    version: int
    types: tuple[str, ...]
    """Of the events of its last entry; empty in a rebuild."""


class FeedBatch(NamedTuple):
    """Lines of one shard; `advance` takes it once they are dealt with."""

    shard: int
    lines: list[FeedLine]
    position: str
    """The id of the last line."""


class Feed:
    def __init__(self, store: Store, reader: str) -> None:
        """`reader`: its name, in small letters."""
        self._store = store
        self._reader = reader
        self._second_name = f"{reader}:new"
        self._keys = store.shard_keys("feed")

    def read(self, count: int = 100) -> list[FeedBatch]:
        """The next lines, at most `count` a shard, in one round trip: the same until `advance`. Raises PositionLost."""
        batches = []
        for shard, reply in enumerate(self._run_each(_READ, self._reader, count)):
            if not reply:
                raise PositionLost(self._reader)
            _, lines = reply
            if lines:
                batches.append(FeedBatch(shard, [_line(fields) for _, fields in lines], lines[-1][0].decode()))
        return batches

    def advance(self, batches: Sequence[FeedBatch]) -> None:
        """Don't read these lines again: they are dealt with. One round trip, and one sync. Raises PositionLost."""
        calls = ((_ADVANCE, [self._keys[batch.shard]], self._reader, batch.position) for batch in batches)
        if not all(is_moved for (is_moved,) in self._store.call_each(*calls)):
            raise PositionLost(self._reader)

    def rebuild_pages(self) -> Iterator[list[FeedLine]]:
        """A line for every game of the shards in which the reader has no position, many at a time.

        Positions are given when the caller has taken all lines: the caller deals with a page before it takes the next.
        A process that crashes before that rebuilds again. Raises StoreUnavailable, and redis-py's errors.
        """
        begun = self._run_each(_REGISTER, self._reader, self._second_name, "begin")
        missing = {key for key, (is_new,) in zip(self._keys, begun, strict=True) if is_new}
        if missing:
            yield from self._heads(missing)
            # A position that was lost meanwhile stays missing: the next `read` says so.
            self._run_each(_REGISTER, self._reader, self._second_name, "finish")

    def _heads(self, feeds: set[str]) -> Iterator[list[FeedLine]]:
        for games in self._store.scan_headers(_PAGE):
            wanted = [game for game in games if self._store.keys(game).feed in feeds]
            versions = self._store.call_each(*(("HGET", self._store.keys(game).head, "version") for game in wanted))
            yield [
                FeedLine(game, int(version), ())
                for game, version in zip(wanted, versions, strict=True)
                if version is not None  # the game may have been deleted meanwhile
            ]

    def _run_each(self, script: Script, *arguments: str | int) -> list[Any]:
        """The answers of a script, which may run twice, for the feeds of all shards: one round trip."""
        return self._store.call_each(*((script, [key], *arguments) for key in self._keys))


def _line(fields: list[bytes]) -> FeedLine:
    _, game, _, version, _, types = fields
    return FeedLine(game.decode(), int(version), tuple(types.decode().split(",")))
