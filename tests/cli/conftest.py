"""A finished game and its export; a store that commands find and that isn't served; commands that run until killed."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from service import cli
from service.gamelog.log import GameLog
from service.gamelog.store.streams import Store
from service.runtime import embedded
from service.signing.deployment import open_deployment
from tests.gamelog.ledger import finish
from tests.support import shell
from tests.support.client import Api, Table
from tests.support.servers import running_store
from tests.support.shell import COMMAND, ROOT, Process, Run, Start, environment
from tests.support.waiting import patience

SHARDS = 4


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_store(tmp_path_factory.mktemp("unserved") / "store") as store:
        yield store.url


@pytest.fixture(scope="module")
def finished(api: Api, service_log: GameLog) -> Table:
    """A whole game of two people and a bot; the second person joined late."""
    table = api.create(
        [{"name": "Anna", "entropy": "tulip"}, {}, {"bot": "greedy"}], variants={"staggered_start": True}
    )
    api.join(table, "Bert \u2028 Bär", entropy="ö")
    finish(service_log, table.id)
    return table


@pytest.fixture(scope="module")
def lines(api: Api, finished: Table) -> bytes:
    return api.get(f"{finished.path}/events", headers={"Accept": "application/x-ndjson"}).content


@pytest.fixture
def file(tmp_path: Path, lines: bytes) -> Path:
    path = tmp_path / "game.ndjson"
    path.write_bytes(lines)
    return path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process find out quickly that a folder is served, or that no store answers."""
    monkeypatch.setattr(embedded, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(cli, "PATIENCE_S", 0.0)


@pytest.fixture
def empty(address: str) -> dict[str, str]:
    with redis.Redis.from_url(address) as client:
        client.flushall()
    return {"REIBACH_REDIS_URL": address}


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with redis.Redis.from_url(address) as client:
        client.flushall()
        open_deployment(client, SHARDS, "")
        yield Store(client, SHARDS, patience(3))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts a command; its standard error goes to the file `errors`. Killed after the test."""
    running: list[Process] = []

    def begin(*argv: object, **settings: str) -> Process:
        with (tmp_path / "errors").open("ab") as errors:
            process = subprocess.Popen(
                [*COMMAND, *map(str, argv)],
                cwd=ROOT,
                env=environment(**settings),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                process_group=0,
            )
        running.append(process)
        return process

    yield begin
    for process in running:
        with process:
            process.kill()


@pytest.fixture
def run_alone() -> Run:
    """A function that runs a command in a process of its own. By this fixture a test is marked `process`."""
    return shell.run_alone


@pytest.fixture
def run_without_reader() -> Run:
    """The same, with the pipe of the command's standard output closed."""
    return shell.run_without_reader
