"""Clients of stores and queues, by their address: of one server, a cluster, or the primary that Sentinels know.

Rule 1: no client retries by itself; redis-py's default applies writes twice.
Rule 2: the kind of a server is what it says itself when a connection begins (HELLO), which no user can be forbidden to
ask. A server that can't be asked has no kind: an outage at the start never decides which client a process uses.
Rule 3: a dead connection is noticed within ten seconds: a request waits 5 s for its answer, and the system asks idle
connections by keepalive after 4 s, so that no firewall drops their state either.
"""

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelManagedConnection, SentinelManagedSSLConnection

from service.connections.address import Address, BadAddress, parse_address

Client = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async answers
STORE_ERRORS: Final = (RedisError, RedisClusterException, OSError)
"""What a client raises where the store can't be reached, or refuses: a cluster's error may be no RedisError."""
TIMEOUT_S: Final = 5.0
"""Seconds for which a connection to the store waits for an answer."""
_SENTINEL_TIMEOUT_S: Final = 1.0
"""Seconds that one Sentinel may take to answer; the next one is asked then."""
_QUEUE_TIMEOUTS_S: Final = (1.0, 3.0)
"""Seconds to connect to the queue's server, and for its answers. A worker raises the second for its blocking read."""
_IDLE_S, _INTERVAL_S, _PROBES = 4, 2, 2
"""Keepalive: an idle connection is asked after so many seconds, again after so many, and is dead after so many."""
_CLUSTER, _SENTINEL = "cluster", "sentinel"


class _PrimaryConnection(SentinelManagedConnection):
    """Is closed when a signal breaks off the wait for an answer: else the next command would get that answer.

    redis-py's other connections are by default, this kind of it isn't.
    """

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        return super().read_response(*arguments, **{"disconnect_on_error": True, **options})


class _SecurePrimaryConnection(_PrimaryConnection, SentinelManagedSSLConnection):
    """The same with TLS."""


def connect(url: str) -> Client:
    """A client for the store at `url`, which never retries by itself. The server says whether it is a cluster.

    Of several addresses the first one that answers is asked. Raises BadAddress, and one of STORE_ERRORS where no server
    can be asked.
    """
    address = parse_address(url)
    options: dict[str, Any] = {"protocol": 3, "socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S}
    if address.primary:
        return _connect_by_sentinels(address, options)
    for number, node_url in enumerate(address.urls, 1):
        client = _connect_to(address, node_url, options)
        try:
            mode = _mode_of(client)
        except STORE_ERRORS:
            client.close()
            if number == len(address.urls):
                raise
            continue
        if mode == _SENTINEL:
            raise BadAddress("this is a Sentinel: write redis+sentinel://host:port/name, with its primary's name")
        if mode == _CLUSTER:
            client.close()
            seeds = [ClusterNode(*node) for node in address.nodes]  # type: ignore[no-untyped-call]
            return RedisCluster(url=node_url, startup_nodes=seeds, retry=_no_retry(), **options, **_keepalive(address))
        if len(address.urls) > 1:
            raise BadAddress("several addresses name nodes of a cluster, and this server is in none")
        return client
    raise AssertionError


def connect_queue(url: str) -> redis.Redis:
    """A client for the queue alone: RQ changes the timeouts of its pool, so the log must not share it.

    Answers are bytes, as RQ needs them. It connects with the first command. Raises BadAddress.
    """
    address = parse_address(url)
    first, answer = _QUEUE_TIMEOUTS_S
    options: dict[str, Any] = {"protocol": 2, "socket_timeout": answer, "socket_connect_timeout": first}
    if address.primary:
        return _connect_by_sentinels(address, options)
    if len(address.urls) > 1:
        raise BadAddress("the job queue is on one server, not on a cluster")
    return _connect_to(address, address.urls[0], options)


def servers_of(client: Client) -> Iterator[redis.Redis]:
    """Clients of the servers behind a client that answer: of a cluster, its primaries and replicas."""
    if not isinstance(client, RedisCluster):
        yield client
        return
    for node in client.get_nodes():  # type: ignore[no-untyped-call]
        node_client = client.get_redis_connection(node)
        with suppress(redis.ConnectionError, redis.TimeoutError):
            node_client.ping()
            yield node_client


def server_states(client: Client, *section: str) -> list[dict[str, Any]]:
    """INFO of the server, on a cluster of every primary in the order of their names. Raises redis-py's errors."""
    return [primary.info(*section) for primary in primaries_of(client)]


def primaries_of(client: Client) -> list[redis.Redis]:
    """A client of each server that has games, in the order of their names."""
    if not hasattr(client, "get_primaries"):
        return [client]
    nodes = sorted(client.get_primaries(), key=lambda node: str(node.name))
    return [client.get_redis_connection(node) for node in nodes]


def _connect_to(address: Address, url: str, options: dict[str, Any]) -> redis.Redis:
    return redis.Redis.from_url(url, retry=_no_retry(), **options, **_keepalive(address))


def _connect_by_sentinels(address: Address, options: dict[str, Any]) -> redis.Redis:
    """A client of the primary: each new connection asks the Sentinels for it, the first one that answers decides."""
    alike = _keepalive(address)
    patience = {"socket_timeout": _SENTINEL_TIMEOUT_S, "socket_connect_timeout": _SENTINEL_TIMEOUT_S}
    known = Sentinel(  # type: ignore[no-untyped-call]
        address.nodes, sentinel_kwargs={**patience, **alike, "retry": _no_retry(), **address.sentinel_options}
    )
    kind = _SecurePrimaryConnection if address.options.get("ssl") else _PrimaryConnection
    client: redis.Redis = known.master_for(  # type: ignore[no-untyped-call]
        address.primary, **{**options, **alike, "retry": _no_retry(), **address.options, "connection_class": kind}
    )
    return client


def _mode_of(client: redis.Redis) -> str:
    """`standalone`, `cluster` or `sentinel`, as the server says at the begin of a connection."""
    pool = client.connection_pool
    connection = pool.get_connection()
    try:
        said: dict[Any, Any] = connection.handshake_metadata or {}
        mode = said.get(b"mode", said.get("mode", b""))
    finally:
        pool.release(connection)
    return mode.decode() if isinstance(mode, bytes) else str(mode)


def _no_retry() -> Retry:
    return Retry(NoBackoff(), 0)


def _keepalive(address: Address) -> dict[str, Any]:
    """Options for a connection over TCP; a unix socket knows when its other end is gone."""
    if not address.nodes:
        return {}
    idle = getattr(socket, "TCP_KEEPIDLE", None) or getattr(socket, "TCP_KEEPALIVE", None)  # macOS
    wanted = {idle: _IDLE_S, getattr(socket, "TCP_KEEPINTVL", None): _INTERVAL_S}
    wanted[getattr(socket, "TCP_KEEPCNT", None)] = _PROBES
    options = {name: value for name, value in wanted.items() if name is not None}
    return {"socket_keepalive": True, "socket_keepalive_options": options}
