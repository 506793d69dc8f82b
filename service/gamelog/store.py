"""The game streams in Redis or Valkey: the only room that writes them.

Rule 1: one script appends, or refuses; expected version by equality, idempotency key, feed and due list in the same
atomic step.
Rule 2: only what may safely be sent twice is sent again after a lost connection. An append may: it carries a random
request id, and finds it in the store if the first send had arrived.
Rule 3: redis-py itself never retries (its default applied writes twice).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, TypeVar
from zlib import crc32

import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import BusyLoadingError, ConnectionError, NoScriptError, ReadOnlyError, TimeoutError  # noqa: A004
from redis.retry import Retry

from service.gamelog.codec import CorruptLog, Entry

Client = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async answers

_APPEND: Final = files("service.gamelog").joinpath("append.lua").read_text("utf-8")
_APPEND_SHA: Final = sha1(_APPEND.encode(), usedforsecurity=False).hexdigest()
_PATIENCE: Final = 3.0
"""Seconds for which a lost connection is tried again: longer than a restart of the store takes."""
_PAUSE: Final = 0.02

T = TypeVar("T")


class StoreUnavailable(Exception):  # noqa: N818 - the contract's word
    """The store can't be reached, or can't write, for longer than a restart takes."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The entry is in the store, on disk if the store is durable."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The game is not at the expected version; `entries` are those after it."""

    entries: list[Entry]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The idempotency key was used; `record` is what was kept with it."""

    record: bytes
    entries: list[Entry]


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
    """The streams, headers, keys, feeds and due lists of all games."""

    def __init__(self, client: Client, shards: int, patience: float = _PATIENCE) -> None:
        """`shards` is fixed when a deployment is created; `patience`: seconds that a lost connection is retried."""
        self.client = client
        self.shards = shards
        self._patience = patience

    # Keys. All of a game share its shard's hash tag.

    def tag(self, game: str) -> str:
        """The hash tag of the game's shard."""
        return f"{{s{crc32(game.encode()) % self.shards:02d}}}"

    def stream(self, game: str) -> str:
        """The game's stream; also the channel on which its new versions are published."""
        return f"{self.tag(game)}:game:{game}"

    def _keys(self, game: str) -> tuple[str, str, str, str, str]:
        tag = self.tag(game)
        return f"{tag}:game:{game}", f"{tag}:head:{game}", f"{tag}:keys:{game}", f"{tag}:feed", f"{tag}:due"

    def shard_keys(self, kind: str) -> list[str]:
        """The `feed` or `due` keys of all shards."""
        return [f"{{s{shard:02d}}}:{kind}" for shard in range(self.shards)]

    # Writing

    def append(  # noqa: PLR0913 - one atomic step has this many sides; all but two by name
        self,
        game: str,
        entry: Entry,
        *,
        types: Sequence[str],
        due_at: int | None = None,
        key: bytes = b"",
        record: bytes = b"",
        keys_expire_s: int | None = None,
    ) -> Appended | Conflict | Repeat:
        """Append one entry where the game is at the version before it. Raises StoreUnavailable."""
        arguments = (
            *self._keys(game),
            game,
            entry.version - entry.count,
            entry.version,
            entry.count,
            entry.elapsed,
            entry.body,
            entry.hash,
            entry.request,
            key,
            record,
            ",".join(types),
            "" if due_at is None else due_at,
            "" if keys_expire_s is None else keys_expire_s,
        )
        word, *rest = self.ask(lambda: self._evalsha(arguments))
        if word == b"appended":
            return Appended()
        entries = [parse_entry(raw) for raw in rest[-1]]
        if entries and entries[0].request == entry.request:
            return Appended()  # by this very call: the first answer was lost on its way
        return Repeat(rest[0], entries) if word == b"repeat" else Conflict(entries)

    def _evalsha(self, arguments: tuple[Any, ...]) -> list[Any]:
        try:
            return list(self.client.evalsha(_APPEND_SHA, 5, *arguments))
        except NoScriptError:  # a restarted store has no scripts
            return list(self.client.eval(_APPEND, 5, *arguments))

    # Reading

    def entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """The entries that hold events after version `after`; the first may also hold some before it."""
        raws = self.ask(lambda: self.client.xrange(self.stream(game), min=after + 1, max="+", count=limit))
        return [parse_entry(raw) for raw in raws]

    def look(self, game: str, after: int, key: bytes) -> tuple[bytes | None, list[Entry]]:
        """The key's record, and the entries after `after`, in one round trip."""

        def both() -> Any:
            pipeline = self.client.pipeline(transaction=False)
            pipeline.hget(self._keys(game)[2], key)
            pipeline.xrange(self.stream(game), min=after + 1, max="+")
            return pipeline.execute()

        record, raws = self.ask(both)
        return record, [parse_entry(raw) for raw in raws]

    def page(self, game: str, after: int, limit: int | None) -> tuple[Entry | None, list[Entry]]:
        """The last entry that ends at or before version `after`, and up to `limit` entries behind it, in one trip."""

        def both() -> Any:
            pipeline = self.client.pipeline(transaction=False)
            pipeline.xrevrange(self.stream(game), max=f"{after}", min="-", count=1)
            pipeline.xrange(self.stream(game), min=after + 1, max="+", count=limit)
            return pipeline.execute()

        before, raws = self.ask(both)
        return (parse_entry(before[0]) if before else None), [parse_entry(raw) for raw in raws]

    def ping(self) -> None:
        """Raise StoreUnavailable at once where the store doesn't answer."""
        try:
            self.client.ping()
        except redis.exceptions.RedisError as error:
            raise StoreUnavailable("the store doesn't answer") from error

    def ask(self, call: Callable[[], T]) -> T:
        """The call's answer; tried again while the store is away, for it may be restarting. Only for what may repeat."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return call()
            except (ConnectionError, TimeoutError, BusyLoadingError, ReadOnlyError, OSError) as error:
                if time.monotonic() > deadline:
                    raise StoreUnavailable("the store can't be reached") from error
                time.sleep(_PAUSE)
            except redis.exceptions.ResponseError as error:
                raise StoreUnavailable("the store refuses the command") from error


def parse_entry(raw: Any) -> Entry:
    """An entry from redis-py's answer. Raises CorruptLog."""
    try:
        name, fields = raw
        version, _, count = name.partition(b"-")
        return Entry(int(version), int(count), int(fields[b"t"]), fields[b"e"], fields[b"h"], fields[b"r"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptLog("an entry is not of the log's form") from error
