"""The job queue on a server of its own, which loses all that it had: jobs are derived again from the games."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import httpx
import pytest

from tests.faults.served import Served, served
from tests.gamelog.ledger import check_log
from tests.support.client import Api, Table
from tests.support.servers import Server
from tests.support.waiting import patience, wait_until

SERVE = [sys.executable, "-m", "service.cli", "serve"]


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Server]:
    """A server that keeps nothing on its disk."""
    queue = Server(tmp_path / "queue", {"appendonly": "no"})
    queue.start()
    yield queue
    queue.kill()


@pytest.fixture
def serving(tmp_path: Path, queue: Server) -> Iterator[Served]:
    with served(SERVE, tmp_path / "games", REIBACH_QUEUE_URL=queue.url, REIBACH_BOT_DELAY="0.05") as service:
        yield service


@pytest.mark.nightly
@pytest.mark.slow
def test_games_go_on_when_the_queue_has_lost_everything(serving: Served, queue: Server) -> None:
    """It is emptied, or killed and started empty, in the middle of turns and scoring rounds; the game goes on.

    Nothing is scored or played twice: the check recomputes each round and each event.
    """
    chance = Random(6)
    with httpx.Client(base_url=serving.url, timeout=patience(10)) as http:
        table = Api(http).create([{"bot": "greedy"}, {"bot": "random"}], seed=None)
        for number in range(8):
            least = serving.games().load(table.id).game.version + chance.randint(1, 12)
            wait_until(partial(is_at, serving, table, least), 60)
            lose(queue, is_killed=number % 4 == 3)
        wait_until(partial(is_at, serving, table, 1_000_000), 120)
        assert http.get("/readyz").status_code == 200
    assert check_log(serving.store, table.id).over


def is_at(service: Served, table: Table, version: int) -> bool:
    """Whether the game is over, or has come so far."""
    game = service.games().load(table.id).game
    return game.over or game.version >= version


def lose(queue: Server, *, is_killed: bool) -> None:
    """All that the queue has, also the names of its workers."""
    if is_killed:
        queue.kill()
        queue.start()
    else:
        with queue.client() as client:
            client.flushall()
