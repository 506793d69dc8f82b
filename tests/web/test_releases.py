"""Two releases on one store: a page of one finds its scripts at the other, and the store holds few of them."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from redis import Redis
from structlog.testing import capture_logs
from werkzeug.test import Client as HttpClient
from werkzeug.test import TestResponse

from config.settings import Settings
from service.api.docs.static_content import StaticContent
from service.app import create_app, open_web
from service.bootstrap import assemble
from service.connections.clients import Client, connect
from service.gamelog.errors import StoreUnavailable
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.signing.deployment import Deployment
from service.web import assets, releases
from service.web.assets import load_assets, publish_assets
from service.web.releases import KEY, LARGEST, RELEASES, publish, start_publishing
from tests.support.counting import CountingClient
from tests.support.ports import free_port
from tests.support.servers import running_cluster
from tests.support.stores import EVERY_STORE, open_store
from tests.support.waiting import patience, wait_until

STORES = EVERY_STORE
SHARDS = 2
DEPLOYMENT = Deployment.new(SHARDS)
OWN = {f"{one.digest}/{name}": one.plain for name, one in load_assets().items()}


class Process:
    """A web process on a store, which isn't looked at before its first request."""

    def __init__(self, client: Client, seconds: float = 0.5) -> None:
        """`seconds`: for which it waits for its store."""
        self.client = CountingClient(client)
        self.store = Store(self.client, SHARDS, patience=seconds)
        log = GameLog(self.store, Reactions(lambda *_: None, 0.0))
        self.http = HttpClient(create_app(open_web(assemble(Settings(rate_limit=0), DEPLOYMENT, log))))

    def get(self, path: str) -> TestResponse:
        """One request."""
        return self.http.get(path)


@pytest.fixture
def older(client: Client) -> Process:
    """A process of this release, which has published its assets."""
    process = Process(client)
    publish(process.store, OWN)
    return process


@pytest.fixture
def newer(client: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Process]:
    """A process of a release all of whose assets are others. From now on every process of the test has its assets."""
    changed = {name: StaticContent.of(one.plain + b" ") for name, one in load_assets().items()}
    monkeypatch.setattr(assets, "load_assets", lambda: changed)
    yield Process(client)
    releases.find_asset.cache_clear()


def release(*names: str) -> dict[str, bytes]:
    """A release with these assets."""
    return {f"{StaticContent.of(name.encode()).digest}/{name}": name.encode() for name in names}


def kept(client: Client) -> set[str]:
    """The names of the assets in the store."""
    return {key.decode().partition("/")[2] for key in client.hkeys(KEY)} - {""}


@pytest.mark.parametrize("page", ["/", "/lobby", "/rules", "/check", "/g/some-game/replay"])
def test_a_page_loads_its_assets_from_another_release(
    older: Process, page: str, request: pytest.FixtureRequest
) -> None:
    """As from its own, headers included, also when no process of its own is left: one round trip, the first time."""
    html = older.get(page).text
    loaded = {path: older.get(path) for path in re.findall(r'"(/static/[^"]+)"', html)}
    assert any(path.endswith(".js") for path in loaded)
    assert any(path.endswith(".css") for path in loaded)
    process: Process = request.getfixturevalue("newer")
    for path, own in loaded.items():
        before = process.client.trips
        for _ in range(2):
            answer = process.get(path)
            assert (answer.status_code, answer.data) == (200, own.data)
            assert [*answer.headers] == [*own.headers]
            assert process.client.trips - before == 1


def test_own_assets_ask_no_store() -> None:
    """They are there whatever the store does; those of other releases get 503 then, and `Retry-After`."""
    process = Process(Redis(port=free_port()), seconds=0)
    for address in OWN:
        assert process.get(f"/static/{address}").status_code == 200
    assert process.client.trips == 0
    answer = process.get("/static/0123456789abcdef/game.js")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]


def test_what_cannot_be_an_asset_asks_no_store(newer: Process) -> None:
    """By its digest, its name or its suffix."""
    known = "0123456789abcdef"
    for wrong in (f"{known[1:]}/game.js", f"{known}0/game.js", "0123456789ABCDEF/game.js", "releases/game.js"):
        assert newer.get(f"/static/{wrong}").status_code == 404
    for wrong in ("game", "game.html", "Game.js", "..js%0A", "game.js%0A", "a/b.js", f"{'a' * 65}.js", "%00.js"):
        assert newer.get(f"/static/{known}/{wrong}").status_code == 404
    assert newer.client.trips == 0


def test_an_unknown_asset_is_looked_up_each_time(newer: Process) -> None:
    """One round trip; no cache may keep that it is missing, for its release may be about to publish it."""
    for trips in (1, 2):
        answer = newer.get(f"/static/{min(OWN)}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (404, "no-store")
        assert newer.client.trips == trips
    publish(newer.store, OWN)
    assert newer.get(f"/static/{min(OWN)}").status_code == 200


def test_other_content_is_not_served(older: Process, newer: Process) -> None:
    """Whatever the store has at an asset's place: its digest says what it is."""
    address = min(OWN)
    for wrong in (b"", b"alert(1)", OWN[address] + b"\n", OWN[max(OWN)]):
        older.client.hset(KEY, address, wrong)
        assert newer.get(f"/static/{address}").status_code == 404
    older.client.hset(KEY, address, OWN[address])
    assert newer.get(f"/static/{address}").status_code == 200


def test_the_last_releases_are_kept(client: Client) -> None:
    """With what they share; one that is started again, as after going back, is the newest then."""
    store = Store(client, SHARDS)
    for number in range(RELEASES + 2):
        publish(store, release("shared.js", "early.css" if number < 3 else "late.css", f"r{number}.js"))
    assert kept(client) == {"shared.js", "early.css", "late.css", "r2.js", "r3.js", "r4.js", "r5.js"}
    publish(store, release("shared.js", "early.css", "r2.js"))
    publish(store, release("r6.js"))
    assert kept(client) == {"shared.js", "early.css", "late.css", "r2.js", "r4.js", "r5.js", "r6.js"}
    publish(store, release("r7.js"))
    publish(store, release("r8.js"))
    assert kept(client) == {"shared.js", "early.css", "r2.js", "r6.js", "r7.js", "r8.js"}
    assert {one.decode(): client.hget(KEY, one) for one in client.hkeys(KEY)}.items() >= release("r8.js").items()
    assert client.ttl(KEY) == -1


def test_a_release_is_written_once(real_client: Client) -> None:
    """Whether twelve processes start one after the other, or at once: then all look first, and find nothing."""

    def changes() -> int:
        written: int = real_client.info("persistence")["rdb_changes_since_last_save"]
        return written

    before = changes()
    with ThreadPoolExecutor(12) as threads:
        for done in [threads.submit(publish, Store(real_client, SHARDS), OWN) for _ in range(12)]:
            done.result()
    assert changes() - before == len(OWN) + 1
    client = CountingClient(real_client)
    for _ in range(12):
        publish(Store(client, SHARDS), OWN)
    assert client.trips == 12
    assert changes() - before == len(OWN) + 1


def test_racing_releases_lose_nothing(real_client: Client) -> None:
    """As many as are kept, in any order, from twelve processes each."""
    each = [release("shared.js", f"r{number}.js") for number in range(RELEASES)]
    with ThreadPoolExecutor(12) as threads:
        for done in [threads.submit(publish, Store(real_client, SHARDS), one) for one in each * 12]:
            done.result()
    assert kept(real_client) == {"shared.js", *(f"r{number}.js" for number in range(RELEASES))}


def test_own_assets_fit() -> None:
    """In number, size and name: what would be refused is noticed here."""
    assert sum(map(len, OWN.values())) <= LARGEST * 3 // 4, "soon LARGEST has to be raised"
    for address in OWN:
        digest, name = address.split("/")
        assert assets._DIGEST.fullmatch(digest)
        assert assets._NAME.fullmatch(name)


def test_a_release_that_is_too_large_is_not_written(client: Client) -> None:
    """The store is for games."""
    with pytest.raises(ValueError, match="too large"):
        publish(Store(client, SHARDS), {"0123456789abcdef/game.js": bytes(LARGEST + 1)})
    assert not client.exists(KEY)


def test_a_full_store_is_not_written(real_client: Client) -> None:
    """Neither in part. One that has the assets already is asked without a fault."""
    store = Store(real_client, SHARDS, patience(3))
    publish(store, release("older.js"))
    real_client.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            publish(store, OWN)
        publish(store, release("older.js"))
        assert kept(real_client) == {"older.js"}
    finally:
        real_client.config_set("maxmemory", 0)


def test_a_start_does_not_wait_for_the_store(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it fail: the thread tries until the store takes the assets; the log has one line of it."""
    monkeypatch.setattr(releases, "_PAUSE_S", 0)
    tried, goes_on, stopped = [0], Event(), Event()

    def load() -> dict[str, bytes]:
        tried[0] += 1
        if tried[0] < 3:
            raise StoreUnavailable("it is away")
        assert goes_on.wait(patience(30))
        return OWN

    with capture_logs() as logged:
        start_publishing(Store(client, SHARDS), load, stopped)
        wait_until(lambda: tried[0] == 3)
        assert not client.exists(KEY)
        goes_on.set()
        wait_until(lambda: client.hlen(KEY) == len(OWN) + 1)
    assert [line["log_level"] for line in logged] == ["warning"]
    assert tried[0] == 3


def test_a_process_that_ends_tries_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its store may be away for good."""
    monkeypatch.setattr(releases, "_PAUSE_S", 3600)
    stopped = Event()
    thread = publish_assets(Store(Redis(port=free_port()), SHARDS, patience=0), stopped)
    stopped.set()
    thread.join(patience(10))
    assert not thread.is_alive()


@pytest.mark.slow
def test_a_cluster_has_them_too(tmp_path: Path) -> None:
    """From whichever node: another process finds them there."""
    with running_cluster(tmp_path) as cluster, closing(connect(cluster.url)) as client:
        store = open_store(cluster.url, SHARDS)
        for _ in range(2):
            publish(store, OWN)
        assert client.hlen(KEY) == len(OWN) + 1
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(assets, "load_assets", dict)
            process = Process(client, patience(3))
            for address, content in OWN.items():
                assert process.get(f"/static/{address}").data == content
        releases.find_asset.cache_clear()
