"""How long a game pauses for a scoring round, compared with a bare hand-over between two processes on the store.

Run: `python -m tests.bench --only scoring_pause`. The pause: from the POST whose answer holds `ScoringStarted`
until the store publishes the version with `RoundScored`, with the real web and worker processes. The hand-over: one
process pushes to a list, another pops it and pushes a reply. Both take turns, with a breath between two.
"""

import secrets
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from random import Random
from typing import Any

import httpx

from service.connections.clients import Client
from service.gamelog.codec import decode_rows
from service.gamelog.store.streams import Store
from tests.bench.common import HOST, block_ratios, disk_sync_ms, is_short, show, show_ratio
from tests.bench.games import Plan, filling, random_plans, store_of
from tests.bench.goals import Limit
from tests.bench.services import AFTER, BEFORE, Service, checkouts, service
from tests.bench.tables import Connection, Table, open_table

GAMES, SHORT_GAMES = 80, 24
BREATH = 0.01
"""Seconds between two measurements."""
LIMIT = Limit(relation="<=", bound=5)
BARE = "bare hand-over"
TAKE, GIVE = "bare:take", "bare:give"
"""Lists of the hand-over."""
HAND_OVER = f"""import sys, redis
store = redis.Redis.from_url(sys.argv[1], protocol=2, socket_timeout=None)
while True: store.rpush({GIVE!r}, store.blpop([{TAKE!r}], 0)[1])
"""


@contextmanager
def other_process(url: str) -> Iterator[None]:
    """The process that pops from one list and pushes to the other."""
    with subprocess.Popen([sys.executable, "-c", HAND_OVER, url]) as program:
        try:
            yield
        finally:
            program.terminate()


def hand_over(store: Client) -> float:
    """Milliseconds from a push to the other process's answer."""
    begun = time.perf_counter()
    store.rpush(TAKE, "job")
    if store.blpop([GIVE], 10) is None:
        raise TimeoutError("the other process doesn't answer")
    return 1000 * (time.perf_counter() - begun)


def pause(connection: Connection, store: Store, table: Table) -> tuple[float, float]:
    """Milliseconds from the POST, and from `ScoringStarted` in the stream, to `RoundScored` in the stream."""
    with store.client.pubsub() as news:
        news.subscribe(store.stream(table.game))
        _heard(news, "subscribe")
        connection.ask(table.look())
        begun = time.perf_counter()
        connection.send(table.request(table.plan.scoring_actions[0]))
        _heard(news, "message")
        started = time.perf_counter()
        version = int(_heard(news, "message"))
        scored = time.perf_counter()
        assert b'"ScoringStarted"' in connection.receive()
    last = store.read(table.game).entries[-1]
    assert last.version == version
    assert decode_rows([last.body])[0][0] == "scored"
    return 1000 * (scored - begun), 1000 * (scored - started)


def _heard(news: Any, kind: str) -> bytes:
    message = news.get_message(timeout=10)
    if message is None or message["type"] != kind:
        raise TimeoutError(f"no {kind} came from the store")
    data: bytes = message["data"]
    return data


def prepare(running: Service, plans: Sequence[Plan]) -> list[Table]:
    """Open the planned games, and play each to just before its first scoring round."""
    with httpx.Client(base_url=f"http://{HOST}:{running.port}") as http:
        tables = [open_table(http, plan) for plan in plans]
    with filling(running.url) as log:
        for table in tables:
            for command in table.plan.before(table.plan.scoring_actions[0]):
                log.handle(table.game, command)
    return tables


def measure(services: Mapping[str, Service], plans: Sequence[Plan]) -> dict[str, list[float]]:
    """Milliseconds of the pauses, of their parts from `ScoringStarted`, and of the hand-overs on the first's store."""
    tables = {name: prepare(running, plans) for name, running in services.items()}
    stores = {name: store_of(running.store) for name, running in services.items()}
    bare = next(iter(services.values())).store
    seen: dict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        connections = {name: stack.enter_context(Connection(running.port)) for name, running in services.items()}
        for number in range(len(plans)):
            found = {}
            for name, store in stores.items():
                whole, found[f"{name}, in the stream"] = pause(connections[name], store, tables[name][number])
                found[name] = whole
                time.sleep(BREATH)
            found[BARE] = hand_over(bare)
            time.sleep(BREATH)
            if number >= len(plans) // 8:  # the first ones loaded up
                for name, milliseconds in found.items():
                    seen[name].append(milliseconds)
    return seen


def main() -> None:
    """Print the medians and the ratios."""
    seed = secrets.randbits(32)
    print(f"seed {seed}; the disk syncs in {disk_sync_ms():.2f} ms")
    plans = list(islice(random_plans(Random(seed)), SHORT_GAMES if is_short() else GAMES))
    with ExitStack() as stack:
        services = {name: stack.enter_context(service(checkout)) for name, checkout in checkouts().items()}
        stack.enter_context(other_process(next(iter(services.values())).url))
        seen = measure(services, plans)
    show("pause in ms, p50", **{name: statistics.median(times) for name, times in seen.items()})
    ratios = {name: block_ratios(times, seen[BARE]) for name, times in seen.items()}
    for part in ("", ", in the stream"):
        name = f"pause for a scoring round{part} / bare hand-over"
        show_ratio(name, ratios[AFTER + part], LIMIT, ratios.get(BEFORE + part, ()))


if __name__ == "__main__":
    main()
