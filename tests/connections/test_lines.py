"""The line of a raw connection reads and raises what redis-py does, of which it uses private names."""

import socket
from collections.abc import Iterator
from contextlib import closing
from threading import Thread
from typing import Any

import pytest
import redis
from redis.exceptions import BusyLoadingError, ResponseError

from service.connections.clients import Client
from service.connections.lines import Line, _ClientLine, _SystemLine, open_line
from service.connections.raw import Command, pack_commands
from tests.support.waiting import patience

COMMANDS: tuple[Command, ...] = (
    ("PING",),
    ("GET", "nothing"),
    ("SET", "text", b"\xff\x00 bytes"),
    ("GET", "text"),
    ("INCR", "number"),
    ("INCR", "text"),
    ("NO-SUCH-COMMAND",),
    ("HSET", "hash", "a", "1", "b", "2"),
    ("HGETALL", "hash"),
    ("ZADD", "sorted", "1.5", "one"),
    ("ZSCORE", "sorted", "one"),
    ("EVAL", "redis.setresp(3); return {true, false, 7, {double = 1.5}, {ok = 'fine'}, {err = 'no'}}", 0),
    ("MULTI",),
    ("LRANGE", "text", 0, 1),
    ("LRANGE", "list", 0, 1),
    ("EXEC",),
)
BIG = 3_000_000


def connected(client: Client) -> Any:
    """A new connection with the settings of the client."""
    connection = client.connection_pool.connection_class(**client.connection_pool.connection_kwargs)
    connection.connect()
    return connection


@pytest.fixture
def line(real_client: Client) -> Iterator[Line]:
    """A line to a server."""
    connection = connected(real_client)
    yield open_line(connection)
    connection.disconnect()


def ask(line: Line, *commands: Command) -> list[Any]:
    """The replies to commands that are sent together."""
    line.send(pack_commands(commands))
    return [line.read() for _ in commands]


def shown(replies: list[Any]) -> list[Any]:
    """Replies that can be compared: an error by its type and text."""
    return [shown(one) if isinstance(one, list) else repr(one) for one in replies]


def test_replies_are_those_of_redis_py(real_client: Client, line: Line) -> None:
    """Of every kind, errors among them, and those within a transaction."""
    assert type(line) is _SystemLine, "redis-py's connection has changed: see open_line"
    real_client.flushall()
    ours = ask(line, *COMMANDS)
    real_client.flushall()
    connection = connected(real_client)
    theirs = ask(_ClientLine(connection), *COMMANDS)
    connection.disconnect()
    assert shown(ours) == shown(theirs)
    assert isinstance(ours[5], ResponseError)
    assert isinstance(ours[-1][0], ResponseError)


def test_packets_and_replies_of_any_size(line: Line) -> None:
    """Larger than what the system takes or gives at once."""
    assert ask(line, ("SET", "big", b"x" * BIG), ("GET", "big"), ("PING",)) == [b"OK", b"x" * BIG, b"PONG"]


def test_what_a_server_says_unasked_is_no_reply(real_client: Client, line: Line) -> None:
    """It is handed to redis-py, as a message about a server's maintenance would be."""
    real_client.set("watched", "1")
    ask(line, ("CLIENT", "TRACKING", "ON"), ("GET", "watched"))
    real_client.set("watched", "2")
    assert ask(line, ("GET", "watched")) == [b"2"]


def test_a_connection_that_was_closed_is_lost(real_client: Client, line: Line) -> None:
    """Whether that shows when it is written to, or read from."""
    (number,) = ask(line, ("CLIENT", "ID"))
    real_client.client_kill_filter(_id=number)
    for _ in range(2):
        with pytest.raises(redis.ConnectionError, match=r"closed|broken"):
            ask(line, ("PING",))


def between(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Line, socket.socket]:
    """A connection, its line, and the other end of it, which the test has."""
    near, far = socket.socketpair()
    connection = connected(real_client)
    connection._sock.close()
    monkeypatch.setattr(connection, "_sock", near)
    return connection, open_line(connection), far


def test_a_server_that_loads_its_data_is_no_refusal(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised as by redis-py, alone and as the first reply of several."""
    connection, line, far = between(real_client, monkeypatch)
    with closing(far):
        far.sendall(b"-LOADING the dataset\r\n*2\r\n-LOADING the dataset\r\n+OK\r\n")
        for _ in range(2):
            with pytest.raises(BusyLoadingError):
                line.read()
    connection.disconnect()


def test_a_server_that_reads_slowly_gets_all(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system doesn't take at once is sent when it has room."""
    connection, line, far = between(real_client, monkeypatch)
    got = bytearray()

    def read() -> None:
        while len(got) < BIG:
            got.extend(far.recv(1000))

    reader = Thread(target=read)
    with closing(far):
        reader.start()
        line.send(bytes(BIG - 1))
        line.send(b"x")
        reader.join(patience(10))
    connection.disconnect()
    assert bytes(got) == bytes(BIG - 1) + b"x"
