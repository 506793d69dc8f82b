"""Three threads a web process compared with the default, with a store at hand and with one that answers 5 ms later.

Run: `python -m tests.bench.threads [--rounds 5] [--games 120]`. Needs Linux. Four services of two web
processes on one store: few threads and the default, each once directly and once through a proxy that delays every
answer, as a slow disk or a network does. They take turns by the second and play actions over 16 and 64 connections.
Milliseconds, and microseconds of the web processes' processor time an action; figures are medians over the rounds, and
the ratios are those of the pairs.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import secrets
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.context import SpawnContext
from random import Random
from urllib.parse import urlsplit

from config.settings import Settings
from tests.bench.common import HOST, accepts, durable_store, is_short, serve, show, show_ratio
from tests.bench.games import Plan, random_plans
from tests.bench.players import Players
from tests.bench.services import processor_seconds
from tests.bench.tables import Stock, Table
from tests.support.ports import free_port
from tests.support.waiting import wait_until

FEW = 3
MANY = Settings().web_threads
DELAY = 0.005
CONNECTIONS = (16, 64)
GAMES = 160
"""Enough for a second of play. A slow machine does with fewer, but not with fewer than connections."""
NEAR, FAR = "store at hand", f"store {1000 * DELAY:g} ms away"
PLANS = 60
_CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


class Service:
    """A running service, and the games that are played on it."""

    def __init__(self, stack: ExitStack, store: str, threads: int, plans: Sequence[Plan]) -> None:
        """Its web processes have at most so many threads for what doesn't wait."""
        self._port, self._web = stack.enter_context(serve(store, threads=threads))
        self._stock = Stock(self._port, plans, Table.opening)
        self._players: dict[int, Players] = {}

    def measure(self, connections: int, games: int) -> dict[str, float]:
        """Play for a second; of so many games, which are opened before."""
        self._stock.fill(games)
        if connections not in self._players:
            self._players[connections] = Players(self._port, connections, self._stock.take)
        return self._players[connections].play(1.0, lambda: {"web": processor_seconds(self._web)}).figures()


def delay_answers(store: str, port: int) -> None:
    """Listen on the port and hand on to the store's socket at once; its answers DELAY seconds later."""

    async def hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, delay: float) -> None:
        loop = asyncio.get_running_loop()
        while data := await source.read(1 << 16):
            loop.call_later(delay, target.write, data)
        loop.call_later(delay, target.close)

    async def connect(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_unix_connection(store)
        await asyncio.gather(hand_on(source, requests, 0), hand_on(answers, target, DELAY), return_exceptions=True)

    async def serve() -> None:
        await (await asyncio.start_server(connect, HOST, port)).serve_forever()

    asyncio.run(serve())


@contextmanager
def delayed(store: str) -> Iterator[str]:
    """The URL of the proxy in front of a store on a unix socket."""
    port = free_port()
    proxy = _CONTEXT.Process(target=delay_answers, args=(urlsplit(store).path, port), daemon=True)
    proxy.start()
    try:
        wait_until(partial(accepts, port), 30)
        yield f"redis://{HOST}:{port}"
    finally:
        proxy.kill()
        proxy.join()


def main(rounds: int, games: int) -> None:
    """Print the medians and the ratios; `games`: opened for each turn."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    plans = list(itertools.islice(random_plans(Random(seed)), PLANS))
    seen: defaultdict[tuple[str, int, int], list[dict[str, float]]] = defaultdict(list)
    with ExitStack() as stack:
        store = stack.enter_context(durable_store(in_memory=True))
        stores = {NEAR: store, FAR: stack.enter_context(delayed(store))}
        cases = list(itertools.product(stores, (FEW, MANY)))
        services = {(place, threads): Service(stack, stores[place], threads, plans) for place, threads in cases}
        for number in range(rounds + 1):
            for connections, (place, threads) in itertools.product(CONNECTIONS, cases if number % 2 else cases[::-1]):
                figures = services[place, threads].measure(connections, games)
                if number:  # the first round warms up
                    seen[place, connections, threads].append(figures)
    names = ("actions/s", "p50 ms", "p99 ms", "web us")
    for place, connections in itertools.product(stores, CONNECTIONS):
        for threads in (FEW, MANY):
            turns = seen[place, connections, threads]
            shown = {name: statistics.median(turn[name] for turn in turns) for name in names}
            show(f"{place}, {connections} connections, {threads} threads", **shown)
    for place, connections, name in itertools.product(stores, CONNECTIONS, names):
        few, many = seen[place, connections, FEW], seen[place, connections, MANY]
        ratios = [one[name] / two[name] for one, two in zip(few, many, strict=True)]
        show_ratio(f"{place}, {connections} connections: {name}, {FEW} threads / {MANY}", ratios)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=GAMES)
    arguments = parser.parse_args()
    main(1 if is_short() else arguments.rounds, arguments.games)
