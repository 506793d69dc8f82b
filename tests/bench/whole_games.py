"""Whole games over HTTP beside a bare Flask route and beside boardgame.io, in turns.

Run: `python -m tests.bench --only whole_games`. The service is two web processes, a worker and a store that
syncs each append to the disk; a player waits for a scoring round with a long poll. The bare route runs on the same
server and store. One client, `players`, sends requests of the same size to both. Figures are medians over the rounds,
in each of which all take turns; `us` are microseconds of processor time for each accepted action.

boardgame.io keeps its matches in memory, in one process, and sends moves over websockets to clients of its own.
"""

import itertools
import os
import secrets
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from random import Random

from tests.bench.boardgame_io import boardgame_io, node_modules
from tests.bench.common import disk_sync_ms, is_short, show, show_goal, show_ratio
from tests.bench.games import Plan, random_plans
from tests.bench.goals import GOALS, NONE, PEER, PEER_TURNS, WEB_TIME
from tests.bench.players import Players, Step
from tests.bench.services import AFTER, BEFORE, bare_route, checkouts, service
from tests.bench.tables import Stock, Table, bare_steps

CONNECTIONS = (1, 16, 64)
BUSY = 16
CLIENTS = 20
"""Beside boardgame.io."""
PAIRS, SHORT_PAIRS = 5, 2
SECONDS, SHORT_SECONDS = 3.0, 0.5
PLANS = 60
STOCK = 80
"""Games that are enough for a second."""
BARE, THEIRS = "bare route", "boardgame.io"
GAMES, OPENINGS, TURNS = "whole games", "actions only", "whole games, turns as lists"
Case = tuple[str, int]
"""What is played, over how many connections."""
RATIOS = {
    "actions a second, service / bare route": ("actions/s", False),
    "processor time of the web processes, bare route / service": ("web us", True),
    "processor time of all processes, bare route / service": ("all us", True),
    "p99, service / bare route": ("p99 ms", False),
}
"""Beside the bare route, by name: the figure, and whether the bare route's is divided by the service's."""
LIMITS = {f"{GAMES}, {BUSY} connections: processor time of the web processes, bare route / service": WEB_TIME.limit}
"""Of ratios that are no goals."""
PEER_GOALS = {GAMES: PEER, TURNS: PEER_TURNS}
Figures = dict[str, float]


SCRIPTS: dict[str, Callable[[Table], list[Step]]] = {GAMES: Table.steps, OPENINGS: Table.opening, TURNS: Table.turns}


class Measurement:
    """All sides, up side by side, and what was measured of each case."""

    def __init__(self, stack: ExitStack, plans: Sequence[Plan], seconds: float) -> None:
        self._seconds = seconds
        self.services = {name: stack.enter_context(service(checkout)) for name, checkout in checkouts().items()}
        self._stocks = {
            (name, what): Stock(one.port, plans, script)
            for name, one in self.services.items()
            for what, script in SCRIPTS.items()
        }
        self.services[BARE] = stack.enter_context(bare_route(self.services[AFTER]))
        modules = node_modules()
        self._theirs = stack.enter_context(boardgame_io(modules)) if modules else None
        self._bare = itertools.cycle([bare_steps(plan) for plan in plans])
        self._players: dict[tuple[Case, str], Players] = {}
        self.seen: dict[Case, dict[str, list[Figures]]] = {
            case: {side: [] for side in sides} for case, sides in self.cases().items()
        }

    def cases(self) -> dict[Case, list[str]]:
        """What is played, and by which sides."""
        ours = [name for name in self.services if name != BARE]
        sides = {(GAMES, connections): list(self.services) for connections in CONNECTIONS}
        sides |= {(OPENINGS, BUSY): list(self.services)}
        peers = {(GAMES, CLIENTS): [*ours, *([THEIRS] if self._theirs else [])], (TURNS, CLIENTS): ours}
        return sides | peers

    def run(self, number: int) -> None:
        """One round: every case, its sides in turns, in the other order every other time; the first warms up."""
        for case, sides in self.cases().items():
            for side in sides[:: -1 if number % 2 else 1]:
                figures = self._measure(case, side, self._seconds if number else min(1.0, self._seconds))
                if number:
                    self.seen[case][side].append(figures)

    def _measure(self, case: Case, side: str, seconds: float) -> Figures:
        what, connections = case
        if side == THEIRS:
            assert self._theirs is not None
            return self._theirs.play(connections, max(1.0, seconds))
        served = self.services[side]
        if side == BARE:
            games = partial(next, self._bare)
        else:
            stock = self._stocks[side, what]
            stock.fill(connections + round(STOCK * (1 + seconds) * (2 if what == OPENINGS else 1)))
            games = stock.take
        if (case, side) not in self._players:
            self._players[case, side] = Players(served.port, connections, games)
        return self._players[case, side].play(seconds, served.used).figures()


def pairs(one: Sequence[Figures], two: Sequence[Figures], figure: str) -> list[float]:
    """The ratios of a figure, round by round; none where one of both was not measured."""
    return [first[figure] / second[figure] for first, second in zip(one, two, strict=True)] if one and two else []


def report(seen: dict[Case, dict[str, list[Figures]]]) -> None:
    """Print the medians of each case, and the ratios."""
    for case, sides in seen.items():
        for side, runs in sides.items():
            names = [name for name in runs[0] if all(name in run for run in runs)]
            figures = {name: statistics.median(run[name] for run in runs) for name in names}
            show(f"{title(case)}: {side}", **figures)
    for case, sides in seen.items():
        if BARE in sides:
            compare_with_bare_route(case, sides)
        elif theirs := seen[GAMES, CLIENTS].get(THEIRS):
            ours, before = (pairs(sides.get(side, []), theirs, "actions/s") for side in (AFTER, BEFORE))
            show_goal(PEER_GOALS[case[0]], ours, before)
    for case, sides in seen.items():
        if BEFORE in sides:
            rates = pairs(sides[AFTER], sides[BEFORE], "actions/s")
            show_ratio(f"{title(case)}: actions a second, after / before", rates)
            times = pairs(sides[BEFORE], sides[AFTER], "web us")
            show_ratio(f"{title(case)}: processor time of the web processes, before / after", times)


def compare_with_bare_route(case: Case, sides: dict[str, list[Figures]]) -> None:
    """Print the ratios of the service, and of the other checkout, to the bare route."""
    limits = LIMITS | {goal.name: goal.limit for goal in GOALS}
    for text, (figure, is_reversed) in RATIOS.items():
        ours, before = (
            pairs(sides[BARE], sides.get(side, []), figure)
            if is_reversed
            else pairs(sides.get(side, []), sides[BARE], figure)
            for side in (AFTER, BEFORE)
        )
        name = f"{title(case)}: {text}"
        show_ratio(name, ours, limits.get(name, NONE), before)


def title(case: Case) -> str:
    """What is played, over how many connections."""
    what, connections = case
    if connections == CLIENTS:
        return f"{what}, {connections} clients"
    return f"{what}, {connections} connection{'s' if connections > 1 else ''}"


def main() -> None:
    """Measure and print."""
    seed = secrets.randbits(32)
    print(f"seed {seed}; load {os.getloadavg()[0]:.1f}; the disk syncs in {disk_sync_ms():.2f} ms")
    if node_modules() is None:
        print("boardgame.io isn't here: npm install boardgame.io socket.io-client, with node 20 or later,")
        print("and name the folder in REIBACH_BENCH_NODE")
    plans = list(islice(random_plans(Random(seed)), PLANS))
    with ExitStack() as stack:
        measurement = Measurement(stack, plans, SHORT_SECONDS if is_short() else SECONDS)
        for number in range((SHORT_PAIRS if is_short() else PAIRS) + 1):
            measurement.run(number)
    report(measurement.seen)


if __name__ == "__main__":
    main()
