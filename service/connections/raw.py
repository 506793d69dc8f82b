"""Raw connections: commands in one packet, without the layers that redis-py's client puts around each of them.

A cluster's are chosen by the slot of a key. Redirections are followed here: MOVED and ASK at once; what takes a while
(a slot on its way, a failover) is raised for the caller to try again.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Protocol

import hiredis
import redis
from redis.cluster import RedisCluster
from redis.crc import key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, ReadOnlyError, SlotNotCoveredError

from service.connections.clients import Client
from service.connections.lines import Line, open_line

_MOST_REDIRECTIONS: Final = 5
_REFRESH_S: Final = 0.25
"""The map of a cluster is read at most once in so many seconds, however many threads miss a node."""

Command = tuple[Any, ...]


class RawConnections(Protocol):
    """Connections on which commands go in one packet. Safe for threads."""

    def exchange(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies of the server that has the key; a refused command's is a ResponseError, which isn't raised.

        Raises redis-py's errors; after one of a connection the commands may have run.
        """
        ...

    def disconnect(self) -> None:
        """Close the connections that no call uses, the client's, too: each next call makes one."""
        ...


def open_raw(client: Client) -> RawConnections | None:
    """Raw connections with the settings of `client`; None for a kind that has none, such as fakeredis."""
    if type(client) is redis.Redis:
        return _ServerConnections(client.connection_pool)
    if type(client) is RedisCluster:
        return _ClusterConnections(client)
    return None


def pack_commands(commands: Sequence[Command]) -> bytes:
    """The commands as redis-py packs them, which goes over their words three times more."""
    return b"".join([hiredis.pack_command(command) for command in commands])


class _ServerConnections:
    """Connections to one server, or to the primary that Sentinels know; kept for the next call."""

    def __init__(self, pool: Any) -> None:
        """With the settings of `pool`, whose own connections aren't used.

        It counts its connections, and after a hundred lost ones it would make no more.
        """
        self._pool = pool
        self._idle: deque[tuple[Any, Line]] = deque()

    def exchange(self, _key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies."""
        try:
            connection, line = self._idle.pop()
        except IndexError:
            connection = self._pool.connection_class(**self._pool.connection_kwargs)
            connection.connect()  # a Sentinel's connection finds its server here
            line = open_line(connection)
        try:
            line.send(pack_commands(commands))
            replies = [line.read() for _ in commands]
        except BaseException:
            # The store has closed all of its connections; or replies of this one are left unread.
            connection.disconnect()
            self.disconnect()
            raise
        if type(replies[0]) is ReadOnlyError:  # no primary any more: a new connection may find it elsewhere
            connection.disconnect()
            self.disconnect()
        else:
            self._idle.append((connection, line))
        return replies

    def disconnect(self) -> None:
        """Close the connections that no call uses, those of the pool, too: one by one they would time out."""
        self._pool.disconnect(inuse_connections=False)
        while True:
            try:
                self._idle.pop()[0].disconnect()
            except IndexError:
                return


class _ClusterConnections:
    """Connections to the nodes of a cluster."""

    def __init__(self, client: RedisCluster) -> None:
        """With the settings and the map of `client`, which all others who use the client renew, too."""
        self._client = client
        self._nodes = client.nodes_manager
        self._seeds = [(node.host, node.port) for node in client.startup_nodes]
        self._servers: dict[str, _ServerConnections] = {}
        self._refreshing = threading.Lock()
        self._refresh_at = -math.inf

    def exchange(self, key: str, commands: Sequence[Command]) -> list[Any]:
        """The replies. Raises also MovedError, TryAgainError and ClusterDownError: to be tried again in a moment."""
        slot = key_slot(key.encode())
        asking: list[Command] = []
        host, port, error = "", 0, AskError("0 :0")
        for _ in range(_MOST_REDIRECTIONS):
            try:
                node = self._nodes.get_node(host, port) if asking else self._nodes.get_node_from_slot(slot)
                if node is None:
                    raise SlotNotCoveredError(f"slot {slot} is at a node that is not known yet")
                replies = self._server_of(node).exchange(key, [*asking, *commands])[len(asking) :]
            except (redis.ConnectionError, redis.TimeoutError, OSError, SlotNotCoveredError):
                self._refresh()
                raise
            redirections = [reply for reply in replies if isinstance(reply, AskError)]  # or MovedError, which is one
            if not redirections:
                break
            error = redirections[0]
            if isinstance(error, MovedError):
                asking = []
                if not error.host:  # of the same host, as a cluster without names says
                    self._refresh()
                    raise error
                self._nodes.move_slot(error)
            else:
                asking, host, port = [("ASKING",)], error.host, error.port
        else:
            raise error
        for reply in replies:
            if isinstance(reply, ClusterDownError):
                self._refresh()
        return replies

    def disconnect(self) -> None:
        """Close the connections that no call uses."""
        for server in list(self._servers.values()):
            server.disconnect()

    def _server_of(self, node: Any) -> _ServerConnections:
        server = self._servers.get(node.name)
        if server is None:
            pool = self._client.get_redis_connection(node).connection_pool
            server = self._servers.setdefault(node.name, _ServerConnections(pool))
        return server

    def _refresh(self) -> None:
        """Read the map again, unless another thread does, or just has. What was named at the start is asked, too."""
        if not self._refreshing.acquire(blocking=False):
            return
        try:
            if time.monotonic() >= self._refresh_at:
                try:
                    self._nodes.initialize(additional_startup_nodes_info=self._seeds)
                finally:
                    self._refresh_at = time.monotonic() + _REFRESH_S
        finally:
            self._refreshing.release()
