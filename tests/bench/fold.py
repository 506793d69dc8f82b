"""Replay of whole games from a store: our cold load compared with the `eventsourcing` library's, in events a second.

Run: `python -m tests.bench.fold`. Both replay the same random games, game by game in turns, to the same state: we
from the embedded store (read, parse, fold), the library from a SQLite file, without a cache and without snapshots.
"""

import importlib.util
import secrets
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from service.connections.clients import connect
from tests.bench.common import durable_store, show, show_aim
from tests.bench.games import Plan, filling, game_log, random_plans, store_of

GAMES = 40
ROUNDS = 3
AIM = 8


def measure(url: str, database: Path, plans: list[Plan]) -> tuple[list[float], list[float]]:
    """Events a second of our loads, and of the library's."""
    # Imported here, because the library is an extra of the project that may be missing.
    from eventsourcing.application import Application

    from tests.bench.replayed import ReibachGame

    with filling(url) as log:
        for plan in plans:
            log.create(plan.create)
            for command in plan.commands:
                log.handle(plan.create.game, command)
    store = store_of(connect(url))
    environment = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(database)}
    application: Any = Application(env=environment)
    try:
        aggregates = [ReibachGame.after(plan.events) for plan in plans]
        for aggregate in aggregates:
            application.save(aggregate)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            for plan, aggregate in zip(plans, aggregates, strict=True):
                begun = time.perf_counter()
                game = game_log(store).load(plan.create.game).game
                between = time.perf_counter()
                found = application.repository.get(aggregate.id)
                ended = time.perf_counter()
                assert replace(game, at=0, created=0, waiting_since=0) == found.game  # the aggregate has no times
                ours.append(len(plan.events) / (between - begun))
                theirs.append(len(plan.events) / (ended - between))
    finally:
        application.close()
    return ours, theirs


def main() -> None:
    """Print both medians and the ratio, or how to get the library."""
    if importlib.util.find_spec("eventsourcing") is None:
        print('the library eventsourcing is not installed here: pip install -e ".[bench]"')
        return
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    plans = list(islice(random_plans(Random(seed)), GAMES))
    with durable_store() as url, tempfile.TemporaryDirectory() as folder:
        ours, theirs = map(statistics.median, measure(url, Path(folder, "games.db"), plans))
    show("replayed events a second", ours=ours, eventsourcing=theirs)
    show_aim("ours / eventsourcing", ours / theirs, ">=", AIM)


if __name__ == "__main__":
    main()
