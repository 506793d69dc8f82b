"""Whether an action takes longer the longer the game is: actions 3 to 7 of a game and actions 148 to 152.

Run: `python -m tests.bench --only length`. The early and the late actions take turns, each pair out of the same
planned game, over one connection to the real web processes, and in this process. Neither holds a scoring round.
"""

import secrets
import statistics
import time
from dataclasses import replace
from itertools import islice
from random import Random

import httpx

from domain.commands import Command
from service.connections.clients import connect
from service.gamelog.log import GameLog
from tests.bench.common import HOST, block_ratios, durable_store, is_short, show, show_goal, show_ratio, web
from tests.bench.games import Plan, filling, game_log, random_plans, store_of
from tests.bench.goals import LENGTH
from tests.bench.tables import Connection, open_table

EARLY = range(3, 8)
LATE = range(148, 153)
GAMES, SHORT_GAMES = 80, 15

Times = dict[str, list[float]]


def long_and_calm(plan: Plan) -> bool:
    """Whether the game lasts longer than the measured actions, without a scoring round among them."""
    return len(plan.actions) > LATE[-1] and not {*EARLY, *LATE} & set(plan.scoring_actions)


def over_http(store: str, port: int, plans: list[Plan]) -> Times:
    """Milliseconds of the POSTs."""
    with httpx.Client(base_url=f"http://{HOST}:{port}") as http:
        pairs = [(open_table(http, plan), open_table(http, plan)) for plan in plans]
    with filling(store) as log:
        for early, late in pairs:
            bring_to_windows(log, early.plan, early.game, late.game)
    times: Times = {"early": [], "late": []}
    with Connection(port) as connection:
        for early, late in pairs:
            for table in (early, late):  # the web process knows both games before anything is measured
                connection.ask(table.look())
            for first, second in zip(EARLY, LATE, strict=True):
                times["early"].append(connection.ask(early.request(first))[0])
                times["late"].append(connection.ask(late.request(second))[0])
    return times


def in_process(store: str, plans: list[Plan]) -> Times:
    """Milliseconds of `GameLog.handle`."""
    names = [(f"{plan.create.game}-early", f"{plan.create.game}-late") for plan in plans]
    with filling(store) as log:
        for plan, pair in zip(plans, names, strict=True):
            for name in pair:
                log.create(replace(plan.create, game=name))
            bring_to_windows(log, plan, *pair)
    log = game_log(store_of(connect(store)))
    times: Times = {"early": [], "late": []}
    for plan, (early, late) in zip(plans, names, strict=True):
        log.load(early)
        log.load(late)
        for first, second in zip(EARLY, LATE, strict=True):
            times["early"].append(handled(log, early, plan.action(first)))
            times["late"].append(handled(log, late, plan.action(second)))
    return times


def bring_to_windows(log: GameLog, plan: Plan, early: str, late: str) -> None:
    """Play the two games up to what is measured."""
    for game, window in ((early, EARLY), (late, LATE)):
        for command in plan.before(window[0]):
            log.handle(game, command)


def handled(log: GameLog, game: str, command: Command) -> float:
    """Milliseconds that a command takes."""
    begun = time.perf_counter()
    log.handle(game, command)
    return 1000 * (time.perf_counter() - begun)


def report(where: str, times: Times) -> list[float]:
    """Print the medians; their ratios."""
    early, late = (statistics.median(times[name]) for name in ("early", "late"))
    show(f"p50 in ms, {where}", early=early, late=late)
    return block_ratios(times["late"], times["early"])


def main() -> None:
    """Both ways, one after the other."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    plans = list(islice(random_plans(Random(seed), long_and_calm), SHORT_GAMES if is_short() else GAMES))
    with durable_store(in_memory=True) as store, web(store) as port:
        show_goal(LENGTH, report("over HTTP", over_http(store, port, plans)))
        show_ratio(
            "150th / 5th action of a game, in process", report("in process", in_process(store, plans)), LENGTH.limit
        )


if __name__ == "__main__":
    main()
