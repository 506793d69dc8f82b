"""What one processor and 1 GB carry: `python -m tests.bench.capacity [--games 10 1000] [--write DOCUMENT]`.

`reibach serve` runs on one processor, and the players on the others. Requests come at random moments, whether or not
others have been answered, and a time counts from the moment at which its request was due. Two minutes for each number
of games; 100,000 take some more.
"""

import argparse
import os
import secrets
import selectors
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import httpx
from redis import Redis

from service.runtime.embedded import EmbeddedStore
from tests.bench.common import HOST, digits, process
from tests.bench.games import Plan, random_plans, store_games
from tests.bench.players import Players, Run
from tests.bench.services import processor_seconds
from tests.bench.summary import processor, replace_measured
from tests.bench.tables import Stock, Table
from tests.faults.parts import descendants
from tests.support.ports import free_port
from tests.support.servers import running_store

LIMIT = 100
"""Milliseconds of the p99."""
SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
"""Of the most that the service can do, in the order in which they are tried."""
SECONDS, RUNS, CONNECTIONS = 4.0, 3, 64
READY = 120
"""Seconds in which the store must have read all games."""
LIVE = 10
"""Seconds between two actions of a game that is played live."""
BUSY_HOUR = 2.5
"""Actions of a player by post in the busiest hour: a quarter of 10 a day."""
MEMORY, SEATS = 1000, 4
"""MB of the machine, and players by post for each running game."""


class Visitors(Players):
    """Players who come at random moments."""

    lead = 1.0  # until what all connections sent at once has been answered
    rate = 1.0
    chance = Random(1)

    def _serve(self, selector: selectors.BaseSelector, run: Run, end: float) -> None:
        idle = deque(player for player in self._players if player.step is None)
        due = time.perf_counter()
        while (now := time.perf_counter()) < end:
            while idle and due <= now:
                player = idle.popleft()
                self._next_step(player)
                player.sent = due
                due += self.chance.expovariate(self.rate)
            for key, _ in selector.select(max(0.0, (min(due, end) if idle else end) - now)):
                if self._advance(key.data, run):
                    idle.append(key.data)


@contextmanager
def one_processor(data: Path) -> Iterator[tuple[int, int]]:
    """Run `reibach serve` over a folder, on one processor; gives port and process id."""
    port, everything = free_port(), os.sched_getaffinity(0)
    first, *others = sorted(everything)
    settings = os.environ | {"REIBACH_RATE_LIMIT": "0", "REIBACH_ALLOW_FIXED_SEED": "1"}
    command = [sys.executable, "-m", "service.cli", "serve", "--port", str(port), "--data", str(data)]

    def is_ready() -> bool:
        os.sched_setaffinity(0, others or everything)
        with suppress(httpx.TransportError):
            return httpx.get(f"http://{HOST}:{port}/readyz").status_code == httpx.codes.OK
        return False

    os.sched_setaffinity(0, {first})
    try:
        with process(command, is_ready, settings, quiet=True, seconds=READY) as number:
            yield port, number
    finally:
        os.sched_setaffinity(0, everything)


def settle(number: int) -> None:
    """Wait until the service has done what it does once after a start: it is ready, and reads on in a large store."""
    used = -1.0
    while processor_seconds(number) - used > 0.1:
        used = processor_seconds(number)
        time.sleep(1)


def memory_mb(number: int) -> float:
    """What a process and all that it has started have in memory; shared parts once."""
    total = 0
    for one in (number, *descendants(number)):
        with suppress(OSError):  # it has ended
            lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="utf-8").splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1000


def measure(plans: Sequence[Plan], games: int) -> dict[str, float]:
    """With so many running games stored."""
    with tempfile.TemporaryDirectory() as folder:
        with running_store(Path(folder)) as store:
            store_games(store.url, plans[:5], games)
        began = time.perf_counter()
        with one_processor(Path(folder)) as (port, number):
            start = time.perf_counter() - began
            settle(number)
            rest = memory_mb(number)
            with Redis.from_url(EmbeddedStore(Path(folder)).url) as client:
                stored = int(client.info("memory")["used_memory"]) / 1e6
                stock = Stock(port, plans, Table.steps)
                stock.fill(2 * CONNECTIONS)
                most = Players(port, 16, stock.take).play(SECONDS, partial(used, number, client)).figures()
            visitors = Visitors(port, CONNECTIONS, stock.take)
            for share in SHARES:
                visitors.rate, runs = share * most["actions/s"], []
                for _ in range(RUNS):
                    stock.fill(CONNECTIONS + round(visitors.rate * SECONDS / 100))
                    runs.append(visitors.play(SECONDS).figures()["p99 ms"])
                if statistics.median(runs) <= LIMIT:
                    break
            grown = memory_mb(number) - rest
    return {
        "ready after s": start,
        "memory MB": rest,
        "store's MB": stored,
        "more in play MB": grown,
        "processor us": most["service us"],
        "store's us": most["store us"],
        "most actions/s": most["actions/s"],
        "actions/s": visitors.rate,
        "p99 ms": statistics.median(runs),
    }


def used(number: int, client: Redis) -> dict[str, float]:
    """Processor seconds so far of the whole service, and of its store."""
    times = client.info("cpu")
    return {"service": processor_seconds(number), "store": times["used_cpu_user"] + times["used_cpu_sys"]}


def report_lines(seen: dict[int, dict[str, float]], load: float) -> Iterator[str]:
    """What was measured, and what follows from it."""
    few, many = seen[min(seen)], seen[max(seen)]
    columns = list(few)
    about = f"{datetime.now(UTC):%d %B %Y}, {processor()}, load {load:.1f} at the beginning"
    yield from ("", f"Measured ({about}):", "", f"| running games | {' | '.join(columns)} |")
    yield "|---" * (len(columns) + 1) + "|"
    for games, figures in seen.items():
        yield f"| {games:,} | {' | '.join(map(digits, figures.values()))} |"
    rate = min(figures["actions/s"] for figures in seen.values())
    beside, others = 1e6 / many["store's us"], many["processor us"] / many["store's us"] - 1
    yield from ("", "Computed from it:", "")
    if max(figures["p99 ms"] for figures in seen.values()) > LIMIT:
        yield f"- No rate that was tried stayed within {LIMIT} ms, so nothing follows for the processor."
    else:
        yield f"""- One processor carries {rate * LIVE:,.0f} live games (an action every {LIVE} s), or \
{rate * 3600 / BUSY_HOUR:,.0f} players by post (10 actions a day, a quarter of them in the busiest hour)."""
    yield f"""- A store carries {digits(beside)} actions a second; web processes and workers need {digits(others)} \
further processors for them."""
    if many is not few:
        size = (many["store's MB"] - few["store's MB"]) / (max(seen) - min(seen))
        room = (MEMORY - many["memory MB"] - many["more in play MB"] + many["store's MB"]) / 2
        yield f"""- A running game takes {1000 * size:.1f} KB: 1 GB holds {room / size:,.0f} of them, or \
{SEATS * room / size:,.0f} players by post at tables of {SEATS}, with as much left for a rewrite of the file."""
    yield ""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.capacity", description="Measure one processor.")
    parser.add_argument("--games", type=int, nargs="*", default=[10, 1000])
    parser.add_argument("--write", type=Path, metavar="DOCUMENT", help="put the figures between this document's marks")
    chosen = parser.parse_args()
    plans, load = list(islice(random_plans(Random(secrets.randbits(32))), 40)), os.getloadavg()[0]
    lines = list(report_lines({games: measure(plans, games) for games in chosen.games}, load))
    print("\n".join(lines))
    if chosen.write:
        chosen.write.write_text(replace_measured(chosen.write.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
