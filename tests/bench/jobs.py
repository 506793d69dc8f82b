"""Commands on many games by one process and by one for each core: doctor, export, import and archive.

Run: `python -m tests.bench.jobs [--games 2000] [--only archive]`. The games are finished; they are copies of a few
random ones (see `copies`), each with its own hash chain, which all four commands compute. Both sides take turns, each
on a store of its own, which is started from the same files.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from config.settings import Settings
from service.commands.store.parallel import cores
from service.connections.clients import connect
from service.signing.deployment import open_deployment
from tests.bench.common import ROOT, is_short, show, show_ratio
from tests.bench.copies import originals, store_copies
from tests.bench.games import random_plans
from tests.support.servers import running_store
from tests.support.shell import COMMAND, environment

ORIGINALS: Final = 10
COMMANDS: Final = ("doctor", "export", "import", "archive")


def fill(data: Path, count: int, chance: Random) -> None:
    """A store in this folder with so many finished games."""
    some = originals(list(islice(random_plans(chance), ORIGINALS)), 1.0)
    with running_store(data) as store:
        settings = Settings()
        open_deployment(connect(store.url), settings.shards, settings.keys_file)
        store_copies(store.url, some, count, chance, listed=ORIGINALS, own_chain=True)


@contextmanager
def copied(data: Path) -> Iterator[str]:
    """The URL of a store on a copy of the folder."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "data"
        shutil.copytree(data, own, ignore=lambda _folder, names: [name for name in names if "sock" in name])
        with running_store(own) as store:
            yield store.url


def timed(url: str, argv: Sequence[object], jobs: int) -> float:
    """Seconds that the command takes with so many processes."""
    words = [*COMMAND, *map(str, argv), "--jobs", str(jobs)]
    begun = time.perf_counter()
    subprocess.run(words, cwd=ROOT, env=environment(REIBACH_REDIS_URL=url), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def measure(data: Path, pairs: int, jobs: int, only: str | None) -> dict[str, dict[int, list[float]]]:
    """Seconds of each command, or of one of them, by number of processes."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as nothing:
        files = Path(folder) / "export"
        with copied(data) as url:
            timed(url, ("export", "--all", "--to", files), jobs)
        commands = {
            "doctor": (data, ("doctor", "--all")),
            "export": (data, ("export", "--all")),
            "import": (Path(nothing), ("import", *sorted(files.iterdir()))),
            "archive": (data, ("archive", "--now")),
        }
        times: dict[str, dict[int, list[float]]] = {
            name: {1: [], jobs: []} for name in commands if only in (None, name)
        }
        for pair in range(pairs):
            for name in times:
                source, argv = commands[name]
                for number in (1, jobs) if pair % 2 else (jobs, 1):
                    with copied(source) as url:
                        times[name][number].append(timed(url, argv, number))
    return times


def main() -> None:
    """Fill a store, and measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.jobs")
    parser.add_argument("--games", type=int, default=100 if is_short() else 2_000)
    parser.add_argument("--pairs", type=int, default=1 if is_short() else 5)
    parser.add_argument("--jobs", type=int, default=max(2, cores()))
    parser.add_argument("--only", choices=COMMANDS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), chosen.games, Random(1))
        times = measure(Path(folder), chosen.pairs, chosen.jobs, chosen.only)
    for name, by_jobs in times.items():
        rates = {f"games/s, {jobs}": chosen.games / statistics.median(seconds) for jobs, seconds in by_jobs.items()}
        show(f"`{name}`", **rates)
    for name, by_jobs in times.items():
        ratios = [one / more for one, more in zip(by_jobs[1], by_jobs[chosen.jobs], strict=True)]
        show_ratio(f"`{name}`: games a second, {chosen.jobs} processes / one", ratios)


if __name__ == "__main__":
    main()
