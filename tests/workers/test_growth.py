"""Every key in the store has a law of growth, which docs/keys.md names: held over many small games."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from config.settings import Settings
from domain.commands import CreateGame, SeatPlan
from domain.forks.position import fork_of_running
from service.bootstrap import Outside, retention_of
from service.connections.clients import Client, connect, connect_queue
from service.gamelog.copies.forks import Fork, copy_game
from service.gamelog.store.health.heartbeat import WORKER, Readiness, send_heartbeat
from service.gamelog.store.keys import KeyNames
from service.gamelog.store.streams import Store
from service.jobs import SCORE_ROUND, JobQueues
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import open_deployment
from tests.conftest import Service
from tests.gamelog.ledger import SHARDS, any_act, finished, key_of, new_game
from tests.support.stores import Server
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_log, new_services
from workers.threads.archiver import Archiver

KEYS = Path(__file__).parents[2] / "docs" / "keys.md"
DAY = 24 * 3600 * 1000
OPEN, FORKS, ABANDONED, FINISHED = 120, 52, 24, 4
"""Games of each kind, 200 in all; every second open game is opened with an idempotency key."""


def patterns() -> dict[str, re.Pattern[str]]:
    """The keys of the table: by their names, what they match."""
    section = KEYS.read_text("utf-8")
    names = [
        name for line in re.findall(r"^\| (`.*?) \| ", section, re.MULTILINE) for name in re.findall("`(.*?)`", line)
    ]
    assert names
    found = {}
    for name in names:
        text = re.escape(name).replace(re.escape("s07"), r"s\d\d")
        found[name] = re.compile(re.sub(r"<\w+>", r"[^:]+", text))
    return found


def count(names: Iterable[str]) -> Counter[str]:
    counted: Counter[str] = Counter()
    table = patterns()
    for name in names:
        matching = [pattern for pattern, expression in table.items() if expression.fullmatch(name)]
        assert len(matching) == 1, f"{name}: {matching}"
        counted[matching[0]] += 1
    return counted


def test_every_key_of_a_game_is_named() -> None:
    """Also those of games that are listed, and played by post."""
    names = KeyNames(SHARDS)
    of_seats = names.deliveries("g", 0), names.watching("g", 0), *names.analysis("g")
    count([*names.keys("g")[:10], *names.side_keys("g"), *of_seats, names.keys("g").listed["open"]])


class Deployment:
    """A log on a clock that the test moves, with real job queue and archiver."""

    def __init__(self, client: Client, url: str) -> None:
        """`url`: of the same store, for the queue."""
        self.now = BEGIN
        self.client = client
        settings = Settings()
        self.jobs = JobQueues(connect_queue(url))
        self.store = Store(client, SHARDS, patience(3))
        retention = retention_of(settings)
        outside = Outside(clock=lambda: self.now)
        self.games = new_log(self.store, bot_delay_s=1.0, retention=retention, clock=outside.clock)
        deployment = open_deployment(client, SHARDS, "")
        services = new_services(self.games, settings, deployment=deployment, outside=outside)
        self.archiver = Archiver(services, "store", retention)

    def names(self) -> list[str]:
        return [key.decode() for key in self.client.scan_iter(count=1000)]

    def members(self, kind: str) -> int:
        return sum(self.client.zcard(key) for key in self.store.shard_keys(kind))

    def expire(self, days: int) -> None:
        """Let time pass, and the archiver work until nothing is due."""
        self.now += days * DAY
        while any(self.archiver._find_due("quiet")):
            self.archiver.run_once()

    def fill(self) -> None:
        people = (SeatPlan(name="Carla"), SeatPlan(name="Dora"))
        for number in range(OPEN):
            key = key_of(f"open {number}", {}) if number % 2 else None
            self.games.create(new_game(f"open{number}", [SeatPlan(name="Anna"), SeatPlan()]), key)
        for number in range(ABANDONED):
            name = f"abandoned{number}"
            game = self.games.create(new_game(name)).head
            self.games.handle(name, any_act(game, Random(number)))
        for number in range(FORKS):
            plan = CreateGame(game=f"fork{number}", server_seed=bytes(32), seats=people)
            self.games.create(fork_of_running(game, 0, plan))
        history = finished("parent")
        end = history.head.game.version - 1  # the copy completes the request, and is over
        for number in range(FINISHED):
            fork = Fork(game=f"end{number}", parent="p", version=end, until=end, seats=people, listed=False)
            self.games.import_game(copy_game(history.entries, fork), key_of(f"end {number}"))


@pytest.fixture
def deployment(real_client: Client, server: Server) -> Deployment:
    return Deployment(real_client, server("valkey"))


@pytest.mark.slow
def test_many_games_leave_what_the_table_says(deployment: Deployment) -> None:
    """Before and after their time: streams become archives or are deleted, headers, lists and marks stay small."""
    deployment.fill()
    deployment.jobs.enqueue(SCORE_ROUND, ["open1", 1], "score-open1-1")
    send_heartbeat(deployment.store, WORKER)
    assert Readiness(deployment.store).status() == "ready"
    kept = ABANDONED + FINISHED
    before = count(deployment.names())
    everything = OPEN + FORKS + kept
    assert before["{s07}:game:<id>"] == before["{s07}:head:<id>"] == everything == deployment.members("quiet") == 200
    assert before["{s07}:keys:<id>"] == OPEN // 2 + FINISHED
    assert before["rq:job:<job>"] == 1
    deployment.expire(7)
    deployment.expire(24)
    later = count(deployment.names())
    assert later["{s07}:game:<id>"] == ABANDONED
    assert later["{s07}:head:<id>"] == kept
    assert later["{s07}:archive:<id>"] == FINISHED
    assert deployment.members("quiet") == ABANDONED
    deployment.expire(150)
    after = count(deployment.names())
    assert after["{s07}:game:<id>"] == 0
    assert after["{s07}:head:<id>"] == after["{s07}:archive:<id>"] == kept
    marks = [key for key in deployment.names() if ":keys:open" in key and deployment.client.ttl(key) < 0]
    assert len(marks) == OPEN // 2
    assert after["{s07}:keys:<id>"] - len(marks) <= OPEN // 2 + FORKS + FINISHED  # the store's own clock expires them
    assert (deployment.members("quiet"), deployment.members("due"), deployment.members("bots")) == (ABANDONED, 0, 0)
    for pattern, number in after.items():
        if "<" not in pattern:
            assert number <= SHARDS, pattern
    assert sum(after.values()) - after["{s07}:keys:<id>"] <= 2 * kept + 3 * SHARDS + 10
    usage = {key: deployment.client.memory_usage(key) for key in deployment.names()}
    assert max(usage[key] for key in marks) < 200
    assert max(usage[key] for key in usage if ":archive:" in key) < 4096


@pytest.mark.slow
def test_a_running_service_has_no_other_keys(service: Service) -> None:
    """Those of RQ included, after whatever the other tests have done to it."""
    with connect(EmbeddedStore(service.data).url) as client:
        counted = count(key.decode() for key in client.scan_iter(count=1000))
    assert counted["reibach:deployment"] == 1
    assert counted["rq:worker:<worker>"] >= 1


def test_a_key_that_the_table_lacks_is_noticed() -> None:
    with pytest.raises(AssertionError, match="forgotten"):
        count(["{s01}:due", "{s01}:forgotten:g"])
