"""Copies of a store at one moment: the server sends its whole content to a replica that wants nothing else.

Every Redis from 6.2 on and every Valkey does so while it serves, from a fork of its process; rewriting its log or its
files changes nothing. A cluster sends a copy for each primary: each is of one moment, and each game is on one primary.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from service.commands.errors import CommandFailed
from service.connections.clients import Client
from service.gamelog.store.form.places import open_private

_SILENCE_S: Final = 60.0
"""A server that prepares a copy sends a line feed every second."""
_BLOCK: Final = 1 << 20
_MARK: Final = 40
"""Bytes that end a copy whose length isn't known in advance."""


def primaries(client: Client) -> list[Redis]:
    """A client of each server that has games."""
    if not hasattr(client, "get_primaries"):
        return [client]
    nodes = sorted(client.get_primaries(), key=lambda node: str(node.name))
    return [client.get_redis_connection(node) for node in nodes]


def copy_store(client: Client, folder: Path) -> list[Path]:
    """Copy all servers of a store at the same time, each to a file in RDB format. Raises CommandFailed."""
    nodes = primaries(client)
    files = [folder / f"node-{number:02d}.rdb" for number in range(len(nodes))]
    with ThreadPoolExecutor(len(nodes)) as threads:
        for _ in threads.map(_copy_server, nodes, files):
            pass
    return files


def _copy_server(server: Redis, path: Path) -> None:
    connection: Client = server.connection_pool.make_connection()
    try:
        connection.connect()
        _announce(connection)
        # What follows SYNC is a file, gigabytes long, and no reply that a connection could read.
        stream_of = connection._sock  # noqa: SLF001
        stream_of.settimeout(_SILENCE_S)
        connection.send_command("SYNC")
        with stream_of.makefile("rb") as stream, open(path, "xb", opener=open_private) as file:
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
    finally:
        connection.disconnect()


def _announce(connection: Client) -> None:
    """Say what is wanted: a copy without a length, and nothing after it. Raises redis-py's errors."""
    connection.send_command("REPLCONF", "capa", "eof")
    connection.read_response()
    connection.send_command("REPLCONF", "rdb-only", "1")
    with suppress(ResponseError):  # before Redis 7: such a server keeps sending, and no process reads it
        connection.read_response()


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
    while block := stream.read1(_BLOCK):  # type: ignore[attr-defined]  # a buffered reader has it
        tail += block
        if tail.endswith(mark):
            file.write(tail[: -len(mark)])
            return
        file.write(tail[:-_MARK])
        tail = tail[-_MARK:]
    raise ConnectionResetError
