"""How long raw connections wait for a server."""

import socket
import struct

import pytest
import redis

from service.connections.clients import Client
from service.connections.raw import _ServerConnections, open_raw


def test_the_system_ends_a_wait(real_client: Client) -> None:
    """The socket itself blocks: Python would ask before each read and each write, and let other threads run first."""
    raw = open_raw(real_client)
    assert isinstance(raw, _ServerConnections)
    assert raw.exchange("", [("PING",)]) == [b"PONG"]
    ((connection, _),) = raw._idle
    line, seconds = connection._sock, connection.socket_timeout
    assert seconds
    assert line.gettimeout() is None
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        whole, micro = struct.unpack("@ll", line.getsockopt(socket.SOL_SOCKET, option, 16))
        assert whole + micro / 1_000_000 == pytest.approx(seconds, abs=0.02)
    raw.disconnect()


def test_a_server_that_says_nothing_is_a_timeout(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no lost connection, so the store isn't asked again at once; and the connection isn't used again."""
    monkeypatch.setitem(real_client.connection_pool.connection_kwargs, "socket_timeout", 0.1)
    raw = open_raw(real_client)
    assert isinstance(raw, _ServerConnections)
    with pytest.raises(redis.TimeoutError, match="too long"):
        raw.exchange("", [("BLPOP", "nothing", 0)])
    assert not raw._idle
