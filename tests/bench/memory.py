"""The memory of a finished game in the embedded store, in bytes as the store counts them, and as an archive.

Run: `python -m tests.bench.memory`. Random games of 2 to 5 players, played to the end through the log at a
likely pace. Counted are stream, header and idempotency keys, every node of them (`SAMPLES 0`); of an archive
the value alone, and as the store counts it with its header.
"""

import itertools
import secrets
import statistics
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random

from domain.commands import Act
from domain.orders.wishes import json_of
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from tests.bench.common import durable_store, show, show_aim
from tests.bench.games import Plan, filling, random_plans, store_of

GAMES = 120
AIM_KB = 16
ARCHIVE_AIM_KB = 2
EVENING, POST = 17_000, 4 * 3600 * 1000
"""Milliseconds from one command to the next: a game in 45 minutes, and one in a month."""
PLAIN = "an evening's game"
KINDS = {
    PLAIN: (EVENING, False),
    "a game by post": (POST, False),
    "an evening's game, with keys": (EVENING, True),
}
"""Pace, and whether each action comes with an idempotency key."""


def play(log: GameLog, plan: Plan, name: str, *, keyed: bool) -> None:
    """Play the whole game under the id `name`."""
    log.create(replace(plan.create, game=name))
    for number, command in enumerate(plan.commands):
        key = None
        if keyed and isinstance(command, Act):
            key = IdempotencyKey(f"actions/{command.seat}", f"key-{number}", json_of(command.actions[0]), bytes(32))
        log.handle(name, command, key=key)


def clock(mean_ms: int) -> Callable[[], int]:
    """A clock that advances by random steps of this mean: regular ones would weigh next to nothing in an archive."""
    chance = Random(mean_ms)
    times = itertools.accumulate((round(chance.expovariate(1 / mean_ms)) for _ in itertools.count()), initial=now_ms())
    return lambda: next(times)


def main() -> None:
    """Print the sizes by kind and by number of players."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    plans = list(islice(random_plans(Random(seed)), GAMES))
    weights: dict[str, list[int]] = {}
    archives: dict[str, list[int]] = {}
    with durable_store(in_memory=True) as url:
        store = store_of(connect(url))
        for kind, (pace, keyed) in KINDS.items():
            with filling(url, clock(pace)) as log:
                for plan in plans:
                    play(log, plan, f"{plan.create.game}-{kind}", keyed=keyed)
            names = [f"{plan.create.game}-{kind}" for plan in plans]
            weights[kind] = [weigh(store, name) for name in names]
            if not keyed:
                archives[kind] = [archived(store, name) for name in names]
                weights[f"{kind}, archived"] = [weigh(store, name) for name in names]
    for kind, seen in weights.items():
        show(f"bytes, {kind}", mean=statistics.mean(seen), max=max(seen))
    plain = weights[PLAIN]
    for seats in range(2, 6):
        seen = [weight for weight, plan in zip(plain, plans, strict=True) if len(plan.create.seats) == seats]
        show(f"bytes, {seats} players", games=len(seen), mean=statistics.mean(seen), max=max(seen))
    events = [len(plan.events) for plan in plans]
    per_event = [weight / count for weight, count in zip(plain, events, strict=True)]
    show("bytes per event", mean=statistics.mean(per_event), max=max(per_event))
    show("events of a game", mean=statistics.mean(events), max=max(events))
    for kind, seen in archives.items():
        show(f"bytes of the archive, {kind}", mean=statistics.mean(seen), max=max(seen))
        show_aim(f"KB of the mean archive, {kind}", statistics.mean(seen) / 1024, "<=", ARCHIVE_AIM_KB)
    show_aim("KB of the mean game", statistics.mean(plain) / 1024, "<=", AIM_KB)
    show_aim("KB of the largest", max(plain) / 1024, "<=", AIM_KB)


def archived(store: Store, game: str) -> int:
    """Archive the game; bytes of the value."""
    compacted = compact(store, game, "store", now_ms() + 10**12)
    assert compacted is not None
    return compacted.after


def weigh(store: Store, game: str) -> int:
    """Bytes of the game's stream or archive, header and idempotency keys."""
    keys = *store.keys(game)[:3], store.keys(game).archive
    return sum(store.client.memory_usage(key, samples=0) or 0 for key in keys)


if __name__ == "__main__":
    main()
