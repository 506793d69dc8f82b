"""Whether the lists of what waits for a worker or the archiver are whole, and what rebuilds them from the games.

Appends alone write to these lists, and a list that was deleted looks like one in which nothing waits. So each has a
mark among its members, which goes with it: a list without the mark of a whole one is rebuilt.
Rule: a list gets that mark when every game of its shard has been looked at, and only if it wasn't deleted meanwhile. A
rebuild that ends before that is done again.
"""

import secrets
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from redis.exceptions import ResponseError

from service.connections.topology import Slots, server_states, slots_by_primary
from service.gamelog.archive.format import ArchivePlace
from service.gamelog.errors import CorruptLog
from service.gamelog.reactions import DueList
from service.gamelog.store.scripts import Script
from service.gamelog.store.streams import Store

KINDS: Final = ("due", "turns", "bots", "quiet")
"""The lists of a shard."""
# No game's id has a space.
WHOLE: Final = "is whole"
_TAKEN: Final = "taken until "
_LEASE_MS: Final = 10_000
_TAKE: Final = Script.load("lists_take.lua")
_MARK: Final = Script.load("lists_mark.lua")
_PLACE: Final = Script.load("lists_place.lua")
_DUE: Final[tuple[DueList, ...]] = ("due", "turns", "bots")
_PAGE: Final = 500


class Place(NamedTuple):
    """Where and when a game at some version waits."""

    game: str
    version: int
    last_hash: bytes
    """Of the last event."""
    due_in: DueList
    due_at: int | None
    """When a worker must look at the game, in ms since 1970; None: no worker has to."""
    look_at: int | None
    """When the archiver must; None: never."""


def is_mark(name: str) -> bool:
    """Whether a member of a list is a mark of it, and no game."""
    return name == WHOLE or name.startswith(_TAKEN)


def find_broken(store: Store) -> list[int]:
    """The shards with a list that isn't whole: one round trip. Raises StoreUnavailable."""

    def look() -> list[float | None]:
        pipeline = store.client.pipeline(transaction=False)
        for kind in KINDS:
            for key in store.shard_keys(kind):
                pipeline.zscore(key, WHOLE)
        return list(pipeline.execute())

    scores = store.with_retries(look)
    return sorted({place % store.shards for place, score in enumerate(scores) if score is None})


def is_waiting(store: Store, game: str, version: int) -> bool:
    """Whether the game is in a due list of its shard, or is no longer at that version: one read.

    Raises CorruptLog and StoreUnavailable.
    """
    keys = store.keys(game)
    scores = (("ZSCORE", getattr(keys, kind), game) for kind in _DUE)
    now, *times = store.read_together(("HGET", keys.head, "version"), *scores)
    return now != str(version).encode() or any(time is not None for time in times)


class Rebuild:
    """One process's rebuild of the lists of some shards. No other process rebuilds these, while it is renewed."""

    def __init__(self, store: Store) -> None:
        """Nothing is taken yet."""
        self._store = store
        self._name = secrets.token_hex(8)
        self._taken: dict[int, tuple[bytes, list[str]]] = {}
        """By shard: the mark that its lists have now, and the keys of those that are rebuilt."""
        self._servers: list[Any] = []
        self._slots: list[Slots] = []

    def take(self, shards: Sequence[int]) -> list[int]:
        """Begin with those of the shards that have broken lists, and that no other process rebuilds; returns them.

        Raises StoreUnavailable.
        """
        for shard in shards:
            keys = [self._store.shard_keys(kind)[shard] for kind in KINDS]
            mark, *lists = self._run(_TAKE, keys, WHOLE, _TAKEN, self._name, _LEASE_MS) or [b""]
            if lists:
                self._taken[shard] = mark, [keys[number - 1] for number in lists]
        return list(self._taken)

    def renew(self) -> bool:
        """Keep other processes off for longer; False if no list is left to this one. Raises StoreUnavailable."""
        return self._mark("")

    def finish(self) -> bool:
        """Mark the lists as whole that weren't deleted since they were taken. Raises StoreUnavailable.

        False, and nothing is marked, if since the games were looked for a server has been replaced or restarted (a scan
        that another server continues may miss some), or a slot of a cluster has moved or is on its way.
        """
        if self._store.with_retries(self._read_servers) != self._servers:
            return False
        slots = self._store.with_retries(self._read_slots)
        if slots != self._slots or any(primary.moving for primary in slots):
            return False
        return self._mark(WHOLE)

    def _read_servers(self) -> list[Any]:
        """What names each running server; nothing where it doesn't say."""
        try:
            return [state.get("run_id") for state in server_states(self._store.client, "server")]
        except ResponseError:
            return []

    def _read_slots(self) -> list[Slots]:
        """The slots of each primary of a cluster, and those on their way; nothing where it doesn't say."""
        try:
            return slots_by_primary(self._store.client)
        except ResponseError:
            return []

    def _mark(self, new: str) -> bool:
        for shard, (mark, keys) in list(self._taken.items()):
            now, count = self._run(_MARK, keys, mark, new, _TAKEN, self._name, _LEASE_MS)
            if count:
                self._taken[shard] = now, keys
            else:
                del self._taken[shard]
        return bool(self._taken)

    def find_missing(self) -> Iterator[tuple[list[str], bool]]:
        """The games of these shards that may be missing from a list, in pages, and whether they are archived.

        Archived games come last: few of them wait for anything. Raises redis-py's errors.
        """
        archived: list[str] = []
        self._servers = self._store.with_retries(self._read_servers)
        self._slots = self._store.with_retries(self._read_slots)
        found = self._store.client.scan_iter(match="{s*}:head:*", count=_PAGE, _type="HASH")
        while page := list(islice(found, _PAGE)):
            names = [name.decode(errors="replace").partition(":head:")[2] for name in page]
            games = [
                game
                for game, name in zip(names, page, strict=True)
                if self._store.shard(game) in self._taken and self._store.keys(game).head.encode() == name
            ]
            yield self._filter(games, archived), False
        for first in range(0, len(archived), _PAGE):
            yield archived[first : first + _PAGE], True

    def _filter(self, games: Sequence[str], archived: list[str]) -> list[str]:
        """Those of the games that are in no due list, or not in the archiver's: one round trip.

        `archived` gets those that are archived in the store. In a file is no running game, and it may be out of reach.
        """
        pipeline = self._store.client.pipeline(transaction=False)
        for game in games:
            keys = self._store.keys(game)
            pipeline.hmget(keys.head, "version", "archive")
            for key in (keys.due, keys.turns, keys.bots, keys.quiet):
                pipeline.zscore(key, game)
        replies = iter(pipeline.execute())
        missing = []
        for game in games:
            (version, field), *times, look_at = islice(replies, 5)
            if any(time is not None for time in times) and (look_at is not None or not self._lacks_looks(game)):
                continue
            try:
                place = ArchivePlace.read(field)
            except CorruptLog:
                place = None
            if place is None:
                missing.append(game)
            elif place.kind == "store":
                (archived if str(place.version).encode() == version else missing).append(game)
        return missing

    def _lacks_looks(self, game: str) -> bool:
        """Whether the archiver's list of the game's shard is rebuilt."""
        _, keys = self._taken.get(self._store.shard(game), (b"", []))
        return self._store.keys(game).quiet in keys

    def place(self, new: Place) -> bool | None:
        """Put a game into the lists that lack it; whether the due lists did. None if it has changed meanwhile.

        No round trip for one that waits for nothing. May run twice. Raises StoreUnavailable.
        """
        keys = self._store.keys(new.game)
        others = (kind for kind in _DUE if kind != new.due_in)
        names = [keys.head, keys.quiet, *(getattr(keys, kind) for kind in (new.due_in, *others))]
        look_at = new.look_at if self._lacks_looks(new.game) else None
        if new.due_at is None and look_at is None:  # what has happened since has placed it by itself
            return False
        times = ("" if at is None else at for at in (new.due_at, look_at))
        (is_new,) = self._run(_PLACE, names, new.game, new.version, new.last_hash, *times)
        return None if is_new < 0 else bool(is_new)

    def _run(self, script: Script, keys: Sequence[str], *arguments: str | int | bytes) -> list[Any]:
        return self._store.with_retries(lambda: self._store.run(script, keys, *arguments), keys[0])
