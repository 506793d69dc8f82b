"""`reibach serve` while its parts are killed: games played over HTTP continue to their ends."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

import httpx
import pytest

from domain.orders.wishes import json_of
from service.gamelog.log import GameLog
from tests.faults.parts import descendants, part
from tests.faults.served import Served, accepted_body, patiently, served
from tests.gamelog.ledger import Ack, any_act, check_log
from tests.support.client import Api, Table
from tests.support.samples import with_nightly
from tests.support.waiting import is_running, patience, wait_until

SERVE = [sys.executable, "-m", "service.cli", "serve"]
KILLS = int(os.environ.get("REIBACH_TEST_PART_KILLS", "2"))
"""Of each part, in one game."""


class Players:
    """Two people who play over HTTP, patiently: each action under a key, repeated until it is answered."""

    def __init__(self, http: httpx.Client, seed: str) -> None:
        self.api, self.chance = Api(http), Random(seed)
        self.failed = 0
        self.acks: list[Ack] = []
        body = {"seats": [{"name": "Anna"}, {"name": "Bert"}]}
        content = accepted_body(self.ask(lambda: self.api.post("/v1/games", json=body)))
        tokens = {seat["seat"]: seat["token"] for seat in content["seats"]}
        self.table = Table(content["game"]["id"], tokens, content)

    def ask(self, request: Callable[[], httpx.Response]) -> httpx.Response:
        answer, failed = patiently(request)
        self.failed += failed
        return answer

    def view(self) -> dict[str, Any]:
        answer = self.ask(lambda: self.api.get(self.table.path))
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()
        return view

    def act(self) -> str:
        """One action of the seat on turn, or wait for a scoring round; the game's status."""
        view = self.view()
        if view["status"] == "scoring":
            wait_until(lambda: self.view()["version"] > view["version"], 15)
            return "scoring"
        if view["status"] == "over":
            return "over"
        seat = view["turn"]["seat"]
        path, token = f"{self.table.path}/legal-actions", self.table.tokens[seat]
        legal = self.ask(lambda: self.api.get(path, token)).json()["actions"]
        self.send(seat, self.chance.choice(legal))
        return "playing"

    def play_to_the_end(self, games: GameLog) -> None:
        """The same to the game's end, with a look at the store for what may be done: a third of the requests."""
        game = self.table.id
        while not (now := games.load(game).game).over:
            if now.scoring is not None:
                wait_until(lambda: games.load(game).game.scoring is None, 15)
                continue
            self.send(now.turn_seat, json_of(any_act(now, self.chance).actions[0]))

    def send(self, seat: int, action: dict[str, Any]) -> None:
        headers = {"Idempotency-Key": f"{len(self.acks)}"}
        events = accepted_body(self.ask(lambda: self.api.act(self.table, seat, action, headers=headers)))["events"]
        self.acks.append(Ack(self.table.id, events[0]["version"], events[-1]["version"], events[-1]["hash"]))


@contextmanager
def players(service: Served, seed: str) -> Iterator[Players]:
    with httpx.Client(base_url=service.url, timeout=patience(10)) as http:
        yield Players(http, seed)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(SERVE, tmp_path_factory.mktemp("serving") / "games") as service:
        yield service


@pytest.mark.slow
@pytest.mark.parametrize("name", with_nightly(["web server", "store", "web process", "worker"]))
def test_a_child_process_is_killed_in_the_middle_of_a_game(serving: Served, name: str) -> None:
    """Requests may fail for a moment, but the game reaches its end, with each acknowledged event once.

    `test_post_survives.py` kills the others in every run.
    """
    with players(serving, name) as people:
        for _ in range(KILLS):
            for _ in range(people.chance.randint(5, 20)):
                people.act()
            victim = part(serving, name)
            killer = Timer(people.chance.random() * 0.01, os.kill, (victim, signal.SIGKILL))
            killer.start()
            while is_running(victim):
                people.act()
            killer.join()
        people.play_to_the_end(serving.games())
        state = check_log(serving.store, people.table.id, people.acks)
        assert state.over
        assert len(serving.store.read(people.table.id).entries) == 1 + len(people.acks) + 3
        print(f"{name}: {KILLS} kills, {len(people.acks)} actions, {people.failed} failed tries")


@pytest.mark.slow
def test_the_supervisor_is_killed_in_the_middle_of_a_game(tmp_path: Path) -> None:
    """No process is left behind, and a new start on the same data continues the game with the players' tokens."""
    data = tmp_path / "games"
    with served(SERVE, data) as service, players(service, "supervisor") as people:
        for _ in range(20):
            people.act()
        everyone = descendants(service.process.pid)
        assert len(everyone) >= 5
        service.process.kill()
        service.process.wait()
        wait_until(lambda: not any(map(is_running, everyone)))
    with served(SERVE, data) as service, httpx.Client(base_url=service.url, timeout=patience(10)) as http:
        people.api = Api(http)
        people.play_to_the_end(service.games())
        state = check_log(service.store, people.table.id, people.acks)
        assert state.over
        assert len(service.store.read(people.table.id).entries) == 1 + len(people.acks) + 3
