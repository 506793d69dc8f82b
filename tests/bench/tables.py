"""Planned games over HTTP: opened, and played request by request with a minimal client."""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from domain.orders.wishes import json_of
from tests.bench.common import HOST
from tests.bench.games import Plan
from tests.bench.players import Step

MOST_ACTIONS = 3
"""Of a list."""
TOKEN_LENGTH = 60
"""About that of a seat token."""


@dataclass(frozen=True, slots=True)
class Table:
    """A planned game that was opened over HTTP."""

    plan: Plan
    game: str
    tokens: list[str]

    def steps(self) -> list[Step]:
        """The whole game, an action a request."""
        return [self._step([number]) for number in range(1, len(self.plan.actions) + 1)]

    def turns(self) -> list[Step]:
        """The whole game, a turn a request: a list of its actions, which a scoring round ends early."""
        lists: list[list[int]] = []
        for number in range(1, len(self.plan.actions) + 1):
            seat, last = self.plan.action(number).seat, lists[-1] if lists else []
            goes_on = last and self.plan.action(last[-1]).seat == seat and last[-1] not in self.plan.scoring_actions
            if goes_on and len(last) < MOST_ACTIONS:
                last.append(number)
            else:
                lists.append([number])
        return [self._step(numbers, is_list=True) for numbers in lists]

    def _step(self, numbers: list[int], *, is_list: bool = False) -> Step:
        acts = [self.plan.action(number) for number in numbers]
        actions, token = [json_of(act.actions[0]) for act in acts], self.tokens[acts[0].seat]
        request = post(f"/v1/games/{self.game}/actions", token, {"actions": actions} if is_list else actions[0])
        head = f"GET /v1/games/{self.game}?wait=20 HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n"
        scores = numbers[-1] in self.plan.scoring_actions
        return Step(request, len(actions), f"{head}If-None-Match: ".encode() if scores else b"")


def post(path: str, token: str, content: object) -> bytes:
    """A POST as it goes over the wire."""
    body = json.dumps(content)
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {HOST}",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*lines, "", body]).encode()


def bare_steps(plan: Plan) -> list[Step]:
    """A planned game's actions for the bare route: requests of the same size, and no scoring rounds."""
    acts = [plan.action(number) for number in range(1, len(plan.actions) + 1)]
    return [Step(post("/append", "t" * TOKEN_LENGTH, json_of(act.actions[0]))) for act in acts]


def open_table(http: httpx.Client, plan: Plan) -> Table:
    """Open the planned game through the service behind `http`, which must allow fixed seeds."""
    seats = [{"name": seat.name, "entropy": seat.entropy} for seat in plan.create.seats]
    answer = http.post("/v1/games", json={"seats": seats, "server_seed": plan.create.server_seed.hex()})
    content = answer.raise_for_status().json()
    return Table(plan, content["game"]["id"], [seat["token"] for seat in content["seats"]])


class Stock:
    """Games that are opened, and their requests made, before the clock starts."""

    def __init__(self, port: int, plans: Sequence[Plan], script: Callable[[Table], list[Step]]) -> None:
        """Open games of these plans, again and again; `script` makes the requests of one."""
        self._plans = itertools.cycle(plans)
        self._url = f"http://{HOST}:{port}"
        self._script = script
        self._games: list[list[Step]] = []

    def fill(self, count: int) -> None:
        """Open games until there are so many."""
        with httpx.Client(base_url=self._url, timeout=30) as http:
            while len(self._games) < count:
                self._games.append(self._script(open_table(http, next(self._plans))))

    def take(self) -> list[Step]:
        """A game that has not been played. Raises IndexError if there is none left."""
        return self._games.pop()
