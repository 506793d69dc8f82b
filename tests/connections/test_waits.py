"""How long raw connections wait for a server."""

import pytest
import redis

from service.connections.clients import Client
from service.connections.raw import ServerConnections, open_raw


def test_a_server_that_says_nothing_is_a_timeout(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no lost connection, so the store isn't asked again at once; and the connection isn't used again."""
    monkeypatch.setitem(real_client.connection_pool.connection_kwargs, "socket_timeout", 0.1)
    raw = open_raw(real_client)
    assert isinstance(raw, ServerConnections)
    with pytest.raises(redis.TimeoutError):
        raw.exchange("", [("BLPOP", "nothing", 0)])
    assert not raw._idle


def test_a_refused_command_is_a_reply(real_client: Client) -> None:
    """The replies to the commands beside it are read, too, and the connection is used again."""
    raw = open_raw(real_client)
    assert raw is not None
    for _ in range(2):
        first, refused, last = raw.exchange("", [("PING",), ("NO-SUCH-COMMAND",), ("ECHO", "text")])
        assert (first, last) == (b"PONG", b"text")
        assert isinstance(refused, redis.ResponseError)
    raw.disconnect()


def test_a_connection_to_a_replica_is_not_used_again(real_client: Client) -> None:
    """Also where only one of many commands writes: the primary may be elsewhere."""
    raw = open_raw(real_client)
    assert isinstance(raw, ServerConnections)
    raw.exchange("", [("REPLICAOF", "127.0.0.1", 1)])
    try:
        _, refused = raw.exchange("", [("PING",), ("SET", "key", "value")])
        assert isinstance(refused, redis.ReadOnlyError)
        assert not raw._idle
    finally:
        raw.exchange("", [("REPLICAOF", "NO", "ONE")])
        raw.disconnect()
