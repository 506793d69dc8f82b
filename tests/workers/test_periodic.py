"""Periodic tasks on a real store: one round trip for all due lists, and each due game claimed once."""

from collections import Counter
from random import Random

import pytest

from service.bootstrap import Services
from service.connections.clients import Client
from service.gamelog.archive.retention import Retention
from service.runtime.clock import now_ms
from tests.gamelog.ledger import SHARDS, new_game, open_games, play
from tests.support.waiting import wait_until
from tests.support.world import Jobs, new_services
from workers.counts import COUNTS
from workers.threads.archiver import Archiver
from workers.threads.bot_player import BotPlayer
from workers.threads.periodic import PeriodicTask
from workers.threads.reconciler import Reconciler

LEASE_MS = 60_000


class Claims(PeriodicTask):
    def __init__(self, services: Services) -> None:
        super().__init__(services, "claims", 0.0)
        self.claimed: list[str] = []

    def run_once(self) -> int:
        (due,) = self._find_due("due")
        games = self._claim(due, LEASE_MS, 3 * SHARDS) if due else []
        self.claimed += games
        return len(games)


def commands(client: Client) -> Counter[str]:
    return Counter({name: stats["calls"] for name, stats in client.info("commandstats").items()})


def put_due(services: Services, count: int, due_at: int) -> set[str]:
    names = set()
    for shard, key in enumerate(services.store.shard_keys("due")):
        games = {f"{shard}-{number}": due_at for number in range(count)}
        services.store.client.zadd(key, games)
        names |= games.keys()
    return names


def test_an_idle_round_is_one_round_trip(services: Services) -> None:
    """A plain read a shard, all in one round trip, and no script.

    Neither a game that isn't due yet costs more, nor any number of bots' turns, which are another thread's.
    """
    client = services.store.client
    put_due(services, 1, now_ms() + 3600_000)
    for number in range(500):
        client.zadd(services.store.keys(f"bots {number}").turns, {f"bots {number}": 0})
    reconciler = Reconciler(services)
    reconciler.run_once()  # asks the store's clock
    before, reads = commands(client), client.info("stats")["total_reads_processed"]
    assert reconciler.run_once() == 0
    after, more_reads = commands(client), client.info("stats")["total_reads_processed"]
    done = after - before
    del done["cmdstat_info"]
    assert done == {"cmdstat_zrangebyscore": 4 * SHARDS}
    assert more_reads - reads == 3  # two of them are those of this test


def test_a_due_game_is_claimed_once(services: Services) -> None:
    """By one of two workers, of every shard, and not again before its lease has ended."""
    names = put_due(services, 5, now_ms() - 1)
    one, other = Claims(services), Claims(services)
    assert one.run_once() == 3 * SHARDS
    assert other.run_once() == 2 * SHARDS
    assert sorted([*one.claimed, *other.claimed]) == sorted(names)
    assert one.run_once() == 0
    scores = [services.store.client.zrange(key, 0, -1, withscores=True) for key in services.store.shard_keys("due")]
    assert all(at > now_ms() + LEASE_MS / 2 for shard in scores for _, at in shard)


class Faulty(PeriodicTask):
    def __init__(self, services: Services) -> None:
        super().__init__(services, "faulty", 0.0)
        self.rounds = 0

    def run_once(self) -> int:
        """A fault, whose text is a player's, in the first two rounds."""
        self.rounds += 1
        if self.rounds < 3:
            raise KeyError("a word of a player")
        return 0


def test_a_fault_ends_no_task(
    services: Services, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again, and logged once, without its text."""
    COUNTS.take()
    task = Faulty(services)
    task.start()
    wait_until(lambda: task.rounds > 3)
    task.stop()
    printed = capfd.readouterr()
    said = printed.out + printed.err + caplog.text
    assert said.count("a task has failed") == 1
    assert COUNTS.take()["reibach_task_faults faulty"] == 2
    assert "KeyError in run_once" in said
    assert "a word of" not in said


@pytest.mark.parametrize("kind", ["due", "turns", "bots", "quiet"])
def test_what_is_no_game_leaves_the_lists(real_client: Client, kind: str) -> None:
    """Bytes that are no text, and names of games that don't exist; the game beside them is enqueued."""
    jobs: Jobs = []
    games = open_games(real_client, jobs=jobs)
    services, store = new_services(games), games.store
    games.create(new_game("g"))
    play(games, "g", Random(1), lambda _: False)
    jobs.clear()
    for number in range(3 * SHARDS):
        real_client.zadd(getattr(store.keys(f"nowhere {number}"), kind), {b"\xff\xfe": 0, f"nowhere {number}": 0})
    real_client.zadd(store.keys("g").due, {"g": 0})
    reconciler = Reconciler(services)
    reconciler.run_once()
    BotPlayer(services, reconciler).run_once()
    Archiver(services, "store", Retention()).run_once()
    assert [arguments for _, arguments in jobs] == [["g", 1]]
    lists = [key for name in ("due", "turns", "bots", "quiet") for key in store.shard_keys(name)]
    assert {entry for key in lists for entry in real_client.zrange(key, 0, -1)} == {b"g"}
