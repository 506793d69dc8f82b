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
from tests.faults.parts import descendants
from tests.faults.served import accepted_body, patiently, served
from tests.gamelog.ledger import Ack, any_act, check_log
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


@pytest.mark.slow
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
