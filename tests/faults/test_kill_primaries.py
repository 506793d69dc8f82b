"""Primaries of a cluster are killed while games are played: with a replica's word nothing acknowledged is lost.

`REIBACH_TEST_SEED` is the seed of the moments and of the victims. `-s` shows the figures.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from service.connections.clients import connect
from service.gamelog.errors import StoreUnavailable
from service.gamelog.log import GameLog
from service.gamelog.store.streams import Store
from tests.faults.writers import COMMON, Writer, judge
from tests.gamelog.ledger import SHARDS, new_game
from tests.support.servers import Cluster, Server, running_cluster
from tests.support.waiting import wait_until
from tests.support.world import new_log

SEED = int(os.environ.get("REIBACH_TEST_SEED", "20261122"))
WRITERS = 8
_ACKS = 20
"""Most requests that each writer gets done between two kills."""


def open_log(cluster: Cluster) -> GameLog:
    store = Store(connect(cluster.url), SHARDS, replicas=1)
    return new_log(store)


@contextmanager
def writing(logs: list[GameLog]) -> Iterator[list[Writer]]:
    """Writers that play in threads of their own, until the end; then each game is compared with its answers."""
    stop = Event()
    writers = [Writer(number, logs[number % 2], Random(f"{SEED} {number}"), stop, True) for number in range(WRITERS)]
    threads = [Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        yield writers
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    judge(logs[0], writers)


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(3, marks=[pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(400)]),
        pytest.param(20, marks=[pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]),
    ],
)
def test_no_acknowledged_event_is_lost_with_a_primary(tmp_path: Path, kills: int) -> None:
    """Six nodes, of which primaries are killed; what was answered is in the log once, and nothing else is."""
    chance = Random(SEED)
    away: list[float] = []
    with running_cluster(tmp_path, 3, 1) as cluster:
        logs = [open_log(cluster) for _ in range(2)]
        logs[0].create(new_game(COMMON, 5))
        began = time.monotonic()
        with writing(logs) as writers:
            while len(away) < kills and not any(writer.error for writer in writers):
                await_progress(writers, chance.randint(1, _ACKS))
                away.append(kill(cluster, chance.choice(cluster.primaries()), writers))
        seconds = time.monotonic() - began
    accepted, refused = sum(one.accepted for one in writers), sum(one.away for one in writers)
    print(
        f"\nseed {SEED}: {kills} kills, {accepted} acknowledged in {seconds:.0f} s, {refused} x 503; all writers",
        end=" ",
    )
    print(f"went on after {sorted(away)[len(away) // 2]:.1f} s (median), {max(away):.1f} s (longest)")


def await_progress(writers: list[Writer], more: int) -> None:
    before = [writer.accepted for writer in writers]
    wait_until(
        lambda: all(one.error or one.accepted >= old + more for one, old in zip(writers, before, strict=True)), 60
    )


def kill(cluster: Cluster, victim: Server, writers: list[Writer]) -> float:
    """Kill a primary, and start it again once its replica has taken its place; all writers must then go on.

    The seconds from the kill to the moment at which each of them had another answer: the games of the new primary wait
    for the old one, which is their only replica.
    """
    others = len(cluster.nodes) // 2
    victim.kill()
    began = time.monotonic()
    wait_until(lambda: len(cluster.primaries()) == others, 30)
    victim.start()
    await_progress(writers, 1)
    seconds = time.monotonic() - began
    wait_until(cluster.has_replicas, 30)
    return seconds


@pytest.mark.slow
@pytest.mark.nightly
def test_the_other_shards_go_on_meanwhile(tmp_path: Path) -> None:
    """A primary that stays away stops its own games alone, and only until its replica takes its place.

    Also once the other nodes hold it for dead: this one's replica comes later.
    """
    with running_cluster(tmp_path, 3, 1) as cluster:
        store = Store(connect(cluster.url), SHARDS, 0.2)
        games = new_log(store)
        names = [
            next(f"{shard}-{n}" for n in range(1000) if store.shard(f"{shard}-{n}") == shard) for shard in range(4)
        ]
        owners = {name: store.client.get_node_from_key(store.stream(name)).port for name in names}
        for name in names:
            games.create(new_game(name))
        number, victim = next(
            (number, node) for number, node in enumerate(cluster.nodes) if node.port == owners[names[0]]
        )
        replica = cluster.nodes[number + 3]
        wait_until(replica.is_synced)
        for node in (replica, victim):
            node.kill()
        other = next(node for node in cluster.primaries() if node != victim)
        for is_held_for_dead in (False, True):
            if is_held_for_dead:
                wait_until(lambda: count_failed(other) > 0, 30)
            for name in names:
                if owners[name] == victim.port:
                    with pytest.raises(StoreUnavailable):
                        games.load(name)
                else:
                    assert games.load(name).game.version == 5
        replica.start()
        for name in names:
            wait_until(lambda name=name: can_load(games, name), 30)


def count_failed(node: Server) -> int:
    with node.client() as client:
        return int(client.cluster("info")["cluster_slots_fail"])


def can_load(games: GameLog, name: str) -> bool:
    try:
        return games.load(name).game.version == 5
    except StoreUnavailable:
        return False
