"""Forks at the command line: exported, imported, audited, replayed and checked by the doctor like every game."""

from pathlib import Path
from typing import Any

import pytest

from service.gamelog.log import GameLog
from tests.cli.test_export_import import NDJSON, forged, play, write
from tests.gamelog.ledger import finish
from tests.support.client import Api, Table
from tests.support.shell import assert_refused, raw, run, succeed

BOTS = [{"bot": "greedy"}, {"bot": "random"}]


@pytest.fixture(scope="module")
def parent(api: Api) -> Table:
    table = api.create([{"name": "Anna", "entropy": "tulip"}, {"name": "Bert"}])
    play(api, table, "parent", 30)
    return table


def fork(api: Api, parent: Table, token: str | None, version: int, seats: list[dict[str, Any]]) -> Table:
    answer = api.post("/v1/games", token, json={"fork": {"game": parent.id, "version": version}, "seats": seats})
    assert answer.status_code == 201, answer.text
    content = answer.json()
    return Table(content["game"]["id"], {seat["seat"]: seat["token"] for seat in content["seats"]}, content)


@pytest.fixture(scope="module")
def forks(api: Api, service_log: GameLog, parent: Table) -> list[Table]:
    """A finished fork of the running game, and a finished fork of that, cut within an append."""
    seen = fork(api, parent, parent.tokens[0], api.version(parent), BOTS)
    api.await_end(seen)
    log = api.events(seen, limit=1000)
    taken = next(event["version"] for event in log[20:] if event["type"] == "CardTaken")
    copy = fork(api, seen, None, taken, [{"name": "Carla"}, {"name": "Dirk"}])
    finish(service_log, copy.id)
    return [seen, copy]


@pytest.fixture(scope="module")
def lines(api: Api, forks: list[Table]) -> list[bytes]:
    return [api.get(f"{one.path}/events", headers=NDJSON).content for one in forks]


def test_a_parent_in_the_store_is_compared(
    empty: dict[str, str], tmp_path: Path, forks: list[Table], lines: list[bytes]
) -> None:
    """A copy that was played otherwise is imported alone, and refused where the store has its parent."""

    def later(log: list[dict[str, Any]]) -> None:
        for event in log:
            event["at"] = "2025-" + event["at"].partition("-")[2]

    copy = write(tmp_path / "copy", forged(lines[1], later))
    assert run("audit", copy).returncode == 0
    assert run("import", write(tmp_path / "parent", lines[0]), **empty).returncode == 0
    told = succeed("replay", tmp_path / "parent", "--language", "en").stdout
    assert "that Berta (bot) could see stay where they were" in told
    assert_refused(run("import", copy, **empty), 1, "rules fails at version 1")
    assert run("import", write(tmp_path / "copy", lines[1]), **empty).returncode == 0
    assert raw("export", forks[1].id, **empty).stdout == lines[1]
    assert run("doctor", "--all", **empty).returncode == 0
