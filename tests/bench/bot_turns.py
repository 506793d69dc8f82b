"""Turns of bots that one worker plays in a second, and their processor time, alone or beside another checkout.

Run: `python -m tests.bench.bot_turns [--beside DIR] [--games 200] [--seconds 10] [--runs 5] [--delay 0]`. Games
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
from tests.bench.common import ROOT, disk_sync_ms, durable_store, show, show_goal, show_ratio
from tests.bench.games import game_log, store_of
from tests.bench.goals import BOT_TURNS
from tests.bench.services import AFTER, BEFORE

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
    """Print the medians, and the ratios of two checkouts."""
    trees = {AFTER: ROOT} | ({BEFORE: options.beside.resolve()} if options.beside else {})
    print(f"{options.games} games, {options.seconds:g} s each; the disk syncs in {disk_sync_ms():.2f} ms")
    runs: dict[str, list[Figures]] = {name: [] for name in trees}
    for run in range(options.runs):
        for name in trees if run % 2 else reversed(trees):
            runs[name].append(measure(trees[name], options.games, options.seconds, options.delay))
    for name, found in runs.items():
        names = ("turns_per_s", "worker_ms", "store_ms", "trips")
        medians = {figure: statistics.median(getattr(one, figure) for one in found) for figure in names}
        each = [one.turns_per_s for one in found]
        show(f"turns of bots: {name}", **medians, lowest=min(each), highest=max(each))
    if BEFORE in runs:
        pairs = list(zip(runs[AFTER], runs[BEFORE], strict=True))
        show_goal(BOT_TURNS, [ours.turns_per_s / before.turns_per_s for ours, before in pairs], [1])
        worker, store = "processor time of the worker", "processor time of the store"
        show_ratio(f"a turn of a bot: {worker}, before / after", [two.worker_ms / one.worker_ms for one, two in pairs])
        show_ratio(f"a turn of a bot: {store}, before / after", [two.store_ms / one.store_ms for one, two in pairs])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--delay", type=float, default=0)
    main(parser.parse_args())
