"""The three stores that tests of the log run on: fakeredis, Valkey and Redis."""

import shutil
from collections.abc import Callable, Iterator

import fakeredis
import pytest

from service.connections.clients import Client, connect
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.support.servers import write_lazily
from tests.support.waiting import patience

DEBIAN = shutil.which("redis-server")
NO_DEBIAN = pytest.mark.skipif(DEBIAN is None, reason="redis-server isn't installed")
KINDS = {
    "fakeredis": pytest.param("fakeredis", id="fakeredis"),
    "valkey": pytest.param("valkey", id="valkey"),
    "redis": pytest.param("redis", id="redis", marks=NO_DEBIAN),
}
EVERY_STORE = tuple(KINDS)
"""A test module says `STORES = EVERY_STORE` where stores can differ: in scripts, replies, errors. Others use Valkey."""
Server = Callable[[str], str]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The address of a `valkey` or `redis` server of these tests' own, started when it is first asked for."""
    running: dict[str, EmbeddedStore] = {}

    def address(kind: str) -> str:
        if kind not in running:
            binary = (DEBIAN or "") if kind == "redis" else ""
            running[kind] = EmbeddedStore(tmp_path_factory.mktemp(kind) / "store", binary)
            running[kind].start()
            write_lazily(running[kind].url)
        return running[kind].url

    yield address
    for store in running.values():
        store.stop()


def empty_client(kind: str, server: Server) -> Client:
    """A client of an empty store of that kind, which holds no script either."""
    if kind == "fakeredis":  # a server of its own, as a script that fails can spoil one for all later scripts
        return fakeredis.FakeRedis(server=fakeredis.FakeServer())
    client = connect(server(kind))
    client.flushall()
    client.script_flush()
    return client


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give `client` and `real_client` each store of the test's module."""
    kinds = [KINDS[kind] for kind in getattr(metafunc.module, "STORES", ("valkey",))]
    if "client" in metafunc.fixturenames:
        metafunc.parametrize("client", kinds, indirect=True)
    if "real_client" in metafunc.fixturenames:
        metafunc.parametrize("real_client", [kind for kind in kinds if kind.id != "fakeredis"], indirect=True)


@pytest.fixture
def client(request: pytest.FixtureRequest, server: Server) -> Iterator[Client]:
    """A client of an empty store, on each kind of store that the test's module names."""
    with empty_client(request.param, server) as client:
        yield client


@pytest.fixture
def real_client(request: pytest.FixtureRequest, server: Server) -> Iterator[Client]:
    """The same, on real servers only: for threads, and for features that fakeredis lacks."""
    with empty_client(request.param, server) as client:
        yield client


def open_store(url: str, shards: int) -> Store:
    """A store of games on a real server, which waits for it as long as a loaded machine may need."""
    return Store(connect(url), shards, patience(3))
