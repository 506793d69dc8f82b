"""Raw connections: commands in one packet, without the layers that redis-py's client puts around each of them.

A cluster's are chosen by the slot of a key. ASK is followed here; MOVED corrects the map of the cluster, and is raised
for the caller to try again, as what takes a while is (a slot on its way, a failover).
"""

import math
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import hiredis
import redis
from redis.cluster import RedisCluster
from redis.crc import key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, ReadOnlyError, ResponseError, SlotNotCoveredError

from service.connections.clients import Client

_REFRESH_S: Final = 0.25
"""The map of a cluster is read at most once in so many seconds, however many threads miss a node."""

Command = tuple[Any, ...]


def open_raw(client: Client) -> "RawConnections | None":
    """Raw connections with the settings of `client`; None for a kind that has none, such as fakeredis."""
    if type(client) is redis.Redis:
        return ServerConnections(client.connection_pool)
    return _ClusterConnections(client) if type(client) is RedisCluster else None


def pack_commands(commands: Sequence[Command]) -> bytes:
    """The commands as redis-py packs them, which goes over their words three times more."""
    return b"".join([hiredis.pack_command(command) for command in commands])


def _read_reply(connection: Any) -> Any:
    """The next reply; that to a command that was refused is a ResponseError, which isn't raised."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


class ServerConnections:
    """Connections to one server, or to the primary that Sentinels know; kept for the next call."""

    def __init__(self, pool: Any) -> None:
        """With the settings of `pool`, whose own connections aren't used.

        It counts its connections, and after a hundred lost ones it would make no more.
        """
        self._pool = pool
        self._idle: deque[Any] = deque()

    def exchange(self, _key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies; a refused command's is a ResponseError, which isn't raised.

        Raises redis-py's errors; after one of a connection the commands may have run.
        """
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._pool.connection_class(**self._pool.connection_kwargs)
            connection.connect()  # a Sentinel's connection finds its server here
        try:
            connection.send_packed_command([pack_commands(commands)])
            replies = [_read_reply(connection) for _ in commands]
        except BaseException:
            # The store has closed all of its connections; or replies of this one are left unread.
            connection.disconnect()
            self.disconnect()
            raise
        if ReadOnlyError in map(type, replies):  # no primary any more: a new connection may find it elsewhere
            connection.disconnect()
            self.disconnect()
        else:
            self._idle.append(connection)
        return replies

    def disconnect(self) -> None:
        """Close the connections that no call uses, those of the pool, too: one by one they would time out."""
        self._pool.disconnect(inuse_connections=False)
        while True:
            try:
                self._idle.pop().disconnect()
            except IndexError:
                return


class _ClusterConnections:
    def __init__(self, client: RedisCluster) -> None:
        """With the settings and the map of `client`, which all others who use the client renew, too."""
        self._client = client
        self._nodes = client.nodes_manager
        self._seeds = [(node.host, node.port) for node in client.startup_nodes]
        self._servers: dict[str, ServerConnections] = {}
        self._refresh_at = -math.inf

    def exchange(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies. Raises also MovedError, TryAgainError and ClusterDownError: to be tried again in a moment."""
        try:
            replies = self._server_of(self._nodes.get_node_from_slot(key_slot(key.encode()))).exchange(key, commands)
            elsewhere = next((reply for reply in replies if isinstance(reply, AskError)), None)
            if elsewhere and not isinstance(elsewhere, MovedError):  # which is an AskError, too
                node = self._nodes.get_node(elsewhere.host, elsewhere.port)
                replies = self._server_of(node).exchange(key, [("ASKING",), *commands])[1:]
        except (redis.ConnectionError, redis.TimeoutError, OSError, SlotNotCoveredError):
            self._refresh()
            raise
        for reply in replies:
            if isinstance(reply, MovedError) and reply.host:
                self._nodes.move_slot(reply)
                raise reply
            if isinstance(reply, MovedError | ClusterDownError):
                self._refresh()
                raise reply
        return replies

    def disconnect(self) -> None:
        for server in list(self._servers.values()):
            server.disconnect()

    def _server_of(self, node: Any) -> ServerConnections:
        if node is None:
            raise SlotNotCoveredError("the slot is at a node that is not known yet")
        server = self._servers.get(node.name)
        if server is None:
            pool = self._client.get_redis_connection(node).connection_pool
            server = self._servers.setdefault(node.name, ServerConnections(pool))
        return server

    def _refresh(self) -> None:
        """Read the map again, unless another thread does, or just has. What was named at the start is asked, too."""
        if time.monotonic() < self._refresh_at:
            return
        self._refresh_at = math.inf
        try:
            self._nodes.initialize(additional_startup_nodes_info=self._seeds)
        finally:
            self._refresh_at = time.monotonic() + _REFRESH_S


RawConnections: TypeAlias = ServerConnections | _ClusterConnections
"""Connections on which commands go in one packet. Safe for threads."""
