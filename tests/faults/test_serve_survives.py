"""`reibach serve` is killed, its supervisor first: a new start continues the game.

Its parts are killed by `test_post_survives.py`, and by the rows `kills`, R7 to R9 and R28 of the report of faults.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from domain.orders.wishes import json_of
from service.gamelog.log import GameLog
from tests.faults.parts import descendants, kill
from tests.faults.served import accepted_body, patiently, served
from tests.gamelog.ledger import Ack, any_act, check_log
from tests.support import shell
from tests.support.client import Api, Table
from tests.support.waiting import is_running, patience, wait_until

SERVE = [sys.executable, "-m", "service.cli", "serve"]


class Players:
    """Two people who play over HTTP, patiently: each action under a key, repeated until it is answered."""

    def __init__(self, http: httpx.Client, seed: str) -> None:
        self.api, self.chance = Api(http), Random(seed)
        self.acks: list[Ack] = []
        body = {"seats": [{"name": "Anna"}, {"name": "Bert"}]}
        content = accepted_body(self.ask(lambda: self.api.post("/v1/games", json=body)))
        tokens = {seat["seat"]: seat["token"] for seat in content["seats"]}
        self.table = Table(content["game"]["id"], tokens, content)

    def ask(self, request: Callable[[], httpx.Response]) -> httpx.Response:
        return patiently(request)[0]

    def play(self, games: GameLog, actions: int | None = None) -> None:
        """So many actions, or to the game's end, with a look at the store for what may be done."""
        game = self.table.id
        while not (now := games.load(game).game).over and actions != len(self.acks):
            if now.scoring is not None:
                wait_until(lambda: games.load(game).game.scoring is None, 15)
                continue
            self.send(now.turn_seat, json_of(any_act(now, self.chance).actions[0]))

    def send(self, seat: int, action: dict[str, Any]) -> None:
        headers = {"Idempotency-Key": f"{len(self.acks)}"}
        events = accepted_body(self.ask(lambda: self.api.act(self.table, seat, action, headers=headers)))["events"]
        self.acks.append(Ack(self.table.id, events[0]["version"], events[-1]["version"], events[-1]["hash"]))


@pytest.mark.nightly
def test_the_supervisor_is_killed_in_the_middle_of_a_game(tmp_path: Path) -> None:
    """No process is left behind, and a new start on the same data continues the game with the players' tokens."""
    data = tmp_path / "games"
    with served(SERVE, data) as service, httpx.Client(base_url=service.url, timeout=patience(10)) as http:
        people = Players(http, "supervisor")
        people.play(service.games(), 20)
        everyone = descendants(service.process.pid)
        assert len(everyone) >= 5
        service.process.kill()
        service.process.wait()
        wait_until(lambda: not any(map(is_running, everyone)))
    with served(SERVE, data) as service, httpx.Client(base_url=service.url, timeout=patience(10)) as http:
        people.api = Api(http)
        people.play(service.games())
        state = check_log(service.store, people.table.id, people.acks)
        assert state.over
        assert len(service.store.read(people.table.id).entries) == 1 + len(people.acks) + 3


@pytest.mark.nightly
def test_an_analysis_goes_on_where_its_worker_was_killed(tmp_path: Path) -> None:
    """Nobody asks again, no turn is lost, and the answer is what the command prints of the export."""
    file, progress = tmp_path / "game.ndjson", [0.0]
    with served(SERVE, tmp_path / "games") as service, httpx.Client(base_url=service.url, timeout=patience(10)) as http:
        api = Api(http)
        table = api.create([{"bot": "greedy"}] * 3, seed=None)
        api.await_end(table)
        path = f"{table.path}/analysis"
        assert api.post(path).status_code == 202

        def look() -> str:
            found = patiently(lambda: api.get(path))[0].json()
            progress.append(found["progress"])
            return str(found["status"])

        wait_until(lambda: look() == "running", 20)
        kill(service, "worker")
        wait_until(lambda: look() == "done", 60)
        assert progress == sorted(progress)
        file.write_bytes(api.get(f"{table.path}/events", headers={"Accept": "application/x-ndjson"}).content)
        ended = shell.raw("analyse", file, "--jobs", 1)
        assert (ended.returncode, ended.stdout) == (0, api.get(path).content)
