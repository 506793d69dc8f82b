"""Looks for a person's words in all that a store and a folder of archives hold, packed or not."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service.connections.clients import Client
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.archive import ArchivePlace, unpack

_READ = {
    b"string": lambda client, key: [client.get(key)],
    b"hash": lambda client, key: [text for pair in client.hgetall(key).items() for text in pair],
    b"list": lambda client, key: client.lrange(key, 0, -1),
    b"set": lambda client, key: client.smembers(key),
    b"zset": lambda client, key: client.zrange(key, 0, -1),
    b"stream": lambda client, key: [text for _, fields in client.xrange(key) for text in fields.values()],
}


def find_words(client: Client, folder: Path, *words: str) -> list[str]:
    """The keys and files whose names or contents hold any of the words."""
    found = [
        key.decode()
        for key in client.scan_iter(count=1000)
        if _hold(words, [key, *_READ[client.type(key)](client, key), *_archive_of(client, key)])
    ]
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    return found + [path.name for path in files if _hold(words, [path.name.encode(), *_unpacked(path)])]


def _hold(words: tuple[str, ...], texts: list[Any]) -> bool:
    return any(word.encode() in text for text in texts for word in words)


def _archive_of(client: Client, key: bytes) -> Iterator[bytes]:
    tag, _, rest = key.decode().partition(":")
    if rest.startswith("archive:"):
        field = client.hget(f"{tag}:head:{rest.partition(':')[2]}", "archive")
        place = ArchivePlace.read(field)
        assert place, key
        yield from _bodies(client.get(key), place)
    elif rest.startswith("analysis:") and (answer := client.hget(key, "answer")):
        yield zlib.decompress(answer)


def _unpacked(path: Path) -> Iterator[bytes]:
    name = path.name
    (place,) = filter(None, (ArchivePlace.of_file(name[:at], name) for at in range(len(name)) if name[at] == "-"))
    yield from _bodies(path.read_bytes(), place)


def _bodies(value: bytes, place: ArchivePlace) -> list[bytes]:
    try:
        return [entry.body for entry in unpack(value, place)]
    except CorruptLog:  # its writer was killed amid it: what there is of it is as it was written
        return [value]
