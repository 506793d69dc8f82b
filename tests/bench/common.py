"""Shared by the benchmarks: a durable store, processes, and the printing of figures."""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.support.ports import free_port
from tests.support.servers import running_store
from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
START = 15
"""Seconds in which a program must be ready, on a quiet machine."""
SERVICE = "service.app:create_from_environment"


@dataclass(frozen=True, slots=True)
class Limit:
    """What a ratio must be; nothing: it is only shown."""

    relation: str = ""
    """`<=` or `>=`."""
    bound: float = 0.0

    def verdict(self, ratio: float) -> str:
        """`met` or `missed`; empty without a limit."""
        if not self.relation:
            return ""
        return "met" if (ratio >= self.bound if self.relation == ">=" else ratio <= self.bound) else "missed"

    def __str__(self) -> str:
        """As a table shows it."""
        return f"{self.relation} {self.bound:g}" if self.relation else ""


NONE = Limit()


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
    seconds: float = START,
) -> Iterator[int]:
    """Run a program until the block ends; the block gets its process id once `ready` is true.

    Raises RuntimeError if that takes more seconds. `quiet`: without what the program says.
    """
    place = {**environment, "PYTHONPATH": str(ROOT)}
    output = subprocess.DEVNULL if quiet else None
    program = subprocess.Popen(command, cwd=ROOT, env=place, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + patience(seconds)
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
def serve(store: str, target: str = SERVICE) -> Iterator[tuple[int, int]]:
    """A web server of two processes on `store`, with `target` as its application; its port and process id."""
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
    with process(command, ready, environment) as number:
        yield port, number


def accepts(port: int) -> bool:
    """Whether a process listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def percentile(values: Sequence[float], percent: int) -> float:
    """Give the value below which `percent` of the values lie. At least two values."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def show(name: str, **figures: float) -> None:
    """Print one line: a name and its figures, with as many digits as mean something."""
    print(f"{name:40}" + "".join(f"  {key} {digits(value):>7}" for key, value in figures.items()), flush=True)


def show_ratio(name: str, pairs: Sequence[float], limit: Limit = NONE) -> None:
    """Print the median of ratios, each of a pair that was measured in turns, their spread and number, and the limit."""
    ratio = statistics.median(pairs)
    told = [f"{digits(min(pairs))} to {digits(max(pairs))} of {len(pairs)}"] if len(pairs) > 1 else []
    told += [f"must be {limit}: {limit.verdict(ratio)}"] if limit.relation else []
    print(f"{name:80}  {digits(ratio):>7}  {', '.join(told)}", flush=True)


def digits(value: float) -> str:
    """A figure with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
