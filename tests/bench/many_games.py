"""Whether a store with 10,000 games is slower than one with 10: an action, a look at a game, and a cold load.

Run: `python -m tests.bench --only many_games`. Each store has web processes of its own; the same games are played
on both in turns, over one connection each. A cold load (read, parse and fold) takes any of the stored games.

The stored games are copies of a few random ones under ids of their own, each at its 30th command. Their hash chains are
those of their originals, and are not read here.
"""

import secrets
import statistics
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from random import Random

import httpx

from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.store.form.codec import decode_rows, payload_of_row
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import AppendRequest
from tests.bench.common import HOST, block_ratios, durable_store, is_short, show, show_ratio, web
from tests.bench.games import filling, game_log, random_plans, store_of
from tests.bench.goals import STORED_GAMES
from tests.bench.tables import Connection, Table, open_table

FEW, MANY = 10, 1_000 if is_short() else 10_000
ORIGINALS = 10
COMMANDS = 30
PLAYED = 5 if is_short() else 40
"""Games played on each store."""
ACTIONS = 12
"""Actions of each, and looks at it."""
LOADS = 400

Times = dict[str, dict[int, list[float]]]


@dataclass(frozen=True, slots=True)
class Original:
    """A stored game that others are copied from."""

    game: str
    reading: ReadReply
    types: list[list[str]]
    """Of the events of each entry."""

    @classmethod
    def read(cls, log: GameLog, game: str) -> "Original":
        """The stored game."""
        reading = log.store.read(game)
        rows = [decode_rows([one.body]) for one in reading.entries]
        return cls(game, reading, [[payload_of_row(row)[0] for row in some] for some in rows])

    def copy(self, log: GameLog, name: str) -> None:
        """Store the same game under another id."""
        previous, last = b"", self.reading.entries[-1]
        for entry, types in zip(self.reading.entries, self.types, strict=True):
            own = entry._replace(body=entry.body.replace(self.game.encode(), name.encode()))
            # The hash of the last event, which a load compares, and so much of the others as a script compares.
            head_hash = self.reading.hash if entry is last else entry.check.ljust(32, b"0")
            append = AppendRequest(game=name, entries=[own], previous=previous, head_hash=head_hash, types=types)
            previous = head_hash
            log.store.append(append)


def fill(url: str, count: int, chance: Random) -> list[str]:
    """Store so many games; their ids."""
    plans = random_plans(chance, lambda plan: plan.scoring_actions[0] > COMMANDS)
    originals = []
    ids = [f"{chance.getrandbits(120):030x}" for _ in range(count - ORIGINALS)]
    with filling(url) as log:
        for plan in islice(plans, ORIGINALS):
            log.create(plan.create)
            for command in plan.commands[:COMMANDS]:
                log.handle(plan.create.game, command)
            originals.append(Original.read(log, plan.create.game))
        for number, name in enumerate(ids):
            originals[number % ORIGINALS].copy(log, name)
    return [original.game for original in originals] + ids


def play(tables: dict[int, list[Table]], ports: dict[int, int]) -> Times:
    """Milliseconds of the actions and looks, by size of the store."""
    times: Times = {"action": defaultdict(list), "view": defaultdict(list)}
    with ExitStack() as stack:
        connections = {size: stack.enter_context(Connection(port)) for size, port in ports.items()}
        for game in range(PLAYED):
            for number in range(1, ACTIONS + 1):
                for size in (FEW, MANY) if number % 2 else (MANY, FEW):
                    table, connection = tables[size][game], connections[size]
                    times["action"][size].append(connection.ask(table.request(number))[0])
                    times["view"][size].append(connection.ask(table.look())[0])
    return times


def load(urls: dict[int, str], ids: dict[int, list[str]], chance: Random) -> Times:
    """Milliseconds of loads of games that the process doesn't know, by size of the store."""
    times: Times = {"cold load": defaultdict(list)}
    stores = {size: store_of(connect(url)) for size, url in urls.items()}
    for _ in range(LOADS):
        for size, store in stores.items():
            log, name = game_log(store), chance.choice(ids[size])
            begun = time.perf_counter()
            log.load(name)
            times["cold load"][size].append(1000 * (time.perf_counter() - begun))
    return times


def main() -> None:
    """Both stores at once, then the medians and their ratios."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = Random(seed)
    plans = list(islice(random_plans(chance, lambda plan: plan.scoring_actions[0] > ACTIONS), PLAYED))
    with ExitStack() as stack:
        urls = {size: stack.enter_context(durable_store(in_memory=True)) for size in (FEW, MANY)}
        ids = {size: fill(url, size, chance) for size, url in urls.items()}
        ports = {size: stack.enter_context(web(url)) for size, url in urls.items()}
        tables = {}
        for size, port in ports.items():
            with httpx.Client(base_url=f"http://{HOST}:{port}") as http:
                tables[size] = [open_table(http, plan) for plan in plans]
        times = play(tables, ports) | load(urls, ids, chance)
    for what, by_size in times.items():
        few, many = (statistics.median(by_size[size]) for size in (FEW, MANY))
        show(f"p50 in ms, {what}", **{f"{FEW:,} games": few, f"{MANY:,} games": many})
        ratios = block_ratios(by_size[MANY], by_size[FEW])
        name = STORED_GAMES.name if what == "action" else f"a {what} with {MANY:,} stored games / with {FEW}"
        show_ratio(name, ratios, STORED_GAMES.limit)


if __name__ == "__main__":
    main()
