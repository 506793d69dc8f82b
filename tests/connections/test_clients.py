"""Which client a process gets: the server says what it is, and one that can't be asked decides nothing."""

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
    """Three nodes; `limited` is a user who may neither ask for INFO nor for the state of the cluster."""
    with running_cluster(tmp_path_factory.mktemp("nodes")) as nodes:
        for node in nodes.nodes:
            rules = "on", ">a,b", "~*", "&*", "+@all", "-info", "-cluster|info", "-config"
            with node.client() as client:
                client.execute_command("ACL", "SETUSER", "limited", *rules)
        yield nodes


def test_a_server_says_that_it_is_a_cluster(cluster: Cluster) -> None:
    """Also to a user who may not ask for it."""
    limited = ",".join(node.url.replace("//", "//limited:a,b@") for node in cluster.nodes)
    for url in (cluster.nodes[1].url, cluster.url, limited):
        with connect(url) as client:
            assert type(client) is RedisCluster
            assert client.set("{s00}:word", "said")


def test_any_node_that_answers_is_enough(cluster: Cluster) -> None:
    """Nodes that are down, or were never there, are passed over; all of them are an outage."""
    nobody = f"redis://127.0.0.1:{free_port()}"
    with connect(f"{nobody},{nobody},{cluster.nodes[2].url}") as client:
        assert client.get("{s01}:nothing") is None
    with pytest.raises(STORE_ERRORS):
        connect(f"{nobody},{nobody}")


def test_a_server_that_is_away_has_no_kind(tmp_path: Path) -> None:
    """An outage at the start is one; when the server is there it says what it is."""
    late = Server(tmp_path / "late", {"cluster-enabled": "yes", "cluster-require-full-coverage": "no"})
    with pytest.raises(STORE_ERRORS):
        connect(late.url)
    with running(late):
        with late.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
        with connect(late.url) as client:
            assert type(client) is RedisCluster


def test_several_addresses_are_those_of_a_cluster(server: Address, cluster: Cluster, tmp_path: Path) -> None:
    """A single server isn't, and the queue can't be on one."""
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


def test_connections_over_tcp_are_asked_for_a_sign_of_life(cluster: Cluster) -> None:
    """Idle ones too, by the system: a dead one is noticed within ten seconds."""
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
