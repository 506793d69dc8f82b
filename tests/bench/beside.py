"""The service beside a bare Flask route, beside itself with more games, and beside boardgame.io, in turns.

The service is two web processes, a worker and a store that syncs each append to the disk; a player waits for a scoring
round with a long poll. The bare route runs on the same server and store. One client, `players`, sends requests of the
same size to both; boardgame.io's clients are its own, over websockets. What counts is processor time of all processes
but the clients, for each accepted action: rates tell of the disk and of whatever else runs on the machine, too.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench.boardgame_io import FILES, MEMORY, POSTGRES, boardgame_io, stores, target
from tests.bench.common import NONE, Limit, show
from tests.bench.games import Plan, store_games
from tests.bench.players import Players, Step
from tests.bench.services import Service, bare_route, service
from tests.bench.tables import Stock, Table, bare_steps

BUSY, CLIENTS = 16, 20
"""Connections beside the bare route, and clients beside boardgame.io."""
MORE = 5000
STOCK = 80
"""Games that are enough for a second."""
SINGLE, LISTS = "Reibach", "Reibach, turns as lists"
BARE, FEW, MANY = "bare route, 16 connections", "Reibach, 16 connections", f"Reibach with {MORE:,} more games"
THEIRS = {kind: f"boardgame.io, {kind}" for kind in (MEMORY, FILES, POSTGRES)}
ALL, RATE = "all us", "actions/s"
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Ratio:
    """One line of the goals: a figure of one side, divided by that of another one."""

    name: str
    figure: str
    sides: tuple[str, str]
    limit: Limit = NONE

    def pairs(self, seen: Mapping[str, Sequence[Figures]]) -> list[float]:
        """Round by round; none where one of both was not measured."""
        dividends, divisors = (seen.get(side, []) for side in self.sides)
        return [more[self.figure] / less[self.figure] for more, less in zip(dividends, divisors, strict=False)]


RATIOS = (
    Ratio("processor time, bare route / service", ALL, (BARE, FEW), Limit(">=", 0.6)),
    Ratio(f"processor time, with {MORE:,} more games / without", ALL, (MANY, FEW), Limit("<=", 1.1)),
    Ratio("actions a second, service / FlatFile", RATE, (SINGLE, THEIRS[FILES]), Limit(">=", 2.2)),
    Ratio("actions a second, turns as lists / FlatFile", RATE, (LISTS, THEIRS[FILES]), Limit(">=", 5.5)),
    *(
        Ratio(f"processor time, {kind} / {name}", ALL, (THEIRS[kind], side))
        for kind in THEIRS
        for name, side in (("service", SINGLE), ("turns as lists", LISTS))
    ),
)


class Beside:
    """All sides, up side by side."""

    def __init__(self, stack: ExitStack, plans: Sequence[Plan], modules: Path | None, more: int = MORE) -> None:
        few, many = (stack.enter_context(service()) for _ in range(2))
        store_games(many.url, plans[:5], more)
        bare = stack.enter_context(bare_route(few))
        games = itertools.cycle([bare_steps(plan) for plan in plans])
        self.sides: dict[str, Callable[[float], Figures]] = {
            BARE: partial(self._play, Players(bare.port, BUSY, partial(next, games)), bare),
            FEW: self._side(few, plans, Table.steps, BUSY),
            MANY: self._side(many, plans, Table.steps, BUSY),
            SINGLE: self._side(few, plans, Table.steps, CLIENTS),
            LISTS: self._side(few, plans, Table.turns, CLIENTS),
        }
        for kind in stores(modules):
            assert modules is not None
            server = stack.enter_context(boardgame_io(modules, stack.enter_context(target(kind))))
            self.sides[THEIRS[kind]] = partial(server.play, CLIENTS)

    def measure(self, rounds: int, seconds: float) -> dict[str, list[Figures]]:
        """Every side in turns, in the other order every other time; the first round warms up."""
        seen: dict[str, list[Figures]] = {side: [] for side in self.sides}
        for number in range(rounds + 1):
            for side in list(self.sides)[:: -1 if number % 2 else 1]:
                figures = self.sides[side](seconds if number else min(1.0, seconds))
                if number:
                    show(side, **figures)
                    seen[side].append(figures)
        return seen

    @staticmethod
    def _play(players: Players, running: Service, seconds: float) -> Figures:
        return players.play(seconds, running.used).figures()

    def _side(
        self, running: Service, plans: Sequence[Plan], script: Callable[[Table], list[Step]], connections: int
    ) -> Callable[[float], Figures]:
        stock = Stock(running.port, plans, script)
        stock.fill(connections)
        players = Players(running.port, connections, stock.take)

        def play(seconds: float) -> Figures:
            stock.fill(connections + round(STOCK * (1 + seconds)))
            return self._play(players, running, seconds)

        return play
