"""The service's keys of one store, written into another by the commands that every release knows.

`DUMP` and `RESTORE` would be quicker, but no server reads dumps of a newer release, and no Redis those of Valkey 9.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from redis import Redis

from service.commands.terminal import track
from service.connections.clients import Client

_OURS: Final = re.compile(rb"\{s\d+\}:|\{?reibach\}?:|\{receivers\}$|\{mails\}:|rq:")
"""Keys of the service, `{receivers}` of earlier releases; a store may hold others', which are left alone."""
_PASSING: Final = re.compile(rb"reibach:|\{reibach\}:workers$|rq:")
"""Of these, keys that live processes write again: heartbeats, assets, jobs. The deployment is written apart."""
_KEYS: Final = 200
"""Keys that are read in one round trip."""
_WORDS: Final = 2000
"""Most arguments of a command: names and values, or scores and members, in pairs."""
_EXPIRED: Final = -2
_READ: Final[dict[bytes, Callable[[Client, bytes], Any]]] = {
    b"string": lambda pipeline, key: pipeline.get(key),
    b"hash": lambda pipeline, key: pipeline.hgetall(key),
    b"list": lambda pipeline, key: pipeline.lrange(key, 0, -1),
    b"set": lambda pipeline, key: pipeline.smembers(key),
    b"zset": lambda pipeline, key: pipeline.zrange(key, 0, -1, withscores=True),
    b"stream": lambda pipeline, key: pipeline.xrange(key).xinfo_stream(key).xinfo_groups(key),
}
_WRITE: Final = {b"string": "SET", b"hash": "HSET", b"list": "RPUSH", b"set": "SADD", b"zset": "ZADD"}


def own_keys(client: Client) -> Iterator[bytes]:
    return (key for key in client.scan_iter(count=1000) if _OURS.match(key))


def copy_keys(source: Redis, target: Client) -> None:
    """Copy the service's keys, with their times of expiry. Raises redis-py's errors."""
    keys = [key for key in own_keys(source) if not _PASSING.match(key)]
    batches = [keys[begin : begin + _KEYS] for begin in range(0, len(keys), _KEYS)]
    for batch in track(iter(batches), "Copying", len(batches)):
        reading = source.pipeline(transaction=False)
        for key in batch:
            reading.type(key)
        kinds = reading.execute()
        reads = [(key, kind) for key, kind in zip(batch, kinds, strict=True) if kind != b"none"]
        for key, kind in reads:
            _READ[kind](reading, key)
            reading.pttl(key)
        values = iter(reading.execute())
        writing = target.pipeline(transaction=False)
        for key, kind in reads:
            found = [next(values) for _ in range(3 if kind == b"stream" else 1)]
            if (left := next(values)) == _EXPIRED:
                continue
            if kind == b"stream":
                _write_stream(writing, key, *found)
            else:
                words = _words(kind, found[0])
                for begin in range(0, len(words), _WORDS):
                    writing.execute_command(_WRITE[kind], key, *words[begin : begin + _WORDS])
            if left > 0:
                writing.pexpire(key, left)
        writing.execute()


def _words(kind: bytes, value: Any) -> list[Any]:
    """A value as the command that writes it takes it."""
    match kind:
        case b"string":
            return [value]
        case b"hash":
            return [word for pair in value.items() for word in pair]
        case b"zset":
            return [word for member, score in value for word in (score, member)]
        case _:
            return list(value)


def _write_stream(pipeline: Client, key: bytes, entries: Any, state: Any, readers: Any) -> None:
    for number, fields in entries:
        pipeline.xadd(key, fields, number)
    for reader in readers:
        pipeline.xgroup_create(key, reader["name"], reader["last-delivered-id"], mkstream=True)
    if entries or readers:
        pipeline.execute_command("XSETID", key, state["last-generated-id"])
