"""Reading games from the store: their streams, joined with their archives.

Rule: a lost connection is retried here, and nowhere else: redis-py's own retries would send appends twice. So is a
cluster that is about to move a slot, or to replace a node.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from redis.cluster import RedisCluster
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterError,
    ConnectionError,  # noqa: A004
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    TimeoutError,  # noqa: A004
    TryAgainError,
)

from service.connections.clients import Client
from service.connections.scripts import Script, ScriptRunner, TooFewReplicas
from service.gamelog.store.breaker import COMMON_ROOM, CircuitBreaker, ThreadRoom
from service.gamelog.store.errors import CorruptLog, StoreUnavailable
from service.gamelog.store.form.archive import ArchivePlace, unpack
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.form.places import ArchiveFiles, ArchiveFilesUnavailable
from service.gamelog.store.keys import KeyNames
from service.gamelog.store.replies import GameHeader, RawGame, ReadReply, parse_header, parse_raw_entry, parse_reply

_PATIENCE: Final = 3.0
"""Seconds for which a lost connection is retried: longer than a restart of the store takes."""
_LOADING: Final = 10.0
"""Seconds for which a store that is reading its files is waited for: one with 20,000 finished games takes as long."""
_PAUSE: Final = 0.02
"""Seconds between two tries."""
_ATTEMPTS: Final = 5
"""An archive may be replaced between the read of its place and its own; then both are read again."""
_LOST: Final = (ConnectionError, TimeoutError, ReadOnlyError, OSError)
"""What a client raises while the store can't be reached, or is still reading its files."""
_MOVING: Final = (AskError, TryAgainError, ClusterError, RedisClusterException)
"""The same of a cluster: a slot is being moved (MOVED is an AskError), a node has no replacement yet (CLUSTERDOWN)."""

T = TypeVar("T")


def retry(call: Callable[[], T], patience: float, *, loading: float = _LOADING) -> T:
    """The call's result; retried for `patience` seconds while the store can't be reached: it may be restarting.

    `loading`: seconds for which a store is waited for that says that it is reading its files. Only for a call that may
    be sent twice. Raises StoreUnavailable, and CorruptLog for a key of another type.
    """
    began = time.monotonic()
    while True:
        try:
            return call()
        except (*_LOST, *_MOVING) as error:
            longest = max(patience, loading) if patience and isinstance(error, BusyLoadingError) else patience
            if time.monotonic() - began >= longest:
                raise StoreUnavailable("the store can't be reached") from error
            time.sleep(_PAUSE)
        except RedisError as error:
            if "WRONGTYPE" in str(error):
                raise CorruptLog("a key of the log holds a value of another type") from error
            reason = str(error) if isinstance(error, TooFewReplicas) else "the store refuses the command"
            raise StoreUnavailable(reason) from error


def _finder_of(cluster: RedisCluster) -> Callable[[str], str]:
    """A function that names the primary with a key; "" where none is known, or without a key."""
    slots = cluster.nodes_manager

    def find(key: str) -> str:
        nodes = slots.slots_cache.get(key_slot(key.encode())) if key else None
        return nodes[0].name if nodes else ""

    return find


class StoreReader(KeyNames):
    """All games, for reading. Calls raise StoreUnavailable, and CorruptLog for what no append can have written."""

    def __init__(  # noqa: PLR0913 - the rare arguments are keywords
        self,
        client: Client,
        shards: int,
        patience: float = _PATIENCE,
        *,
        files: ArchiveFiles | None = None,
        replicas: int = 0,
        room: ThreadRoom = COMMON_ROOM,
    ) -> None:
        """`patience`: seconds for which a lost connection is retried; `files`: the archives that are files.

        `replicas`: how many must have on disk what is acknowledged; `room`: for threads that wait.
        """
        super().__init__(shards)
        self.client = client
        self._patience = patience
        self._files = files
        self.replicas = replicas
        self.scripts = ScriptRunner(client, replicas)
        self.breaker = CircuitBreaker(_finder_of(client) if isinstance(client, RedisCluster) else None, room)

    def ids(self) -> list[str]:
        """The ids of all games that have a header, a stream or an archive; games opened meanwhile may be missing."""
        games = set()
        for key in self.client.scan_iter(match="{s*}:*:*", count=1000):
            name = key.decode(errors="replace")
            game = name.split(":", 2)[2]
            keys = self.keys(game)
            if name in (keys.stream, keys.head, keys.archive):
                games.add(game)
        return sorted(games)

    def scan_headers(self, at_once: int) -> Iterator[list[str]]:
        """The ids of all games that have a header, in pages; games opened meanwhile may be missing."""
        heads = self.client.scan_iter(match="{s*}:head:*", count=at_once, _type="HASH")
        while page := list(islice(heads, at_once)):
            games = [name.decode(errors="replace").partition(":head:")[2] for name in page]
            yield [game for game, name in zip(games, page, strict=True) if self.keys(game).head.encode() == name]

    def place(self, game: str) -> ArchivePlace | None:
        """Where the game's archive is; None where it has none. Raises CorruptLog and StoreUnavailable."""
        return self.header(game).place

    def header(self, game: str) -> GameHeader:
        """What the game's header says: one round trip. Raises CorruptLog and StoreUnavailable."""
        head = self.keys(game).head
        return parse_header(self.with_retries(lambda: self.client.hgetall(head)))

    def read(self, game: str, after: int = 0, key: bytes = b"") -> ReadReply:
        """The entries that hold events after version `after` (the first may also hold some before it).

        With the digest of an idempotency key also its record. One round trip, and one more where entries are in an
        archive. Raises CorruptLog and StoreUnavailable.
        """
        keys = self.keys(game)
        commands: list[tuple[Any, ...]] = [("HGETALL", keys.head), ("XRANGE", keys.stream, after + 1, "+")]
        if key:
            commands.append(("HGET", keys.idempotency, key))
        for _ in range(_ATTEMPTS):
            fields, raws, *record = self.read_together(*commands)
            reading = parse_reply(fields, (record[0] or b"") if record else b"", raws)
            place = reading.place
            if place is None or place.version <= after:
                return reading
            try:
                archived = self._read_archive(game, place)
            except CorruptLog:
                continue
            return reading._replace(entries=[entry for entry in archived if entry.version > after] + reading.entries)
        raise CorruptLog(f"the archive of game {game} can't be read")

    def read_raw(self, game: str) -> RawGame:
        """A whole game at one moment, damaged or not.

        Raises CorruptLog where a key holds no log at all, or an archive can't be read; and StoreUnavailable.
        """
        keys = self.keys(game)
        commands = ("HGETALL", keys.head), ("XRANGE", keys.stream, "-", "+")
        for attempt in range(_ATTEMPTS):
            fields, raws = self.read_together(*commands)
            try:
                header = parse_header(fields)
                place = header.place
                archived = self._read_archive(game, place) if place else []
            except CorruptLog:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            entries = [*archived, *map(parse_raw_entry, raws)]
            return RawGame(header.version, header.hash, entries)
        raise AssertionError

    def _read_archive(self, game: str, place: ArchivePlace) -> list[Entry]:
        """The entries in the archive at the place. Raises CorruptLog, also where it has just been replaced."""
        if place.kind == "files":
            return unpack(self._use_files(lambda files: files.read(place.file(game))), place)
        key = self.keys(game).archive
        return unpack(self.with_retries(lambda: self.client.get(key), key) or b"", place)

    def _use_files(self, call: Callable[[ArchiveFiles], T]) -> T:
        if self._files is None:
            raise StoreUnavailable("This game's archive is a file: set REIBACH_ARCHIVE_FILES.")
        try:
            return call(self._files)
        except ArchiveFilesUnavailable as error:
            raise StoreUnavailable(str(error)) from error

    def read_together(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The replies to reading commands on keys of one shard at one moment, as the server sends them."""
        return self.with_retries(lambda: self.scripts.run_transaction(*commands), commands[0][1])

    def with_retries(self, call: Callable[[], T], key: str = "", patience: float | None = None) -> T:
        """The call's result, as `retry` gives it; `patience`: None is that of this store.

        `key`: one of the shard that the call is about; "": it is about several. Raises StoreUnavailable at once where
        too many others wait for the store, or where it hangs.
        """
        breaker = self.breaker
        is_trial = breaker.acquire(key)
        try:
            answer = retry(call, self._patience if patience is None else patience)
        except StoreUnavailable as error:
            breaker.record(error.__cause__)
            if isinstance(error.__cause__, _LOST):  # the next call must not wait for another dead connection
                self.scripts.disconnect()
            raise
        finally:
            breaker.release(is_trial=is_trial)
        if breaker.is_open:
            breaker.record(None)
        return answer

    def call_each(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The replies to commands and scripts (`script, keys, *arguments`) that may be sent twice: one round trip.

        Their keys may be of any shards.
        """
        return self.with_retries(lambda: self.scripts.call_each(*commands)) if commands else []

    def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The reply of a script that may run twice, on keys of one shard: one round trip."""
        return self.with_retries(lambda: self.scripts.run(script, keys, *arguments), keys[0])
