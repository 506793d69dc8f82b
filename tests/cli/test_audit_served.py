"""`reibach audit` of games of a running service."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.events import EventRecord
from tests.cli.test_audit import assert_fails, assert_unreadable, run, save, write
from tests.conftest import Service
from tests.support.client import Api
from tests.support.waiting import patience


@dataclass(frozen=True)
class Played:
    """A finished game of the running service, and the receipts that its player kept."""

    url: str
    log: list[EventRecord]
    answers: list[dict[str, Any]]
    keys: Any


@pytest.fixture(scope="module")
def played(service: Service) -> Played:
    """One named seat against a bot."""
    import httpx

    with httpx.Client(base_url=service.url, timeout=patience(35)) as http:
        api = Api(http)
        table = api.create([{"name": "Anna", "entropy": "tulip"}, {"bot": "greedy"}])
        answers = [table.answer]
        chance = Random(1)
        while api.view(table)["status"] != "over":
            if legal := api.legal_actions(table, 0):
                answers.append(api.act(table, 0, chance.choice(legal)).json())
        lines = api.get(f"{table.path}/events", headers={"Accept": "application/x-ndjson"}).content
        log = [json.loads(line) for line in lines.split(b"\n") if line]
        return Played(service.url + table.path, log, answers, api.get("/v1/keys").json())


def test_a_game_of_a_running_service(played: Played, tmp_path: Path) -> None:
    """By its API address and by its page's, with every answer that was kept."""
    kept = [save(tmp_path, f"{number}", answer) for number, answer in enumerate(played.answers[:6])]
    receipts = [word for path in kept for word in ("--receipt", str(path))]
    keys = save(tmp_path, "keys", played.keys)
    for url in (played.url, played.url.replace("/v1/games/", "/g/") + "/"):
        ended = run(url, *receipts, "--keys", keys)
        assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
        assert ended.stdout.count("its signature is good") == len(kept)
        assert "the view and the scores as served follow from the log" in ended.stdout


def test_an_exported_game_audited_offline(played: Played, tmp_path: Path) -> None:
    """A changed card in the export is named; a cut tail is named by a receipt of the last answer."""
    log = json.loads(json.dumps(played.log))
    drawn = next(event for event in log if event["type"] == "CardDrawn")
    drawn["data"]["card"] = "gold" if drawn["data"]["card"] != "gold" else "oil"
    assert_fails(run(write(tmp_path, log)), drawn["version"], "chain")
    last = save(tmp_path, "last", played.answers[-1])
    cut = played.answers[-2]["receipt"]["version"]
    ended = run(write(tmp_path, played.log[:cut]), "--receipt", last)
    assert_fails(ended, cut + 1, "receipt")
    assert run(write(tmp_path, played.log), "--receipt", last).returncode == 0


def test_a_running_game_of_a_running_service(api: Api, service: Service) -> None:
    """The output holds nothing hidden from spectators, and lists the checks that can't run yet."""
    table = api.create(3)
    while api.view(table)["turn"]["number"] < 9:
        seat = api.view(table)["turn"]["seat"]
        api.act(table, seat, api.legal_actions(table, seat)[-1])
    ended = run(service.url + table.path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("it needs the finished game") == 3
    assert ended.stdout.count("ok up to version") == 3


def test_a_service_that_has_no_such_game(service: Service) -> None:
    """Exit code 2 and one line, as for a service that isn't there."""
    assert_unreadable(run(f"{service.url}/v1/games/nowhere"), "there is no game at")
    assert_unreadable(run("http://127.0.0.1:1/v1/games/nowhere"), "can't be reached")
