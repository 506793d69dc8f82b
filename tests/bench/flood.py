"""What a flood of games between bots does to everyone else: the scoring pause of games of people, and a bot's answer.

Run: `python -m tests.bench.flood [--bot-games 800] [--limit 0]`. One client opens the games as quickly as it can,
with the limit of requests off; `--limit`: of running games that only bots play (REIBACH_RUNNING_BOT_GAMES, 0: none).
Real web and worker processes. The pause is that of `scoring_pause`. A bot's answer: from the end of a person's turn to
the end of the bot's, which includes the second that a bot waits.

`--games 20000`: games of a bot and a person are put into the store instead, and wait for their bots. The share of 200s
among the answers of `/readyz` is measured then; a bot's answer isn't, since it comes after those of all these games.
"""

import argparse
import os
import secrets
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from random import Random
from threading import Event, Thread

import httpx

from domain.commands import CreateGame, SeatPlan
from service.gamelog.store.streams import Store
from tests.bench.common import HOST, disk_sync_ms, is_short, show, show_aim
from tests.bench.games import filling, random_plans, store_of
from tests.bench.scoring_pause import pause
from tests.bench.services import service
from tests.bench.tables import Connection, Table, open_table

QUIET, FLOODED, ANSWERS = 20, 12, 3
GIVEN_UP = 10_000
"""Milliseconds after which `pause` gives up."""
AIM = 10
BOTS = {"seats": [{"bot": "greedy"}] * 5}
LOOKED_FOR = 20
"""Seconds for which `/readyz` is asked at least, 5 in the short form."""


def tables(http: httpx.Client, url: str, chance: Random, count: int) -> list[Table]:
    """Games of people, each played to just before its first scoring round."""
    made = [open_table(http, plan) for plan in islice(random_plans(chance), count)]
    with filling(url) as log:
        for table in made:
            for command in table.plan.before(table.plan.scoring_actions[0]):
                log.handle(table.game, command)
    return made


def pauses(port: int, store: Store, made: list[Table]) -> list[float]:
    """Milliseconds of each table's scoring pause; `GIVEN_UP` of one that took longer."""
    times = []
    for table in made:
        with Connection(port) as connection:
            try:
                times.append(pause(connection, store, table)[0])
            except TimeoutError:
                times.append(GIVEN_UP)
        time.sleep(0.1)
    return times


def answer_of_a_bot(http: httpx.Client) -> float:
    """Seconds from the end of a person's turn until it is that person's again."""
    seats = [{"name": "Anna"}, {"bot": "greedy"}]
    made = http.post("/v1/games", json={"seats": seats}).raise_for_status().json()
    path, headers = f"/v1/games/{made['game']['id']}", {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    while legal := http.get(f"{path}/legal-actions", headers=headers).json()["actions"]:
        http.post(f"{path}/actions", json=legal[0], headers=headers).raise_for_status()
    begun = time.perf_counter()
    while http.get(path).json()["turn"]["seat"] == 1:
        time.sleep(0.02)
    return time.perf_counter() - begun


def flood(http: httpx.Client, count: int) -> tuple[float, int]:
    """Open bot-only games, eight at a time; the seconds that it took, and how many were opened."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda _: http.post("/v1/games", json=BOTS).status_code, range(count)))
    return time.perf_counter() - begun, codes.count(201)


def fill(url: str, count: int, chance: Random) -> float:
    """Store games that begin with a bot's turn, and that a person plays, too; the seconds that it took."""
    begun, seats = time.perf_counter(), (SeatPlan(bot="greedy"), SeatPlan(name="Anna"))
    with filling(url) as log:
        for _ in range(count):
            log.create(CreateGame(game=f"{chance.getrandbits(80):020x}", server_seed=chance.randbytes(32), seats=seats))
    return time.perf_counter() - begun


@contextmanager
def asking_readyz(http: httpx.Client) -> Iterator[Counter[int]]:
    """The statuses of `/readyz`, asked twenty times a second until the block ends."""
    codes, done = Counter[int](), Event()

    def ask() -> None:
        while not done.wait(0.05):
            codes[http.get("/readyz").status_code] += 1

    thread = Thread(target=ask)
    thread.start()
    try:
        yield codes
    finally:
        done.set()
        thread.join()


def count_due(store: Store) -> int:
    """Games that wait for a worker, or will."""
    return sum(store.client.zcard(key) for kind in ("due", "turns", "bots") for key in store.shard_keys(kind))


def measure_due(http: httpx.Client, store: Store, port: int, made: list[Table]) -> list[float]:
    """The pauses while games wait for their bots, and what `/readyz` says meanwhile."""
    begun, due = time.monotonic(), count_due(store)
    with asking_readyz(http) as codes:
        flooded = pauses(port, store, made)
        time.sleep(max(0.0, begun + (5 if is_short() else LOOKED_FOR) - time.monotonic()))
    print(f"{due} games were due at the beginning, {count_due(store)} at the end; /readyz: {dict(codes)}")
    show_aim("share of 200 among the answers of /readyz", codes[200] / codes.total(), ">=", 1)
    return flooded


def main(bot_games: int, limit: int, games: int) -> None:
    """Print the medians, the worst, and the ratio."""
    seed = secrets.randbits(32)
    print(f"seed {seed}; the disk syncs in {disk_sync_ms():.2f} ms; load {os.getloadavg()[0]:.1f}")
    os.environ["REIBACH_RUNNING_BOT_GAMES"] = str(limit)
    with service() as running, httpx.Client(base_url=f"http://{HOST}:{running.port}", timeout=60) as http:
        store, chance, url, port = store_of(running.store), Random(seed), running.url, running.port
        made = tables(http, url, chance, QUIET + FLOODED)
        quiet = pauses(port, store, made[:QUIET])
        if games:
            more = games // 8  # the worker plays some while others are stored
            print(f"{games + more} games were stored in {fill(url, games + more, chance):.1f} s")
            flooded = measure_due(http, store, port, made[QUIET:])
        else:
            answer = answer_of_a_bot(http)
            took, opened = flood(http, bot_games)
            print(f"{opened} of {bot_games} games of bots were opened in {took:.1f} s")
            flooded = pauses(port, store, made[QUIET:])
            answers = [answer_of_a_bot(http) for _ in range(ANSWERS)]
            print(f"{count_due(store)} of them are still running")
            show("answer of a bot in s", quiet=answer, p50=statistics.median(answers), worst=max(answers))
    show("pause in ms, quiet", p50=statistics.median(quiet), worst=max(quiet))
    show("pause in ms, flooded", p50=statistics.median(flooded), worst=max(flooded))
    show_aim("pause flooded (worst) / quiet (p50)", max(flooded) / statistics.median(quiet), "<=", AIM)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bot-games", type=int, default=800)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--games", type=int, default=0)
    options = parser.parse_args()
    main(options.bot_games, options.limit, options.games)
