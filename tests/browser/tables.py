"""Games for the browser's players, opened and played without a window, and the links that lead to them."""

from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

from domain.commands import Act, CompleteScoring
from domain.legality import legal_actions
from domain.state import Game
from service.gamelog.log import GameLog
from service.web.words import fill_plural, page_words
from tests.browser.windows import Page
from tests.support.client import SEED, Api, Table
from tests.support.waiting import wait_until


@dataclass(frozen=True)
class Tables:
    """Opens games, and plays seats that no window plays. What it does repeats: shuffle and choices have fixed seeds."""

    api: Api
    log: GameLog
    """On the service's store, by which games are played: three requests an action would take seconds a game."""

    def open(self, *names: str, bots: int = 0, seed: str | None = SEED, **body: Any) -> Table:
        """A game of named players, with greedy bots in the last seats."""
        seats = [{"name": name} for name in names] + [{"bot": "greedy"}] * bots
        return self.api.create(seats, seed, **body)

    def play(self, table: Table, actions: int, seed: str = "browser") -> None:
        """Play so many actions, each that of the seat whose turn it is, at random; less where the game ends before.

        Also those of bots, which come too late for any turn that follows an action of this log.
        """
        chance = Random(seed)
        for _ in range(actions):
            game = self._score(table)
            if game.over:
                return
            action = chance.choice(list(legal_actions(game, game.turn_seat)))
            self.log.handle(table.id, Act(seat=game.turn_seat, actions=(action,)))
        self._score(table)

    def play_to_end(self, table: Table) -> None:
        self.play(table, 10_000)

    def end_turn(self, table: Table) -> None:
        while self.api.view(table)["turn"]["seat"] == 0:
            self.play(table, 1)

    def lay(self, table: Table) -> str:
        """Seat 0 lays its first hand card as a businessmaker, over the API; which it was."""
        card: str = self.api.view(table, 0)["you"]["hand"][0]
        assert self.api.act(table, 0, {"type": "lay_businessmaker", "card": card}).status_code == 201
        return card

    def write(self, table: Table, text: str, seat: int = 0) -> None:
        assert self.api.post(f"{table.path}/messages", table.tokens[seat], json={"text": text}).status_code == 201

    def sentence_of_end(self, table: Table) -> str:
        view = self.api.view(table)
        names = [view["seats"][seat]["name"] for seat in view["winners"]]
        return fill_plural("en", page_words("en").table.won, len(names), names=" and ".join(names))

    def await_version(self, table: Table, page: Page) -> None:
        page.locator(f"#table[data-version='{self.api.version(table)}']").wait_for()

    def hand_over(self, table: Table, seat: int) -> None:
        """Give the seat a new token, and wait until all web processes refuse the old one: they learn it in a second."""
        token = table.tokens[seat]
        assert self.api.post(f"{table.path}/seats/{seat}/handover", token).status_code == 201

        def refuse() -> bool:  # each connection is any process's
            asked = (self.api.get(table.path, token, headers={"Connection": "close"}) for _ in range(16))
            return all(answer.status_code == 401 for answer in asked)

        wait_until(refuse, 5)

    def _score(self, table: Table) -> Game:
        """The game after its scoring round, if it waits for one; a worker may be quicker."""
        while (game := self.log.load(table.id).game).scoring is not None:
            self.log.handle(table.id, CompleteScoring(round=game.scoring))
        return game


def seat_link(table: Table, seat: int, action: dict[str, Any] | None = None) -> str:
    """The path that opens the game for a seat, as a mail's link does: perhaps with an action prepared."""
    return f"/g/{table.id}#{urlencode({'token': table.tokens[seat], **(action or {})})}"
