"""A store with very many games: its start, that of the service, actions, views, lists, and memory by kind of game.

Run: `python -m tests.bench.scale [--games 100000]`. Half of the stored games are running and at half time, half
are finished; one of ten is listed. They are copies of a few random games (see `copies`), not games of their own: what
is measured depends on how many there are and how large they are, not on their moves.

Actions, views, lists and loads are measured in turns with those on a store with 10 such games. The 30 games that are
played are opened on both. A quarter as many games are archived in two stores of their own, which hold nothing else.
Stores sync once a second while they are filled, afterwards always.
"""

import argparse
import math
import secrets
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

import httpx
import orjson
import redis

from config.settings import Settings
from service.connections.clients import connect
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.bench.common import HOST, block_ratios, durable_store, is_short, percentile, show, show_ratio, web
from tests.bench.copies import Original, archive_copies, originals, store_copies
from tests.bench.games import game_log, random_plans, store_of
from tests.bench.tables import Connection, Table, open_table
from tests.faults.served import served
from tests.support.shell import COMMAND
from tests.support.waiting import patience, wait_until

ORIGINALS: Final = 10
FEW_GAMES: Final = 10
LISTED_FEW: Final = FEW_GAMES // 2
"""Of each status in the small store: so many are asked for from the large one, too."""
PLAYED, ACTIONS, LOOKS = 30, 12, 300
PAGES: Final = 20
FEW, MANY = "few", "many"
PLACES: Final = ("store", "files")
"""Of archives."""
LISTED: Final = 10
"""Each game of this number is listed."""
RUNNING, FINISHED = 0.01, 0.02
"""The shares of running games, and of finished ones that are not archived yet, in what is worked out from the figures:
those of the last week of a year."""
GB: Final = 1e9
NODE_GB: Final = 64
"""Memory of a machine in what is worked out from the figures."""
FILLED: Final = 0.5
"""The share of it that games may take: a rewrite of the store's file may need as much again."""
Times = dict[str, dict[str, list[float]]]


@dataclass(frozen=True, slots=True)
class Kind:
    """What one kind of stored game takes."""

    kb: float
    """Memory of one, in the store."""
    start_s_per_gb: float = 0.0
    """Of a store that holds such games, whose file has just been rewritten, by its memory."""
    file_bytes: float = 0.0
    """Of that file, per byte of memory."""


def used(client: redis.Redis) -> int:
    """Bytes that the store uses for its data."""
    return int(client.info("memory")["used_memory"])


def fill(url: str, models: dict[str, list[Original]], count: int, chance: Random) -> tuple[list[str], dict[str, float]]:
    """Fill the store half with running, half with finished games: their ids, and the KB that one of each takes."""
    client = connect(url)
    ids, weights = [], {}
    for name, some in models.items():
        before, begun = used(client), time.perf_counter()
        ids += store_copies(url, some, count // 2, chance, LISTED)
        seconds, weights[name] = time.perf_counter() - begun, (used(client) - before) / (count // 2) / 1000
        show(f"a game that is {name}", KB=weights[name], **{"written/s": count / 2 / seconds})
    return ids, weights


def weigh_archives(kind: str, models: Sequence[Original], count: int, chance: Random) -> Kind:
    """What archived games take in a store that holds nothing else, and what stays there if archives are files.

    Without idempotency keys, which expire 30 days after a game's end.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        embedded = EmbeddedStore(data)
        embedded.start()
        embedded.configure("appendfsync", "everysec")
        client = connect(embedded.url)
        store = Store(client, Settings().shards, patience(60), files=open_archive_files(str(data / "archive")))
        archive_copies(store, models, kind, len(models), chance, LISTED)  # with what scripts and the like take
        before, begun = used(client), time.perf_counter()
        archive_copies(store, models, kind, count, chance, LISTED)
        seconds, kb = time.perf_counter() - begun, (used(client) - before) / count / 1000
        embedded.stop()
        show(f"a game that is archived, {kind}", KB=kb, **{"written and archived/s": count / seconds})
        return Kind(kb, *rewrite(data))


def start_store(data: Path, what: str) -> float:
    """Start the store and end it: seconds until it answered."""
    store = EmbeddedStore(data)
    begun = time.perf_counter()
    store.start()
    seconds = time.perf_counter() - begun
    with redis.Redis.from_url(store.url) as client:
        rss = client.info("memory")["used_memory_rss"] / GB
    store.stop()
    show(f"the store, {what}", **{"start s": seconds, "RSS GB": rss, "files GB": file_size(data) / GB})
    return seconds


def file_size(data: Path) -> int:
    """Bytes of the store's own files."""
    return sum(path.stat().st_size for path in (data / "appendonlydir").iterdir())


def rewrite(data: Path) -> tuple[float, float]:
    """Have the store rewrite its file, as it does by itself when that has doubled, and start it again.

    Seconds of the start for each GB of memory beyond an empty store's, and bytes of the file for each of memory.
    """
    store = EmbeddedStore(data)
    store.start()
    with redis.Redis.from_url(store.url) as client:
        memory = used(client)
        _wait_for_rewrite(client)  # one that the store has begun by itself
        begun = time.perf_counter()
        client.bgrewriteaof()
        _wait_for_rewrite(client)
        show("the store's file", **{"rewritten in s": time.perf_counter() - begun, "memory GB": memory / GB})
    store.stop()
    with tempfile.TemporaryDirectory() as folder:
        empty = start_store(Path(folder), "empty")
    seconds = statistics.median(start_store(data, "file rewritten") for _ in range(3))
    return max(seconds - empty, 0) / (memory / GB), file_size(data) / memory


def _wait_for_rewrite(client: redis.Redis) -> None:
    wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], 600, poll=0.1)


def start_service(data: Path) -> None:
    """`serve` from nothing to ready."""
    begun = time.perf_counter()
    with served([*COMMAND, "serve"], data):
        show("the service", **{"start s": time.perf_counter() - begun})


def measure(urls: dict[str, str], ids: dict[str, list[str]], chance: Random) -> Times:
    """Milliseconds of each kind of request, in turns on both stores."""
    times: Times = defaultdict(lambda: defaultdict(list))
    plans = list(islice(random_plans(chance, lambda plan: plan.scoring_actions[0] > ACTIONS), PLAYED))
    with ExitStack() as stack:
        ports = {size: stack.enter_context(web(url)) for size, url in urls.items()}
        tables: dict[str, list[Table]] = {}
        for size, port in ports.items():
            with httpx.Client(base_url=f"http://{HOST}:{port}") as http:
                tables[size] = [open_table(http, plan) for plan in plans]
        connections = {size: stack.enter_context(Connection(port)) for size, port in ports.items()}
        for game in range(PLAYED):
            for number in range(1, ACTIONS + 1):
                for size in (FEW, MANY) if number % 2 else (MANY, FEW):
                    table, connection = tables[size][game], connections[size]
                    times["an action"][size].append(connection.ask(table.request(number))[0])
                    times["a view"][size].append(connection.ask(table.look())[0])
        _look_around(times, connections, ids, chance)
    _load(times, urls, ids, chance)
    return times


def _look_around(times: Times, connections: dict[str, Connection], ids: dict[str, list[str]], chance: Random) -> None:
    """The lists of games, their first pages and later ones, and games that no process knows yet."""
    for number in range(LOOKS):
        for size in (FEW, MANY) if number % 2 else (MANY, FEW):
            for status in ("playing", "over"):
                path = f"/v1/games?listed=true&status={status}&limit={LISTED_FEW}"
                times[f"{LISTED_FEW} of the list, {status}"][size].append(connections[size].ask(_get(path))[0])
        path = f"/v1/games/{chance.choice(ids[MANY])}"  # of few games each process would soon know every one
        times["the first view of a game"][MANY].append(connections[MANY].ask(_get(path))[0])
    after = ""
    for _ in range(PAGES):
        took, body = connections[MANY].ask(_get(f"/v1/games?listed=true&limit=100{after}"))
        times["a page of 100 of the list"][MANY].append(took)
        following = orjson.loads(body)["next"]
        if following is None:
            break
        after = f"&after={following}"


def _load(times: Times, urls: dict[str, str], ids: dict[str, list[str]], chance: Random) -> None:
    """Loads of games by a process that doesn't know them: read, parse and fold."""
    stores = {size: store_of(connect(url)) for size, url in urls.items()}
    for number in range(LOOKS):
        for size in (FEW, MANY) if number % 2 else (MANY, FEW):
            log, name = game_log(stores[size]), chance.choice(ids[size])
            begun = time.perf_counter()
            log.load(name)
            times["a cold load"][size].append(1000 * (time.perf_counter() - begun))


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()


def show_times(times: Times, count: int) -> None:
    """Medians, 99th percentiles and ratios."""
    for what, by_size in times.items():
        many = by_size[MANY]
        if len(many) > 1:
            show(f"{what}, {count:,} games", **{"p50 ms": statistics.median(many), "p99 ms": percentile(many, 99)})
        if by_size[FEW]:
            show_ratio(f"{what}: {count:,} games / {FEW_GAMES}", block_ratios(many, by_size[FEW]))


def show_needs(kinds: dict[str, Kind], games: int) -> None:
    """What so many games need, worked out from the figures: 1 % running, 2 % finished, the others archived."""
    for place in PLACES:
        shares = {"running": RUNNING, "finished": FINISHED, place: 1 - RUNNING - FINISHED}
        gigabytes = {kinds[name]: games * share * kinds[name].kb * 1000 / GB for name, share in shares.items()}
        nodes = math.ceil(sum(gigabytes.values()) / (NODE_GB * FILLED))
        needs = {
            "memory GB": sum(gigabytes.values()),
            f"nodes of {NODE_GB} GB": nodes,
            "start of one s": sum(each * kind.start_s_per_gb for kind, each in gigabytes.items()) / nodes,
            "disk GB of one": sum(each * kind.file_bytes for kind, each in gigabytes.items()) / nodes,
        }
        show(f"{games:,} games, archives: {place}", **needs)


def main() -> None:
    """Fill a store, and measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale")
    parser.add_argument("--games", type=int, default=400 if is_short() else 10_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    chance = Random(chosen.seed)
    plans = list(islice(random_plans(chance), ORIGINALS))
    models = {name: originals(plans, share) for name, share in (("running", 0.5), ("finished", 1.0))}
    with tempfile.TemporaryDirectory() as folder, durable_store() as few:
        data = Path(folder)
        store = EmbeddedStore(data)
        store.start()
        store.configure("appendfsync", "everysec")
        many, weights = fill(store.url, models, chosen.games, chance)
        store.stop()
        start_store(data, "file as written")
        streams = rewrite(data)
        start_service(data)
        store.start()
        try:
            alike = [store_copies(few, some, FEW_GAMES // 2, chance, 1) for some in models.values()]
            ids = {FEW: [name for some in alike for name in some], MANY: many}
            times = measure({FEW: few, MANY: store.url}, ids, chance)
            client = connect(store.url)
            begun = time.perf_counter()
            found = len(store_of(client).ids())
            show("the ids of all games", s=time.perf_counter() - begun, games=found)
        finally:
            store.stop()
    show_times(times, chosen.games)
    kinds = {name: Kind(kb, *streams) for name, kb in weights.items()}
    kinds |= {
        place: weigh_archives(place, models["finished"], chosen.games // 4, chance) for place in ("store", "files")
    }
    show_needs(kinds, 10_000_000)


if __name__ == "__main__":
    main()
