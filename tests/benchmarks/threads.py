"""Three threads a web process compared with the default, with a store at hand and with one that answers 5 ms later.

Run: `python -m tests.benchmarks.threads [--rounds 5] [--games 120]`. Needs wrk, and Linux. Four services of two web
processes on one store: few threads and the default, each once directly and once through a proxy that delays every
answer, as a slow disk or a network does. They take turns by the second and play actions over 16 and 64 connections.
Milliseconds, and microseconds of the web processes' processor time an action; figures are medians over the rounds, and
the ratios are those of the pairs.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import os
import secrets
import shutil
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from config.settings import Settings
from tests.benchmarks.actions import plan_games, play
from tests.benchmarks.common import HOST, accepts, durable_store, show, web
from tests.support.ports import free_port
from tests.support.waiting import wait_until

FEW = 3
MANY = Settings().web_threads
DELAY = 0.005
CONNECTIONS = (16, 64)
GAMES = 120
"""Enough for a second of play. A slow machine does with fewer, but not with fewer than connections."""
NEAR, FAR = "store at hand", f"store {1000 * DELAY:g} ms away"
TICKS = os.sysconf("SC_CLK_TCK")
_CONTEXT: SpawnContext = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Turn:
    """One service's second at one number of connections."""

    rps: float
    p50: float
    p99: float
    cpu: float
    """Microseconds of processor time an action."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service."""

    port: int
    processes: list[int]
    """Ids of its web processes."""

    def processor_seconds(self) -> float:
        """Processor time that the web processes have used."""
        stats = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.processes)
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / TICKS

    def measure(self, connections: int, planned: int, chance: Random) -> Turn:
        """Play for a second, of so many planned games."""
        games = plan_games(self.port, planned, chance)
        before = self.processor_seconds()
        load = play(self.port, games, connections, seconds=1)
        return Turn(load.rps, load.p50, load.p99, 1e6 * (self.processor_seconds() - before) / load.rps)


def children(process: int) -> list[int]:
    """Ids of a process's children."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@contextmanager
def service(store: str, threads: int) -> Iterator[Service]:
    """A service whose web processes have at most so many threads."""
    before = set(children(os.getpid()))
    with web(store, threads=threads) as port:
        (server,) = set(children(os.getpid())) - before
        yield Service(port, children(server))


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


def main(rounds: int, planned: int) -> None:
    """Print the medians and the ratios; `planned`: games for each turn."""
    if not shutil.which("wrk"):
        raise SystemExit("this benchmark needs wrk")
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = Random(seed)
    seen: defaultdict[tuple[str, int, int], list[Turn]] = defaultdict(list)
    with ExitStack() as stack:
        store = stack.enter_context(durable_store(in_memory=True))
        stores = {NEAR: store, FAR: stack.enter_context(delayed(store))}
        cases = list(itertools.product(stores, (FEW, MANY)))
        services = {(place, threads): stack.enter_context(service(stores[place], threads)) for place, threads in cases}
        for number in range(rounds + 1):
            for connections, (place, threads) in itertools.product(CONNECTIONS, cases if number % 2 else cases[::-1]):
                turn = services[place, threads].measure(connections, planned, chance)
                if number:  # the first round warms up
                    seen[place, connections, threads].append(turn)
    names = ("rps", "p50", "p99", "cpu")
    for place, connections in itertools.product(stores, CONNECTIONS):
        few, many = seen[place, connections, FEW], seen[place, connections, MANY]
        for threads, turns in ((FEW, few), (MANY, many)):
            figures = {name: statistics.median(getattr(turn, name) for turn in turns) for name in names}
            show(f"{place}, {connections} connections, {threads}", **figures)
        pairs = list(zip(few, many, strict=True))
        ratios = {name: statistics.median(getattr(a, name) / getattr(b, name) for a, b in pairs) for name in names}
        show(f"{place}, {connections}: {FEW} / {MANY}", **ratios)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=GAMES)
    arguments = parser.parse_args()
    main(arguments.rounds, arguments.games)
