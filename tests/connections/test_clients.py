"""Which Redis client `connect` returns: one for a cluster or for a single server, as the server itself answers."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.cluster import RedisCluster

from service.connections.address import BadAddress
from service.connections.clients import STORE_ERRORS, connect, connect_queue
from tests.support.ports import free_port
from tests.support.servers import Cluster, Server, running, running_cluster
from tests.support.stores import Server as Address


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three nodes; `limited` is a user without the right to INFO, CLUSTER INFO and CONFIG."""
    with running_cluster(tmp_path_factory.mktemp("nodes")) as nodes:
        for node in nodes.nodes:
            rules = "on", ">a,b", "~*", "&*", "+@all", "-info", "-cluster|info", "-config"
            with node.client() as client:
                client.execute_command("ACL", "SETUSER", "limited", *rules)
        yield nodes


def test_a_cluster_is_recognised(cluster: Cluster) -> None:
    """By any of its nodes, also for a user without the right to INFO and CLUSTER INFO."""
    limited = ",".join(node.url.replace("//", "//limited:a,b@") for node in cluster.nodes)
    for url in (cluster.nodes[1].url, cluster.url, limited):
        with connect(url) as client:
            assert type(client) is RedisCluster
            assert client.set("{s00}:word", "said")


def test_any_node_that_answers_is_enough(cluster: Cluster) -> None:
    """Addresses without a server are skipped; if no address answers, `connect` raises."""
    closed = f"redis://127.0.0.1:{free_port()}"
    with connect(f"{closed},{closed},{cluster.nodes[2].url}") as client:
        assert client.get("{s01}:nothing") is None
    with pytest.raises(STORE_ERRORS):
        connect(f"{closed},{closed}")


def test_a_cluster_that_starts_late_is_recognised(tmp_path: Path) -> None:
    """`connect` raises while its server is down: that is never taken for a single server."""
    late = Server(tmp_path / "late", {"cluster-enabled": "yes", "cluster-require-full-coverage": "no"})
    with pytest.raises(STORE_ERRORS):
        connect(late.url)
    with running(late):
        with late.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
        with connect(late.url) as client:
            assert type(client) is RedisCluster


def test_several_addresses_are_those_of_a_cluster(server: Address, cluster: Cluster, tmp_path: Path) -> None:
    """A single server among them is refused, and so is a cluster for the job queue."""
    alone = Server(tmp_path / "alone")
    with running(alone):
        with pytest.raises(BadAddress, match="in none"):
            connect(f"{alone.url},{cluster.url}")
        with connect(alone.url) as client:
            assert type(client) is redis.Redis
    with pytest.raises(BadAddress, match="one server"):
        connect_queue(cluster.url)
    with connect(server("valkey")) as client:
        assert type(client) is redis.Redis


def test_tcp_connections_use_keepalive(cluster: Cluster) -> None:
    """The operating system probes idle connections: it notices a dead one within ten seconds."""
    queue = connect_queue(cluster.nodes[0].url)
    with queue, connect(cluster.url) as client:
        node = client.get_redis_connection(client.get_default_node())
        for one in (queue, node):
            connection = one.connection_pool.get_connection()
            held = connection._sock
            assert held.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            wait = [
                held.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
            ]
            assert wait[0] + wait[1] * wait[2] < 10
            assert held.gettimeout() <= 5
            one.connection_pool.release(connection)
