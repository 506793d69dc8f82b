"""The log on a cluster of three nodes: every shard has its node, and every operation works across nodes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from config.settings import Settings
from domain.commands import SeatPlan
from service.commands.errors import BadUsage
from service.commands.options import require_store
from service.connections.clients import STORE_ERRORS, connect
from service.gamelog.archive.compaction import compact
from service.gamelog.copies.transfer import import_entries
from service.gamelog.integrity import check_integrity
from service.gamelog.live.hub import Hub
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.feed import Feed, PositionLost
from service.gamelog.store.generations import convert_headers
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.health.memory import MemoryGauge
from service.gamelog.store.streams import Store
from service.gamelog.waiting_lists import WaitingLists
from service.signing.deployment import open_deployment
from service.status import StatusReader, report
from tests.gamelog.feeds import rebuild
from tests.gamelog.ledger import SHARDS, any_act, finish, import_game, new_game
from tests.oracle.play import rechain
from tests.support.logs import random_log
from tests.support.servers import running_cluster
from tests.support.stores import open_store
from tests.support.waiting import wait_until
from tests.support.world import Jobs, new_log, new_services
from workers.threads.reconciler import Reconciler
from workers.threads.reporter import Reporter


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_cluster(tmp_path_factory.mktemp("nodes")) as nodes:
        yield nodes.url


@pytest.mark.nightly
def test_whole_games_are_played_on_every_shard(cluster: str) -> None:
    """Created, played, scored and read back by another process, on whatever nodes their shards are."""
    store = open_store(cluster, SHARDS)
    log = new_log(store, clock=lambda: 0)
    names = [f"clustered-{number}" for number in range(12)]
    assert len({store.tag(name) for name in names}) > 3
    for name in names:
        log.create(new_game(name))
        finish(log, name)
    elsewhere = new_log(open_store(cluster, SHARDS))
    assert [elsewhere.load(name).game for name in names] == [log.load_cached(name).game for name in names]


def test_what_is_due_and_what_is_new_is_noticed(cluster: str) -> None:
    """The reconciler finds a waiting game, and the hub learns of a new version, on whatever nodes they are."""
    client = connect(cluster)
    deployment = open_deployment(client, SHARDS, "")
    calls: Jobs = []
    log = new_log(Store(client, SHARDS), jobs=calls, clock=lambda: 0)
    reconciler = Reconciler(new_services(log, deployment=deployment))
    chance = Random(4)
    name = "noticed"
    log.create(new_game(name))
    with closing(Hub(log)) as hub, hub.watch(log.load(name)) as watch:
        version = log.handle(name, any_act(log.load_cached(name).game, chance)).loaded.game.version
        wait_until(lambda: watch.now.head.game.version == version)
    while (game := log.load_cached(name).game).scoring is None:
        log.handle(name, any_act(game, chance))
    calls.clear()
    assert reconciler.run_once() >= 1
    assert ("workers.scoring.score_round", [name, 1]) in calls


def test_the_state_of_all_nodes_is_read(cluster: str) -> None:
    """The metrics' reading has every list, what workers report, and each primary."""
    store = Store(connect(cluster), SHARDS)
    report(store.client, "one", {"turns": 2})
    report(store.client, "two", {"turns": 3})
    for key in store.shard_keys("due"):
        store.client.zadd(key, {"late": 1})
    reading = StatusReader(store).read()
    for key in store.shard_keys("due"):
        store.client.zrem(key, "late")
    assert reading is not None
    assert (reading.workers, reading.counts["turns"], len(reading.nodes)) == (2, 5, 3)
    assert reading.due.count >= SHARDS
    assert all(node.memory_used > 0 for node in reading.nodes)


def test_deleted_lists_are_rebuilt_on_every_node(cluster: str) -> None:
    """From the headers on all of them; each shard's lists are on one node."""
    store = Store(connect(cluster), SHARDS)
    log = new_log(store, bot_delay_s=1.0)
    bots = (SeatPlan(name="a", bot="greedy"), SeatPlan(name="b", bot="random"))
    names = [f"listed-{number}" for number in range(12)]
    assert len({store.tag(name) for name in names}) > 3
    for name in names:
        log.create(new_game(name, bots))
    services = new_services(log, deployment=open_deployment(store.client, SHARDS, ""))
    times = [store.client.zscore(store.keys(name).bots, name) for name in names]
    for key in store.shard_keys("bots"):
        store.client.delete(key)
    lists = WaitingLists(store, log.reactions, services.orders, services.clock.now_ms)
    assert lists.rebuild() == len(names)
    assert [store.client.zscore(store.keys(name).bots, name) for name in names] == times
    assert lists.rebuild() == 0
    for key in store.shard_keys("bots"):
        store.client.delete(key)


def test_readiness_writes_to_each_primary(cluster: str) -> None:
    """One that can't be written stands for all."""
    client = connect(cluster)

    def count_writes() -> list[int]:
        states = [client.info("commandstats", target_nodes=node) for node in client.get_primaries()]
        return [state.get("cmdstat_set", {"calls": 0})["calls"] for state in states]

    store = Store(client, SHARDS)
    for check in (store.check_writable, store.check_replicas):
        before = count_writes()
        check()
        assert [after - calls for calls, after in zip(before, count_writes(), strict=True)] == [1, 1, 1]


def test_a_call_takes_room_of_its_own_node(cluster: str) -> None:
    """Any key of the shard says which one that is."""
    client = connect(cluster)
    store = Store(client, SHARDS)
    for key in store.shard_keys("due"):
        inside = store.with_retries(lambda: list(store.breaker._calls.values()), key)
        assert inside == [client.get_node_from_key(key).name]


def test_the_clock_is_that_of_one_node(cluster: str) -> None:
    """The one that has the keys of shard 0, for the time and for the note of a jump."""
    client = connect(cluster)
    clock = StoreClock(Store(client, SHARDS))
    node = client.get_node_from_key("{s00}:jumped")
    early = client.time(target_nodes=node)
    now = clock.now_ms()
    late = client.time(target_nodes=node)
    allowed = clock.error_ms + 2
    assert early[0] * 1000 + early[1] // 1000 - allowed <= now <= late[0] * 1000 + late[1] // 1000 + allowed
    client.set("{s00}:jumped", now)
    clock.measure()
    client.delete("{s00}:jumped")
    assert not clock.is_steady()


@pytest.mark.nightly
@pytest.mark.slow
def test_an_outage_of_all_nodes_is_an_outage_of_the_store(tmp_path: Path) -> None:
    """Each way to the store says that it is unavailable, so that requests get 503 and threads try again."""
    with running_cluster(tmp_path, 1) as nodes, connect(url := nodes.url) as client:
        store = Store(client, SHARDS, patience=0.05)
        services = new_services(new_log(store))
        gauge = MemoryGauge(client, 0.9)
        assert not store.ids()
        nodes.nodes[0].kill()
        for call in (store.count_bot_games, store.check_writable, lambda: store.place("g"), lambda: store.read("g")):
            with pytest.raises(StoreUnavailable):
                call()
        once = Reconciler(services).run_once, Reporter(services).run_once
        for read in (gauge.read, *once, lambda: convert_headers(store), lambda: connect(url)):
            with pytest.raises((*STORE_ERRORS, StoreUnavailable)):
                read()
        assert StatusReader(store).read() is None
        assert services.readiness.status() == "no-store"


def test_a_reader_follows_all_nodes(cluster: str) -> None:
    """A rebuild finds the games of every node, and the feed delivers later appends, on whatever nodes they are."""
    log = new_log(Store(connect(cluster), SHARDS), clock=lambda: 0)
    names = [f"followed-{number}" for number in range(12)]
    for name in names[:6]:
        log.create(new_game(name))
    feed = Feed(log.store, "cluster")
    with pytest.raises(PositionLost):
        feed.read()
    assert {line.game for line in rebuild(feed)} >= set(names[:6])
    for name in names[6:]:
        log.create(new_game(name))
    batches = feed.read()
    assert {line.game for batch in batches for line in batch.lines} == set(names[6:])
    for batch in batches:
        feed.advance([batch])
    assert feed.read() == []
    log.store.call_each(*(("DEL", key) for key in log.store.shard_keys("feed")))


def test_only_what_has_jobs_needs_a_store_for_its_queue(cluster: str) -> None:
    """RQ can't work on a cluster; no command that an operator calls asks the queue."""
    settings = Settings(redis_url=cluster)
    assert require_store(settings) is settings
    with pytest.raises(BadUsage, match="the store is a cluster: set REIBACH_QUEUE_URL"):
        require_store(settings, with_jobs=True)


def test_games_are_imported_and_found_on_every_node(cluster: str) -> None:
    """Imported completely on whatever nodes their shards are, listed from all nodes, read back, and archived."""
    store = open_store(cluster, SHARDS)
    log = random_log(2, "carried")
    names = [f"carried-{number}" for number in range(12)]
    for name in names:
        renamed = [log[0] | {"data": log[0]["data"] | {"game": name}}, *log[1:]]
        new = import_entries(rechain(renamed))
        assert import_game(store, new)
        assert check_integrity(store, name).offence is None
        before = [entry[:4] for entry in store.read(name).entries]
        assert compact(store, name, "store", new.head.game.at)
        assert [entry[:4] for entry in store.read(name).entries] == before
        assert check_integrity(store, name).offence is None
    assert set(names) <= set(store.ids())
