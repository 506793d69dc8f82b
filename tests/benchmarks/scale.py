"""A store with very many games: its start, that of the service, actions, views, lists, and memory by kind of game.

Run: `python -m tests.benchmarks.scale [--games 100000]`. Half of the stored games are running and at half time, half
are finished; one of ten is listed. They are copies of a few random games under ids of their own, with idempotency keys,
written by the service's own import in one append each. Their hash chains are those of their originals, and are not read
here. Some finished games are archived by the service's own code.

Actions and looks are measured in turns with a service on an almost empty store.
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
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

import httpx
import orjson
import redis

from config.settings import Settings
from domain.commands import Act
from domain.orders.wishes import json_of
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.archive.places import ArchiveFiles, open_archive_files
from service.gamelog.codec import decode_rows, payload_of_row
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.listing import Listing
from service.gamelog.log import GameLog
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import Append, Store
from service.runtime.clock import now_ms
from service.runtime.embedded import EmbeddedStore
from tests.benchmarks.common import HOST, block_ratios, durable_store, is_short, percentile, show, show_ratio, web
from tests.benchmarks.games import Plan, filling, random_plans, store_of
from tests.benchmarks.tables import Connection, Table, open_table
from tests.faults.served import served
from tests.support.shell import COMMAND
from tests.support.waiting import wait_until

ORIGINALS: Final = 10
LISTED: Final = 10
"""Each game of this number is listed."""
PLAYED, ACTIONS, LOOKS = 30, 12, 300
PAGES: Final = 20
FEW, MANY = "few", "many"
DAY_MS: Final = 24 * 3600 * 1000
GB: Final = 1e9
NODE_GB: Final = 64
"""Memory of a machine in what is worked out from the figures."""
FILLED: Final = 0.5
"""The share of it that games may take: a rewrite of the store's file may need as much again."""
Times = dict[str, dict[str, list[float]]]


@dataclass(frozen=True, slots=True)
class Original:
    """A stored game that others are copied from."""

    game: str
    reading: ReadReply
    types: list[str]
    """Of the events of the last entry."""
    keys: dict[bytes, bytes]
    """Of idempotency, with what is kept of each."""
    listing: Listing

    def append(self, name: str, *, listed: bool) -> Append:
        """The same game under another id, in one step."""
        body = self.reading.entries[0].body.replace(self.game.encode(), name.encode())
        entries = [self.reading.entries[0]._replace(body=body), *self.reading.entries[1:]]
        listing = self.listing if listed else None
        look_at = now_ms() + 7 * DAY_MS
        return Append(name, entries, self.reading.hash, self.types, look_at=look_at, listing=listing)


def play(log: GameLog, plan: Plan, name: str, share: float) -> None:
    """Play a share of the planned game, each action with an idempotency key."""
    log.create(replace(plan.create, game=name))
    for number, command in enumerate(plan.commands[: round(share * len(plan.commands))]):
        key = None
        if isinstance(command, Act):
            key = IdempotencyKey(f"actions/{command.seat}", f"key-{number}", json_of(command.actions[0]), bytes(32))
        log.handle(name, command, key=key)


def originals(url: str, plans: Sequence[Plan], share: float) -> list[Original]:
    """Games that were played through the log, so far."""
    found = []
    with filling(url) as log:
        for plan in plans:
            name = f"original-{share:.0%}-{plan.create.game}".replace("%", "")
            play(log, plan, name, share)
            reading = log.store.read(name)
            types = [payload_of_row(row)[0] for row in decode_rows([reading.entries[-1].body])]
            seats = [seat.name for seat in plan.create.seats]
            status = "over" if share == 1 else "playing"
            shown = {"status": status, "seats": seats, "version": 1, "updated_at": "2026-01-31T18:05:09.123Z"}
            kept = log.store.client.hgetall(log.store.keys(name).idempotency)
            found.append(Original(name, reading, types, kept, Listing(status, orjson.dumps(shown))))
    return found


def copy(url: str, some: Sequence[Original], count: int, chance: Random) -> list[str]:
    """Store so many copies; their ids."""
    ids = [f"{chance.getrandbits(100):020x}"[:20] for _ in range(count)]
    client = connect(url)
    for begin in range(0, count, 1000):
        batch = list(enumerate(ids[begin : begin + 1000], begin))
        with filling(url) as log:
            for number, name in batch:
                log.store.append(some[number % len(some)].append(name, listed=number % LISTED == 0))
        pipeline = client.pipeline(transaction=False)
        for number, name in batch:
            pipeline.hset(log.store.keys(name).idempotency, mapping=some[number % len(some)].keys)
        pipeline.execute()
    return ids


@dataclass
class Figures:
    """What the rest is worked out from."""

    running_kb: float = 0.0
    finished_kb: float = 0.0
    archived_kb: float = 0.0
    archived_in_files_kb: float = 0.0
    file_bytes: float = 0.0
    """Of the store's file when it has just been rewritten, per byte of memory."""
    start_s_per_gb: float = 0.0
    """Of a store whose file has just been rewritten, by its memory."""


def used(client: redis.Redis) -> int:
    """Bytes that the store uses for its data."""
    return int(client.info("memory")["used_memory"])


def fill(url: str, count: int, chance: Random, figures: Figures) -> list[str]:
    """Fill the store half with running, half with finished games, and note what each takes."""
    client = connect(url)
    plans, ids = list(islice(random_plans(chance), ORIGINALS)), []
    for share, name in ((0.5, "running"), (1.0, "finished")):
        some = originals(url, plans, share)
        before, begun = used(client), time.perf_counter()
        ids += copy(url, some, count // 2, chance)
        seconds, kb = time.perf_counter() - begun, (used(client) - before) / (count // 2) / 1000
        show(f"a game that is {name}", KB=kb, **{"written/s": count / 2 / seconds})
        setattr(figures, f"{name}_kb", kb)
    return ids


def weigh_archives(chance: Random, figures: Figures, count: int) -> None:
    """What an archived game takes in a store, and what stays of it there when the archive is a file.

    Without idempotency keys, which expire 30 days after a game's end.
    """
    plans = list(islice(random_plans(chance), 2 * count))
    for kind in ("store", "files"):
        with tempfile.TemporaryDirectory() as folder, durable_store(in_memory=True) as url:
            files = open_archive_files(folder)
            before = archive(url, plans[:count], kind, files)  # with what the store takes for scripts and the like
            begun = time.perf_counter()
            kb = (archive(url, plans[count:], kind, files) - before) / count / 1000
            seconds = time.perf_counter() - begun
        show(f"a game that is archived, {kind}", KB=kb, **{"played and archived/s": count / seconds})
        setattr(figures, "archived_kb" if kind == "store" else "archived_in_files_kb", kb)


def archive(url: str, plans: Sequence[Plan], kind: str, files: ArchiveFiles) -> int:
    """Play these games to their end and archive them; the bytes that the store uses then."""
    client = connect(url)
    store = Store(client, Settings().shards, files=files)
    with filling(url) as log:
        for plan in plans:
            play(log, plan, plan.create.game, 1.0)
    for plan in plans:
        assert compact(store, plan.create.game, kind, now_ms() + DAY_MS)
    for passing in (*client.scan_iter("*:feed"), *client.scan_iter("*:keys:*")):
        client.delete(passing)
    return used(client)


def start_store(data: Path, what: str) -> float:
    """Start the store and end it: seconds until it answered."""
    store = EmbeddedStore(data)
    begun = time.perf_counter()
    store.start()
    seconds = time.perf_counter() - begun
    with redis.Redis.from_url(store.url) as client:
        rss = client.info("memory")["used_memory_rss"] / GB
    store.stop()
    size = sum(path.stat().st_size for path in (data / "appendonlydir").iterdir()) / GB
    show(f"the store, {what}", **{"start s": seconds, "RSS GB": rss, "files GB": size})
    return seconds


def rewrite(data: Path, figures: Figures) -> None:
    """Have the store rewrite its file, as it does by itself when that has doubled; and start it again."""
    store = EmbeddedStore(data)
    store.start()
    with redis.Redis.from_url(store.url) as client:
        memory = used(client)
        begun = time.perf_counter()
        client.bgrewriteaof()
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], 600, poll=0.1)
        show("the store's file", **{"rewritten in s": time.perf_counter() - begun, "memory GB": memory / GB})
    store.stop()
    seconds = start_store(data, "file rewritten")
    size = sum(path.stat().st_size for path in (data / "appendonlydir").iterdir())
    figures.start_s_per_gb, figures.file_bytes = seconds / (memory / GB), size / memory


def start_service(data: Path) -> None:
    """`serve` from nothing to ready."""
    begun = time.perf_counter()
    with served([*COMMAND, "serve"], data):
        show("the service", **{"start s": time.perf_counter() - begun})


def measure(urls: dict[str, str], ids: list[str], chance: Random) -> Times:
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
        _look_around(times, connections, tables, ids, chance)
    return times


def _look_around(
    times: Times, connections: dict[str, Connection], tables: dict[str, list[Table]], ids: list[str], chance: Random
) -> None:
    """Games that no process knows yet, and the list of games, its first page and those behind it."""
    stored = {FEW: [table.game for table in tables[FEW]], MANY: ids}
    for _ in range(LOOKS):
        for size, connection in connections.items():
            path = f"/v1/games/{chance.choice(stored[size])}"
            times["a view of any game"][size].append(connection.ask(_get(path))[0])
            for status in ("playing", "over"):
                path = f"/v1/games?listed=true&status={status}&limit=50"
                times[f"the list, {status}"][size].append(connection.ask(_get(path))[0])
    after = ""
    for _ in range(PAGES):
        took, body = connections[MANY].ask(_get(f"/v1/games?listed=true&limit=100{after}"))
        times["a page of 100 of the list"][MANY].append(took)
        following = orjson.loads(body)["next"]
        if following is None:
            break
        after = f"&after={following}"


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()


def show_times(times: Times, count: int) -> None:
    """Medians, 99th percentiles and ratios."""
    for what, by_size in times.items():
        many = by_size[MANY]
        if len(many) > 1:
            show(f"{what}, {count:,} games", **{"p50 ms": statistics.median(many), "p99 ms": percentile(many, 99)})
        if by_size[FEW]:
            show_ratio(f"{what}: {count:,} games / {PLAYED}", block_ratios(many, by_size[FEW]))


def show_needs(figures: Figures, games: int) -> None:
    """What so many games need, worked out from the figures: 1 % running, the others archived."""
    for kind, kb in (("in the store", figures.archived_kb), ("in files", figures.archived_in_files_kb)):
        memory = games * (0.01 * figures.running_kb + 0.99 * kb) * 1000 / GB
        nodes = math.ceil(memory / (NODE_GB * FILLED))
        start = memory / nodes * figures.start_s_per_gb
        name = f"{games:,} games, archives {kind}"
        needs = {"memory GB": memory, f"nodes of {NODE_GB} GB": nodes, "start of one s": start}
        show(name, **needs, **{"disk GB of one": memory / nodes * figures.file_bytes})


def main() -> None:
    """Fill a store, and measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale")
    parser.add_argument("--games", type=int, default=400 if is_short() else 10_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    chance, figures = Random(chosen.seed), Figures()
    with tempfile.TemporaryDirectory() as folder, durable_store() as few:
        data = Path(folder)
        store = EmbeddedStore(data)
        store.start()
        ids = fill(store.url, chosen.games, chance, figures)
        store.stop()
        start_store(data, "file as written")
        rewrite(data, figures)
        start_service(data)
        store.start()
        try:
            times = measure({FEW: few, MANY: store.url}, ids, chance)
            client = connect(store.url)
            begun = time.perf_counter()
            found = len(store_of(client).ids())
            show("the ids of all games", s=time.perf_counter() - begun, games=found)
        finally:
            store.stop()
    show_times(times, chosen.games)
    weigh_archives(chance, figures, 40 if is_short() else 300)
    show_needs(figures, 10_000_000)


if __name__ == "__main__":
    main()
