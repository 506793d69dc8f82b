"""How long a game pauses for a scoring round, compared with a bare hand-over between two processes on the store.

Run: `python -m tests.benchmarks.scoring_pause`. The pause: from the POST whose answer holds `ScoringStarted` until the
store publishes the version with `RoundScored`, with the real web and worker processes. The hand-over: one process
pushes to a list, another pops it and pushes a reply. Both take turns, with a breath between two.
"""

import os
import secrets
import statistics
import sys
import time
from itertools import islice
from random import Random
from typing import Any

import httpx

from service.gamelog.codec import decode_rows
from service.gamelog.store.streams import Store, connect
from tests.benchmarks import scoring_queue
from tests.benchmarks.common import HOST, disk_sync_ms, durable_store, process, show, show_aim, web
from tests.benchmarks.games import filling, random_plans, store_of
from tests.benchmarks.tables import Connection, Table, open_table

GAMES = 80
BREATH = 0.01
"""Seconds between two measurements."""
AIM = 15
BARE = scoring_queue.MODES[0]


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


def measure(url: str, port: int, chance: Random) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of the pauses, of their part from `ScoringStarted`, and of the hand-overs."""
    with httpx.Client(base_url=f"http://{HOST}:{port}") as http:
        tables = [open_table(http, plan) for plan in islice(random_plans(chance), GAMES)]
    with filling(url) as log:
        for table in tables:
            for command in table.plan.before(table.plan.scoring_actions[0]):
                log.handle(table.game, command)
    store = store_of(connect(url))
    send = scoring_queue.sender(BARE, store.client, store.client)
    pauses, parts, floors = [], [], []
    with Connection(port) as connection:
        for number, table in enumerate(tables):
            whole, part = pause(connection, store, table)
            time.sleep(BREATH)
            floor = scoring_queue.measure(send, store.client, 1, BREATH)
            if number >= GAMES // 8:  # the first ones loaded up
                pauses.append(whole)
                parts.append(part)
                floors += floor
    return pauses, parts, floors


def main() -> None:
    """Print the medians and the ratios."""
    seed = secrets.randbits(32)
    print(f"seed {seed}; the disk syncs in {disk_sync_ms():.2f} ms")
    with durable_store() as url, web(url) as port:
        command = [sys.executable, "-m", "service.cli", "worker"]
        environment = os.environ | {"REIBACH_REDIS_URL": url}
        store = connect(url)
        with (
            process(command, lambda: store.smembers("rq:workers"), environment, quiet=True),
            scoring_queue.worker(BARE, url, url),
        ):
            figures = measure(url, port, Random(seed))
    pauses, parts, floors = map(statistics.median, figures)
    show("p50 in ms", **{"pause from the POST": pauses, "from ScoringStarted": parts, "hand-over": floors})
    show_aim("pause / hand-over", pauses / floors, "<=", AIM)
    show_aim("pause from ScoringStarted / hand-over", parts / floors, "<=", AIM)


if __name__ == "__main__":
    main()
