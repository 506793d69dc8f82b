"""Turns of bots that one worker plays in a second, and their processor time, alone or beside another checkout.

Run: `python -m tests.benchmarks.bot_turns [--beside DIR] [--games 200] [--seconds 10] [--runs 5] [--delay 0]`. Games
that only bots play are opened in an empty durable store; then a real worker process plays for some seconds, and their
turns are counted. `--beside`: a checkout of another release, measured in turns with this one, each first in half of
them.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.connections.clients import Client, connect
from service.gamelog.log import GameLog
from tests.benchmarks.common import ROOT, disk_sync_ms, durable_store, show
from tests.benchmarks.games import game_log, store_of

OPEN = """
import sys
from config.settings import Settings
from domain.commands import CreateGame, SeatPlan
from service.bootstrap import open_services
services = open_services(Settings.read())
for number in range(int(sys.argv[1])):
    seats = tuple(SeatPlan(bot=bot) for bot in ("greedy", "random") * (1 + number % 2))
    name = f"bots{number}"
    services.games.create(CreateGame(game=name, server_seed=name.encode().ljust(32), seats=seats))
"""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one run."""

    turns_per_s: float
    worker_ms: float
    """Processor time of the worker for one turn, as the next one."""
    store_ms: float
    trips: float
    """Packets that the store was sent for one turn: it syncs its disk for each that writes."""


def processor_s(pid: int) -> float:
    """Processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def worker(tree: Path, environment: dict[str, str], client: Client) -> Iterator[int]:
    """A worker process of a checkout, once it takes jobs; its process id."""
    command = [sys.executable, "-m", "service.cli", "worker"]
    program = subprocess.Popen(command, cwd=tree, env=environment, stderr=subprocess.DEVNULL)
    try:
        while not client.smembers("rq:workers"):
            assert program.poll() is None, "the worker didn't start"
            time.sleep(0.01)
        yield program.pid
    finally:
        program.kill()
        program.wait()


def count_turns(log: GameLog, games: int) -> int:
    """Turns that have been played in all games."""
    return sum(log.load(f"bots{number}").game.turn - 1 for number in range(games))


def packets(client: Client) -> int:
    """How often the store has read from a connection."""
    return int(client.info("stats")["total_reads_processed"])


def measure(tree: Path, games: int, seconds: float, delay: float) -> Figures:
    """Play for so many seconds with the worker of a checkout."""
    with durable_store() as url, connect(url) as client:
        environment = os.environ | {
            "REIBACH_REDIS_URL": url,
            "REIBACH_BOT_DELAY": str(delay),
            "REIBACH_RUNNING_BOT_GAMES": "0",
            "PYTHONPATH": str(tree),
        }
        subprocess.run([sys.executable, "-c", OPEN, str(games)], cwd=tree, env=environment, check=True)
        log, store = game_log(store_of(client)), int(client.info("server")["process_id"])
        with worker(tree, environment, client) as pid:
            time.sleep(1)  # its first jobs load what it imports late
            os.kill(pid, signal.SIGSTOP)
            before = count_turns(log, games), processor_s(pid), processor_s(store)
            trips = packets(client)
            os.kill(pid, signal.SIGCONT)
            time.sleep(seconds)
            os.kill(pid, signal.SIGSTOP)
            trips = packets(client) - trips
            used = processor_s(pid) - before[1], processor_s(store) - before[2]
            turns = count_turns(log, games) - before[0]
    return Figures(
        turns_per_s=turns / seconds,
        worker_ms=1000 * used[0] / turns,
        store_ms=1000 * used[1] / turns,
        trips=trips / turns,
    )


def main(options: argparse.Namespace) -> None:
    """Print the medians, and the ratio of two checkouts."""
    trees = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    print(f"{options.games} games, {options.seconds:g} s each; the disk syncs in {disk_sync_ms():.2f} ms")
    runs: dict[Path, list[Figures]] = {tree: [] for tree in trees}
    for run in range(options.runs):
        for tree in trees if run % 2 else reversed(trees):
            runs[tree].append(measure(tree, options.games, options.seconds, options.delay))
    rates = {}
    for tree, name in zip(trees, ("a turn of a bot", "the other checkout's"), strict=False):
        found = {
            field: statistics.median(getattr(figures, field) for figures in runs[tree])
            for field in ("turns_per_s", "worker_ms", "store_ms", "trips")
        }
        each = [figures.turns_per_s for figures in runs[tree]]
        show(name, **found, lowest=min(each), highest=max(each))
        rates[tree] = found
    if options.beside:
        ours, others = (rates[tree] for tree in trees)
        show(
            "ratio",
            turns=ours["turns_per_s"] / others["turns_per_s"],
            worker=others["worker_ms"] / ours["worker_ms"],
            store=others["store_ms"] / ours["store_ms"],
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--delay", type=float, default=0)
    main(parser.parse_args())
