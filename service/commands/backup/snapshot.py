"""Copies of a store at one moment: the server sends its whole content to a replica that wants nothing else.

Every Redis from 6.2 on and every Valkey does so while it serves, from a fork of its process; rewriting its log or its
files changes nothing. A cluster sends a copy for each primary: each is of one moment, and each game is on one primary.
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from service.commands.errors import CommandFailed
from service.gamelog.store.scripts import Client

_SILENCE_S: Final = 60.0
"""A server that prepares a copy sends a line feed every second."""
_BLOCK: Final = 1 << 20
_MARK: Final = 40
"""Bytes that end a copy whose length isn't known in advance."""


def primaries(client: Client) -> list[Redis]:
    """A client of each server that has games."""
    if not hasattr(client, "get_primaries"):
        return [client]
    return [node.redis_connection for node in sorted(client.get_primaries(), key=lambda node: str(node.name))]


def copy_store(client: Client, folder: Path) -> list[Path]:
    """Copy all servers of a store at the same time, each to a file in RDB format. Raises CommandFailed."""
    nodes = primaries(client)
    files = [folder / f"node-{number:02d}.rdb" for number in range(len(nodes))]
    with ThreadPoolExecutor(len(nodes)) as threads:
        for _ in threads.map(_copy_server, nodes, files):
            pass
    return files


def _copy_server(server: Redis, path: Path) -> None:
    try:
        connection = server.connection_pool.make_connection()  # type: ignore[attr-defined]  # it has no annotation
        with closing(_Closing(connection)), open(path, "xb", opener=_open_private) as file:
            connection.connect()
            for option in (("capa", "eof"), ("rdb-only", "1")):
                connection.send_command("REPLCONF", *option)
                try:
                    connection.read_response()
                except ResponseError as error:
                    if option[0] == "capa":
                        raise
                    del error  # before Redis 7 there is no such option: the server goes on sending, unread
            connection._sock.settimeout(_SILENCE_S)  # noqa: SLF001 - what follows are no replies
            connection.send_command("SYNC")
            with connection._sock.makefile("rb") as stream:  # noqa: SLF001
                _receive(stream, file)
            file.flush()
            os.fsync(file.fileno())
    except ResponseError as error:
        raise CommandFailed(
            f"the store refuses to be copied ({error}): its user needs the commands SYNC and REPLCONF"
        ) from None
    except (RedisError, OSError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise CommandFailed(f"the copy of the store broke off ({reason})") from None


class _Closing:
    """A connection of redis-py as something that `closing` takes."""

    def __init__(self, connection: Client) -> None:
        self._connection = connection

    def close(self) -> None:
        self._connection.disconnect()


def _receive(stream: BinaryIO, file: BinaryIO) -> None:
    """Write what follows a SYNC to the file. Raises ResponseError where the server refuses, and OSError."""
    line = stream.readline(_BLOCK)
    while line == b"\n":
        line = stream.readline(_BLOCK)
    word = line.strip().decode(errors="replace")
    if word.startswith("-"):
        raise ResponseError(word[1:])
    if word.startswith("$EOF:"):
        _copy_until(stream, file, word[5:].encode())
    elif word.startswith("$"):
        _copy_bytes(stream, file, int(word[1:]))
    else:
        raise ConnectionResetError


def _copy_bytes(stream: BinaryIO, file: BinaryIO, left: int) -> None:
    while left:
        block = stream.read(min(left, _BLOCK))
        if not block:
            raise ConnectionResetError
        file.write(block)
        left -= len(block)


def _copy_until(stream: BinaryIO, file: BinaryIO, mark: bytes) -> None:
    """Copy up to the mark, by which the server ends. It sends nothing after it."""
    tail = b""
    for block in _blocks(stream):
        tail += block
        if tail.endswith(mark):
            file.write(tail[: -len(mark)])
            return
        file.write(tail[:-_MARK])
        tail = tail[-_MARK:]
    raise ConnectionResetError


def _blocks(stream: BinaryIO) -> Iterable[bytes]:
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]  # a buffered reader has it
        yield block


def _open_private(path: str, flags: int) -> int:
    """For the owner alone: a copy holds hidden cards and secrets."""
    return os.open(path, flags, 0o600)
