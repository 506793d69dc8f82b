"""What 200 open long polls cost the players: p50 of a POST with and without them, on the real service.

Run: `python -m tests.bench.polls`. Two services on one store, each of two web processes; on one of them
the polls wait for games that don't move. They take turns by the second, every other round in the other order; "busy" is
16 connections, "calm" one. The polls must still be open at the end.
"""

import secrets
import socket
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from random import Random

import httpx

from service.connections.clients import connect
from tests.bench.common import HOST, durable_store, show, show_aim, web
from tests.bench.games import random_plans, store_of
from tests.bench.players import Players
from tests.bench.tables import Stock, Table, open_table

POLLS = 200
WAITED_FOR = 20
"""Games that the polls wait for."""
ROUNDS = 4
LOADS = {"busy": 16, "calm": 1}
PLANS = 40
STOCK = 450
"""Openings of games that are enough for all rounds. All are opened before the polls, which last 30 s."""
AIM = 1.5


@contextmanager
def open_polls(url: str, port: int, tables: list[Table]) -> Iterator[None]:
    """Hold the polls open until the block ends. Raises RuntimeError if one was answered before."""
    store = store_of(connect(url))
    with ExitStack() as stack:
        clients = []
        for number in range(POLLS):
            table = tables[number % len(tables)]
            version = store.read(table.game).entries[-1].version
            client = stack.enter_context(socket.create_connection((HOST, port)))
            lines = [f"GET /v1/games/{table.game}?wait=30 HTTP/1.1", f"Host: {HOST}", f'If-None-Match: "{version}"']
            client.sendall("\r\n".join([*lines, "", ""]).encode())
            client.setblocking(False)
            clients.append(client)
        channels = [store.stream(table.game) for table in tables]
        deadline = time.monotonic() + 10
        while any(not listening for _, listening in store.client.pubsub_numsub(*channels)):
            assert time.monotonic() < deadline, "the polls don't wait"
            time.sleep(0.02)
        time.sleep(0.5)  # for the last ones of each game
        yield
        for client in clients:
            try:
                answer = client.recv(1000)
            except BlockingIOError:
                continue
            raise RuntimeError(f"a poll was answered early: {answer!r}")


def measure(url: str, alone: int, beside: int, chance: Random) -> dict[str, dict[int, list[float]]]:
    """p50s in milliseconds by load and number of polls; `alone` and `beside`: ports without and with polls."""
    ports = {0: alone, POLLS: beside}
    with httpx.Client(base_url=f"http://{HOST}:{beside}") as http:
        tables = [open_table(http, plan) for plan in islice(random_plans(chance), WAITED_FOR)]
    plans = list(islice(random_plans(chance), PLANS))
    stocks = {polls: Stock(port, plans, Table.opening) for polls, port in ports.items()}
    players: dict[tuple[str, int], Players] = {}
    for polls, port in ports.items():
        stocks[polls].fill(STOCK)
        for load, connections in LOADS.items():
            players[load, polls] = Players(port, connections, stocks[polls].take)
    seen: dict[str, dict[int, list[float]]] = {load: defaultdict(list) for load in LOADS}

    def play_round(number: int) -> dict[tuple[str, int], float]:
        turns = [(load, polls) for load in LOADS for polls in (ports if number % 2 else reversed(ports))]
        p50 = {}
        for load, polls in turns:
            p50[load, polls] = statistics.median(players[load, polls].play(1).times)
        return p50

    play_round(0)  # warms up
    with open_polls(url, beside, tables):
        for number in range(1, ROUNDS + 1):
            for (load, polls), p50 in play_round(number).items():
                seen[load][polls].append(p50)
    return seen


def main() -> None:
    """Print the medians and the ratios."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    with durable_store(in_memory=True) as url, web(url) as alone, web(url) as beside:
        seen = measure(url, alone, beside, Random(seed))
    for load, by_polls in seen.items():
        without, together = (statistics.median(by_polls[polls]) for polls in (0, POLLS))
        show(f"p50 in ms, {load}", **{"no polls": without, f"{POLLS} polls": together})
        show_aim(f"with {POLLS} polls / without, {load}", together / without, "<=", AIM)


if __name__ == "__main__":
    main()
