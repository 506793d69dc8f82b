"""A worker without a supervisor: no outage of its store ends it, and it continues the games afterwards."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from domain.clock.pace import Pace
from service.connections.clients import connect
from service.gamelog.store.health.heartbeat import WORKER
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from service.runtime.embedded import EmbeddedStore
from tests.faults.served import ROOT, SETTINGS, SHARDS
from tests.gamelog.ledger import new_game, play
from tests.support.samples import with_nightly
from tests.support.servers import suspended
from tests.support.shell import COMMAND
from tests.support.waiting import patience, wait_until
from tests.support.world import new_log

OUTAGE = "the store is unavailable"


@contextmanager
def working(embedded: EmbeddedStore, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`reibach worker` on that store, alone; what it logs goes to a file."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REIBACH_")}
    environment = clean | SETTINGS | {"REIBACH_REDIS_URL": embedded.url}
    with log.open("wb") as output:
        process = subprocess.Popen([*COMMAND, "worker"], cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def hanging(embedded: EmbeddedStore) -> AbstractContextManager[None]:
    return suspended(embedded.process)


def refusing(name: str) -> Callable[[EmbeddedStore], AbstractContextManager[None]]:
    """A store that refuses writes for the reason of that setting."""

    @contextmanager
    def refuse(embedded: EmbeddedStore) -> Iterator[None]:
        with connect(embedded.url) as client:
            client.config_set(name, "1")
            yield
            client.config_set(name, "0")

    return refuse


OUTAGES = {"hangs": hanging, "no memory": refusing("maxmemory"), "no writes": refusing("min-replicas-to-write")}


@pytest.mark.parametrize("name", with_nightly(reversed(OUTAGES)))
def test_a_worker_alone_survives(embedded: EmbeddedStore, tmp_path: Path, name: str) -> None:
    """The outage begins while it works, is logged once by each thread, and a scoring round is done when it is over."""
    log = tmp_path / "log"
    with working(embedded, log) as worker, connect(embedded.url) as client:
        games = new_log(Store(client, SHARDS, patience(5)))
        wait_until(lambda: client.exists(WORKER), 20)
        with OUTAGES[name](embedded):
            wait_until(lambda: OUTAGE in log.read_text(), 30)
        games.create(new_game("g"))
        play(games, "g", Random(1), lambda _: False)
        wait_until(lambda: games.load("g").game.scoring is None, 30)
        wait_until(lambda: client.exists(WORKER))
        assert worker.poll() is None
        tasks = [line for line in log.read_text().splitlines() if OUTAGE in line]
        assert len(tasks) == len(set(re.findall(r"task=\S+", "".join(tasks)))), tasks
        assert "Traceback" not in log.read_text()


@pytest.mark.nightly
@pytest.mark.parametrize(("silent_s", "is_outage"), with_nightly([(610, True), (590, False), (0, False)]))
def test_a_worker_after_an_outage(embedded: EmbeddedStore, tmp_path: Path, silent_s: int, is_outage: bool) -> None:
    """It lets no turn time out for an hour; a first start and a restart are none."""
    log = tmp_path / "log"
    with connect(embedded.url) as client:
        games = new_log(store := Store(client, SHARDS, patience(5)), clock=lambda: now_ms() - 700_000)
        games.create(replace(new_game("g"), pace=Pace(turn_seconds=60, on_timeout="wait")))
        if silent_s:
            client.zadd("{reibach}:workers", {"gone": now_ms() - 1000 * silent_s})
        with working(embedded, log):
            due = store.keys("g").due
            held = lambda: (client.zscore(due, "g") or 0) > now_ms() + 3_000_000  # noqa: E731
            wait_until(lambda: games.load("g").game.timed_out or held(), 30)
        assert (held(), "time-outs wait for an hour" in log.read_text()) == (is_outage, is_outage)


@pytest.mark.nightly
def test_a_worker_that_begins_while_the_store_is_full(embedded: EmbeddedStore, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with connect(embedded.url) as client:
        with working(embedded, log):
            wait_until(lambda: client.exists(WORKER), 20)  # the deployment is there
        client.delete(WORKER)
        client.config_set("maxmemory", "1")
        with working(embedded, log) as worker:
            wait_until(lambda: OUTAGE in log.read_text(), 30)
            client.config_set("maxmemory", "0")
            wait_until(lambda: client.exists(WORKER), 20)
            assert worker.poll() is None
