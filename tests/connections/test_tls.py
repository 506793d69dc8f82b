"""TLS and users with passwords, for a single server, a cluster and Sentinel's addresses alike."""

import re
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry

from service.commands.backup.dump import dump_server
from service.connections.clients import STORE_ERRORS, connect, connect_queue, primaries_of, servers_of
from service.gamelog.store.streams import Store
from service.jobs import TIME_OUT, JobQueues
from service.runtime.durability import check_servers
from tests.gamelog.ledger import SHARDS, ack_of, check_log, new_game
from tests.support.ports import free_port
from tests.support.receivers import certificate
from tests.support.servers import Server, running, running_cluster
from tests.support.shell import HOSTING
from tests.support.stores import DEBIAN, NO_DEBIAN
from tests.support.world import new_log

USER = "reibach:p%40ss%23w%2Ford"
pytestmark = NO_DEBIAN


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of `localhost` and its key, in one file."""
    file = tmp_path_factory.mktemp("identity") / "localhost.pem"
    file.write_bytes(certificate("localhost"))
    return file


def rules() -> list[str]:
    """What docs/operating.md says that a user needs, with another password."""
    found = re.search(r"<!-- user -->\n```\nACL SETUSER reibach (.*)\n```", HOSTING)
    assert found is not None
    return found[1].replace(">password", ">p@ss#w/ord").split()


class _Guarded(Server):
    def client(self) -> redis.Redis:
        return redis.Redis.from_url(f"redis://{USER}@127.0.0.1:{self.port}", retry=Retry(NoBackoff(), 0))


@pytest.mark.parametrize("without_a_name", ["as the page says", "user default off"])
def test_a_restart_keeps_games_where_nobody_is_the_default_user(tmp_path: Path, without_a_name: str) -> None:
    """Shut out as the page says. With fewer rights this server forgets what scripts wrote, so the test can fail."""
    found = re.search(r"<!-- default user -->\n```\n(.*)\n```", HOSTING)
    assert found is not None
    users, as_documented = tmp_path / "users.acl", without_a_name == "as the page says"
    users.write_text(f"user reibach {' '.join(rules())}\n{found[1] if as_documented else without_a_name}\n")
    server = _Guarded(tmp_path / "store", {"aclfile": str(users)}, DEBIAN or "")
    with running(server), connect(f"redis://{USER}@127.0.0.1:{server.port}") as client:
        games = new_log(Store(client, SHARDS))
        ack = ack_of(games.create(new_game("g")))
        server.kill()
        server.start()
        if as_documented:
            check_log(games.store, "g", [ack])
        elif client.exists(games.store.stream("g")):
            pytest.skip("this redis-server reads its file back whoever may do what")


def secure(identity: Path, port: int) -> dict[str, str]:
    """Options of a server that speaks TLS at a second port."""
    files = {f"tls-{kind}-file": str(identity) for kind in ("cert", "key", "ca-cert")}
    return {"tls-port": str(port), "tls-auth-clients": "no", **files}


@pytest.fixture(scope="module", params=["single", "cluster"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, identity: Path
) -> Iterator[tuple[str, bool]]:
    """The address of a server, or of a cluster's only node, with TLS; whether it is a cluster."""
    port, folder = free_port(), tmp_path_factory.mktemp("store")
    options = secure(identity, port)
    if request.param == "single":
        server = Server(folder / "single", options, DEBIAN or "")
        started = running(server)
    else:
        started = running_cluster(folder, 1, 0, DEBIAN or "", **options, **{"tls-cluster": "yes"})
    with started as cluster:
        node = cluster.nodes[0] if cluster else server
        with node.client() as client:
            client.execute_command("ACL", "SETUSER", "reibach", *rules())
        names = "&ssl_check_hostname=false" if cluster else ""  # its nodes name each other by their addresses
        yield f"rediss://{USER}@localhost:{port}?ssl_ca_certs={identity}{names}", bool(cluster)


def test_games_are_played_through_tls(store: tuple[str, bool], tmp_path: Path) -> None:
    """By the document's user with a password of special characters, who may touch the service's keys alone.

    It also sees what metrics tell of the queue, and copies the store.
    """
    url, is_cluster = store
    with connect(url) as client:
        assert type(client) is (RedisCluster if is_cluster else redis.Redis)
        games = new_log(Store(client, SHARDS))
        ack = ack_of(games.create(new_game("g")))
        check_log(games.store, "g", [ack])
        with pytest.raises(redis.ResponseError):
            client.set("other", 1)
        assert check_servers(servers_of(client), 0) is None
        (primary,) = primaries_of(client)
        dump_server(primary, tmp_path / "dump.rdb")
        assert (tmp_path / "dump.rdb").read_bytes().startswith(b"REDIS")
    if not is_cluster:
        jobs = JobQueues(connect_queue(url))
        jobs.enqueue(TIME_OUT, ["g", 1], "job")
        count, oldest = jobs.backlog()
        assert (count, oldest is not None) == (1, True)


def test_another_server_is_not_talked_to(
    store: tuple[str, bool], identity: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests share one context, which trusts what any of them has trusted.
    monkeypatch.setattr(ssl, "create_default_context", ssl.create_default_context.__wrapped__)  # type: ignore[attr-defined]
    other = tmp_path / "other.pem"
    other.write_bytes(certificate("elsewhere"))
    with pytest.raises(STORE_ERRORS, match="CERTIFICATE_VERIFY_FAILED"):
        connect(store[0].replace(str(identity), str(other)))


def test_a_wrong_password_is_refused(store: tuple[str, bool]) -> None:
    with pytest.raises(redis.AuthenticationError) as refused:
        connect(store[0].replace("p%40ss", "wrong"))
    assert "wrong%23" not in str(refused.value)
