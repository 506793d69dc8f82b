"""Shared by the benchmarks: a durable store, processes, and the printing of figures."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.bench.goals import NONE, Goal, Limit
from tests.support.ports import free_port
from tests.support.servers import running_store
from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
START = 15
"""Seconds in which a program must be ready, on a quiet machine."""
SERVICE = "service.app:create_from_environment"
SHORT = "REIBACH_BENCH_SHORT"
"""Environment variable: `1` where two minutes must be enough for the parts of the speed of requests."""
ROWS = "REIBACH_BENCH_ROWS"
"""Environment variable: the file to which a part adds its figures, a line of JSON each, for the table of all parts."""


def is_short() -> bool:
    """Whether a part should only show that it works, by few and short measurements."""
    return os.environ.get(SHORT) == "1"


@contextmanager
def durable_store(*, in_memory: bool = False) -> Iterator[str]:
    """Start the embedded store as the service runs it, over an empty folder, and give its URL.

    `in_memory`: in a folder of the machine's memory, where it has one. All settings stay, but a sync costs nothing: for
    ratios whose two sides write alike, so that a slow disk would hide their difference.
    """
    memory = Path("/dev/shm")
    place = memory if in_memory and memory.is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as folder, running_store(Path(folder)) as store:
        yield store.url


def disk_sync_ms() -> float:
    """The median time that the disk under the temporary folder takes to sync 200 bytes, in milliseconds."""
    times = []
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        for _ in range(100):
            begun = time.perf_counter()
            file.write(bytes(200))
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times)


@contextmanager
def process(
    command: Sequence[str],
    ready: Callable[[], object],
    environment: Mapping[str, str],
    *,
    quiet: bool = False,
    folder: Path = ROOT,
) -> Iterator[int]:
    """Run a program in a folder until the block ends; the block gets its process id once `ready` is true.

    Raises RuntimeError if that takes too long. `quiet`: without the program's log.
    """
    # Python imports from the folder that it runs in before it looks at this variable, which may name another checkout.
    own = {**environment, "PYTHONPATH": str(folder)}
    program = subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.DEVNULL if quiet else None)
    try:
        deadline = time.monotonic() + patience(START)
        while not ready():
            if program.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} didn't start: status {program.returncode}")
            time.sleep(0.02)
        yield program.pid
    finally:
        program.terminate()
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


@contextmanager
def web(store: str, target: str = SERVICE) -> Iterator[int]:
    """A web server of two processes on `store`, with `target` as its application; gives its port."""
    with serve(store, target) as (port, _):
        yield port


@contextmanager
def serve(store: str, target: str = SERVICE, *, checkout: Path = ROOT) -> Iterator[tuple[int, int]]:
    """The same with the code of another checkout; gives the port and the server's process id."""
    port = free_port()
    environment = os.environ | {
        "REIBACH_REDIS_URL": store,
        "REIBACH_PORT": str(port),
        "REIBACH_RATE_LIMIT": "0",
        "REIBACH_ALLOW_FIXED_SEED": "1",
    }
    imports = "from config.settings import Settings; from service.runtime import webserver"

    def ready() -> bool:
        try:
            with urlopen(f"http://{HOST}:{port}/healthz") as answer:
                return bool(answer.status < 500)
        except HTTPError as error:
            return error.code < 500
        except OSError:
            return False

    command = [sys.executable, "-c", f"{imports}; webserver.serve_web(Settings.read(), {target!r})"]
    with process(command, ready, environment, folder=checkout) as number:
        yield port, number


def accepts(port: int) -> bool:
    """Whether a process listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def percentile(values: Sequence[float], percent: int) -> float:
    """Give the value below which `percent` of the values lie. At least two values."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def block_ratios(one: Sequence[float], two: Sequence[float], blocks: int = 5) -> list[float]:
    """What the medians of two columns are to each other in each part of the run; both were measured in turns.

    None where one of both was not measured.
    """
    if not one or not two:
        return []
    size = -(-min(len(one), len(two)) // blocks)
    starts = range(0, min(len(one), len(two)), size)
    return [statistics.median(one[at : at + size]) / statistics.median(two[at : at + size]) for at in starts]


def show(name: str, **figures: float) -> None:
    """Print one line: a name and its figures, with as many digits as mean something."""
    print(f"{name:40}" + "".join(f"  {key} {digits(value):>7}" for key, value in figures.items()), flush=True)
    _keep({"name": name, "figures": figures})


def show_aim(name: str, ratio: float, relation: str, bound: float) -> None:
    """Print a single ratio and its limit; `relation` is `<=` or `>=`."""
    show_ratio(name, [ratio], Limit(relation=relation, bound=bound))


def show_goal(goal: Goal, pairs: Sequence[float], before: Sequence[float] = ()) -> None:
    """Print what was measured of a goal; see `show_ratio`."""
    show_ratio(goal.name, pairs, goal.limit, before)


def show_ratio(name: str, pairs: Sequence[float], limit: Limit = NONE, before: Sequence[float] = ()) -> None:
    """Print the median of ratios, each of a pair that was measured in turns, their spread and number, and the limit.

    `before`: the same ratios of the other checkout, of which the median is shown.
    """
    ratio, relation = statistics.median(pairs), limit.relation
    row = {
        "name": name,
        "ratio": ratio,
        "before": statistics.median(before) if before else None,
        "spread": f"{digits(min(pairs))} to {digits(max(pairs))}" if len(pairs) > 1 else "",
        "pairs": len(pairs),
        "bound": f"{relation} {limit.bound:g}" if relation else "",
        "aim": f"{relation} {limit.aim:g}" if limit.aim else "",
        "verdict": limit.verdict(ratio),
    }
    told = [f"{row['spread']} of {len(pairs)}" if row["spread"] else ""]
    told += [f"before {digits(statistics.median(before))}"] if before else []
    told += [f"must be {row['bound']}"] if relation else []
    told += [f"aim {row['aim']}"] if limit.aim else []
    verdict = f": {limit.verdict(ratio)}" if relation else ""
    print(f"{name:80}  {digits(ratio):>7}  {', '.join(text for text in told if text)}{verdict}", flush=True)
    _keep(row)


def _keep(row: Mapping[str, object]) -> None:
    if path := os.environ.get(ROWS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def digits(value: float) -> str:
    """A figure with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
