"""The game streams in Redis or Valkey: the only room that writes them.

Rule 1: one script appends, or refuses; expected version by equality, idempotency key, feed and due list in the same
atomic step.
Rule 2: only what may safely be sent twice is sent again after a lost connection. An append may: it carries a random
request id, and finds it in the store if the first send had arrived.
Rule 3: redis-py itself never retries (its default applied writes twice).
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar
from zlib import crc32

import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import BusyLoadingError, ConnectionError, ReadOnlyError, TimeoutError  # noqa: A004
from redis.retry import Retry

from service.gamelog.archive.format import ArchivePlace, unpack
from service.gamelog.archive.places import ArchiveFiles, ArchiveFilesUnavailable
from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog, StoreUnavailable
from service.gamelog.store.replies import AppendRefused, RawGame, ReadReply, parse_raw_entry, parse_reply
from service.gamelog.store.scripts import Client, Script, ScriptRunner

_APPEND: Final = Script.load("append.lua")
_IMPORT: Final = Script.load("import.lua")
_COMPACT: Final = Script.load("archive.lua")
_PATIENCE: Final = 3.0
"""Seconds for which a lost connection is tried again: longer than a restart of the store takes."""
_PAUSE: Final = 0.02
_LOOKS: Final = 5
"""A reader that has read where an archive is may find a newer one there, and looks again."""

T = TypeVar("T")


def connect(url: str) -> Client:
    """A client for the store at `url`. It never retries by itself. A cluster is recognised by its own word."""
    options: dict[str, Any] = {"protocol": 3, "socket_timeout": 5.0, "socket_connect_timeout": 5.0}
    client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), **options)
    try:
        clustered = bool(client.info("cluster").get("cluster_enabled"))
    except redis.exceptions.RedisError:
        clustered = False
    if not clustered:
        return client
    client.close()
    return RedisCluster.from_url(url, retry=Retry(NoBackoff(), 0), **options)


class Store:
    """The streams, headers, archives, keys, feeds and due lists of all games."""

    def __init__(
        self, client: Client, shards: int, patience: float = _PATIENCE, *, files: ArchiveFiles | None = None
    ) -> None:
        """`shards` is fixed when a deployment is created; `patience`: seconds that a lost connection is retried.

        `files`: where archives are that don't lie in the store.
        """
        self.client = client
        self.shards = shards
        self._patience = patience
        self._files = files
        self._scripts = ScriptRunner(client)

    # Keys. All of a game share its shard's hash tag.

    def tag(self, game: str) -> str:
        """The hash tag of the game's shard."""
        return f"{{s{crc32(game.encode()) % self.shards:02d}}}"

    def stream(self, game: str) -> str:
        """The game's stream; also the channel on which its new versions are published."""
        return f"{self.tag(game)}:game:{game}"

    def _keys(self, game: str) -> tuple[str, str, str, str, str, str]:
        tag = self.tag(game)
        lists = f"{tag}:feed", f"{tag}:due", f"{tag}:quiet"
        return f"{tag}:game:{game}", f"{tag}:head:{game}", f"{tag}:keys:{game}", *lists

    def _archive(self, game: str) -> str:
        return f"{self.tag(game)}:archive:{game}"

    def shard_keys(self, kind: str) -> list[str]:
        """The `feed`, `due` or `quiet` keys of all shards."""
        return [f"{{s{shard:02d}}}:{kind}" for shard in range(self.shards)]

    # Writing

    def append(  # noqa: PLR0913 - one atomic step has this many sides; all but two by name
        self,
        game: str,
        entry: Entry,
        *,
        previous: bytes,
        head_hash: bytes,
        types: Sequence[str],
        due_at: int | None = None,
        archive_at: int | None = None,
        keep_due: bool = False,
        key: bytes = b"",
        record: bytes = b"",
        keys_expire_s: int | None = None,
    ) -> AppendRefused | None:
        """Append one entry where the game is at the version before it; None when that is done.

        `head_hash`: of the entry's last event, 32 bytes; `previous`: of the event before its first, empty for a new
        game; `due_at`, `archive_at`: when a worker must look at the game, and when it may be archived (ms since 1970);
        `keep_due`: whether a worker is due when it was before, whatever `due_at`. Raises StoreUnavailable.
        """
        expected = entry.version - entry.count
        arguments = (
            game,
            expected,
            entry.version,
            entry.count,
            entry.elapsed,
            entry.body,
            head_hash,
            entry.check,
            key,
            record,
            ",".join(types),
            "kept" if keep_due else "" if due_at is None else due_at,
            "" if keys_expire_s is None else keys_expire_s,
            previous,
            "" if archive_at is None else archive_at,
        )
        word, *rest = self.with_retries(lambda: self._scripts.run(_APPEND, self._keys(game), *arguments))
        if word == b"appended":
            return None
        *rest, field = rest
        place = ArchivePlace.read(field)
        # What lies in an archive the script can't give.
        reading = self.read(game, expected, key) if place and place.version > expected else parse_reply(*rest)
        if reading.entries and reading.entries[0].check == entry.check:
            return None  # appended by this very call: the first answer was lost on its way
        return AppendRefused(reading)

    def import_game(  # noqa: PLR0913 - like `append`
        self,
        game: str,
        entries: Sequence[Entry],
        *,
        head_hash: bytes,
        types: Sequence[str],
        due_at: int | None,
        archive_at: int | None = None,
        key: bytes = b"",
        record: bytes = b"",
        keys_expire_s: int | None = None,
    ) -> bool:
        """Write all entries of a game that was played already, in one step; False where its id is taken.

        `head_hash`: of the last event; `types`: of the last entry's events, for the feed; `due_at`, `archive_at`: as in
        `append`. Raises StoreUnavailable.
        """
        head = entries[-1].version
        words = [word for one in entries for word in (f"{one.version}-{one.count}", one.elapsed, one.body, one.check)]
        times = ("" if at is None else at for at in (due_at, archive_at))
        expire = "" if keys_expire_s is None else keys_expire_s
        arguments = (game, head, head_hash, ",".join(types), *times, key, record, expire, *words)
        word, *rest = self.with_retries(lambda: self._scripts.run(_IMPORT, self._keys(game), *arguments))
        # Sent again after a lost connection, it finds the random request id that it has written.
        return bool(word == b"brought in" or rest[0] == entries[-1].check)

    def write_file(self, game: str, place: ArchivePlace, archive: bytes) -> None:
        """Keep the archive of a game in a file, where nobody looks for it yet. Raises StoreUnavailable."""
        self._of_files(lambda files: files.write(place.file(game), archive))

    def compact(self, game: str, place: ArchivePlace, last_hash: bytes, archive: bytes) -> bool:
        """Put the archive of a whole game in the place of its stream; False where the game has gone on meanwhile.

        `last_hash`: of the last event in it; `archive`: empty where it lies in a file. Raises StoreUnavailable.
        """
        stream, head, *_, quiet = self._keys(game)
        keys = stream, head, self._archive(game), quiet
        arguments = game, place.version, last_hash, place.field(), archive
        (done,) = self.with_retries(lambda: self._scripts.run(_COMPACT, keys, *arguments))
        return bool(done)

    # Reading

    def ids(self) -> list[str]:
        """All games that have a header, a stream or an archive, by their ids; new ones may be missing."""
        found = set()
        for key in self.client.scan_iter(match="{s*}:*:*", count=1000):
            name = key.decode(errors="replace")
            game = name.split(":", 2)[2]
            if name in (*self._keys(game)[:2], self._archive(game)):
                found.add(game)
        return sorted(found)

    def place(self, game: str) -> ArchivePlace | None:
        """Where the game's archive is; None where it has none. Raises CorruptLog, and StoreUnavailable."""
        head = self._keys(game)[1]
        return ArchivePlace.read(self.with_retries(lambda: self.client.hget(head, "archive")))

    def read(self, game: str, after: int = 0, key: bytes = b"") -> ReadReply:
        """The entries that hold events after version `after` (the first may also hold some before it).

        With the digest of an idempotency key also its record, in the same round trip.
        """
        stream, head, keys, *_ = self._keys(game)
        commands = (
            ("HMGET", head, "hash", "archive"),
            *([("HGET", keys, key)] if key else []),
            ("XRANGE", stream, after + 1, "+"),
        )
        for _ in range(_LOOKS):
            (head_hash, field), *record, raws = self.with_retries(lambda: self._scripts.run_transaction(*commands))
            reading = parse_reply(head_hash or b"", record[0] if record and record[0] else b"", raws)
            place = ArchivePlace.read(field)
            if place is None or place.version <= after:
                return reading
            try:
                past = self._archived(game, place)
            except CorruptLog:
                continue
            return reading._replace(entries=[one for one in past if one.version > after] + reading.entries)
        raise CorruptLog("the archive of a game can't be read")

    def _archived(self, game: str, place: ArchivePlace) -> list[Entry]:
        """What the archive at the place holds. Raises CorruptLog, also where it has just been replaced."""
        if place.kind == "files":
            return unpack(self._of_files(lambda files: files.read(place.file(game))), place)
        return unpack(self.with_retries(lambda: self.client.get(self._archive(game))) or b"", place)

    def _of_files(self, call: Callable[[ArchiveFiles], T]) -> T:
        if self._files is None:
            raise StoreUnavailable("archives lie in files, and nobody says where")
        try:
            return call(self._files)
        except ArchiveFilesUnavailable as error:
            raise StoreUnavailable(str(error)) from error

    def read_raw(self, game: str) -> RawGame:
        """A whole game at one moment, whatever is wrong with it.

        Raises CorruptLog where a key holds no log at all, or an archive can't be read.
        """
        stream, head, *_ = self._keys(game)

        def snapshot() -> Any:
            pipeline = self.client.pipeline(transaction=True)  # a new one for each try: it is empty after a failure
            pipeline.hmget(head, "version", "hash", "archive")
            pipeline.xrange(stream)
            return pipeline.execute()

        for look in range(_LOOKS):
            (version, head_hash, field), raws = self.with_retries(snapshot)
            known = int(version) if version is not None and version.isdigit() else 0
            entries = [parse_raw_entry(raw) for raw in raws]
            try:
                place = ArchivePlace.read(field)
                past = self._archived(game, place) if place else []
            except CorruptLog:
                if look == _LOOKS - 1:
                    raise
                continue
            return RawGame(known, head_hash or b"", [*past, *entries])
        raise AssertionError

    def check_writable(self) -> None:
        """Raise StoreUnavailable at once where the store takes nothing in: it is away, or its disk is full."""
        try:
            self.client.set("reibach:writable", 1, px=1000)
        except redis.exceptions.RedisError as error:
            raise StoreUnavailable("the store takes nothing in") from error

    def with_retries(self, call: Callable[[], T]) -> T:
        """The call's answer; tried again while the store is away: it may be restarting. Only for what may repeat."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return call()
            except (ConnectionError, TimeoutError, BusyLoadingError, ReadOnlyError, OSError) as error:
                if time.monotonic() > deadline:
                    raise StoreUnavailable("the store can't be reached") from error
                time.sleep(_PAUSE)
            except redis.exceptions.ResponseError as error:
                if "WRONGTYPE" in str(error):
                    raise CorruptLog("a key of the log holds a value of another type") from error
                raise StoreUnavailable("the store refuses the command") from error
