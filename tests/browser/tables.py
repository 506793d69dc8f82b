"""Games for the browser's players, opened and played over the API, and the links that lead to them."""

from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

from tests.support.client import SEED, Api, Table


@dataclass(frozen=True)
class Tables:
    """Opens games, and plays seats that no window plays. What it does repeats: shuffle and choices have fixed seeds."""

    api: Api

    def open(self, *names: str, bots: int = 0, seed: str | None = SEED, **body: Any) -> Table:
        """A game of named players, with greedy bots in the last seats."""
        seats = [{"name": name} for name in names] + [{"bot": "greedy"}] * bots
        return self.api.create(seats, seed, **body)

    def play(self, table: Table, actions: int, seed: str = "browser") -> None:
        """Play so many actions, each that of the seat whose turn it is, at random; less where the game ends before."""
        chance = Random(seed)
        for _ in range(actions):
            view = self._await_turn(table)
            if view["status"] == "over":
                return
            seat = view["turn"]["seat"]
            answer = self.api.act(table, seat, chance.choice(self.api.legal_actions(table, seat)))
            assert answer.status_code == 201, answer.text

    def play_to_end(self, table: Table) -> None:
        """Play the game out."""
        self.play(table, 10_000)

    def _await_turn(self, table: Table) -> dict[str, Any]:
        """The view once it is the turn of a seat with a token, or the game is over."""
        view = self.api.view(table)
        while view["status"] != "over" and (view["status"] != "playing" or view["turn"]["seat"] not in table.tokens):
            newer = {"If-None-Match": f'"{view["version"]}"'}
            answer = self.api.get(table.path, headers=newer, params={"wait": 10})
            assert answer.status_code == 200, "neither a bot nor a worker has gone on"
            view = answer.json()
        return view


def seat_link(table: Table, seat: int, action: dict[str, Any] | None = None) -> str:
    """The path that opens the game for a seat, as a mail's link does: perhaps with an action prepared."""
    return f"/g/{table.id}#{urlencode({'token': table.tokens[seat], **(action or {})})}"
