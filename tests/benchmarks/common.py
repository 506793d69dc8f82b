"""Shared by the benchmarks: a durable store, processes, HTTP load, medians and the printing of a line."""

import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from service.runtime.embedded import EmbeddedStore
from tests.support.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"

_WRK_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = %s
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('\\nRESULT {"rps": %%f, "p50": %%f, "p99": %%f, "errors": %%d}\\n',
    summary.requests * 1e6 / summary.duration, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one run of a load client saw; `p50` and `p99` of the answer times in milliseconds."""

    rps: float
    p50: float
    p99: float
    errors: float = 0


@contextmanager
def durable_store(*, in_memory: bool = False) -> Iterator[str]:
    """Start the embedded store as the service runs it, over an empty folder, and give its URL.

    `in_memory`: in a folder of the machine's memory, where it has one. All settings stay, but a sync costs nothing: for
    ratios whose two sides write alike, so that a slow disk would hide their difference.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if in_memory and memory.is_dir() else None) as folder:
        store = EmbeddedStore(Path(folder))
        store.start()
        try:
            yield store.url
        finally:
            store.stop()


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
    command: Sequence[str], ready: Callable[[], object], environment: Mapping[str, str], *, quiet: bool = False
) -> Iterator[None]:
    """Run a program until the block ends; the block begins once `ready` is true. Raises RuntimeError after 15 s.

    `quiet`: without the program's log.
    """
    program = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL if quiet else None)
    try:
        deadline = time.monotonic() + 15
        while not ready():
            if program.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} didn't start: status {program.returncode}")
            time.sleep(0.02)
        yield
    finally:
        program.terminate()
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


@contextmanager
def web(store: str, target: str = "service.app:create_from_environment", threads: int = 0) -> Iterator[int]:
    """A web server of two processes on `store`, with `target` as its application; gives its port.

    `threads`: of a process, at least 2; 0: as many as by default.
    """
    port = free_port()
    environment = os.environ | {
        "REIBACH_REDIS_URL": store,
        "REIBACH_PORT": str(port),
        "REIBACH_RATE_LIMIT": "0",
        "REIBACH_ALLOW_FIXED_SEED": "1",
    }
    if threads:
        environment |= {"REIBACH_WEB_THREADS": str(threads), "REIBACH_POLL_LIMIT": str(threads - 1)}
    imports = "from config.settings import Settings; from service.runtime.webserver import serve_web"

    def ready() -> bool:
        try:
            with urlopen(f"http://{HOST}:{port}/healthz") as answer:
                return bool(answer.status < 500)
        except HTTPError as error:
            return error.code < 500
        except OSError:
            return False

    command = [sys.executable, "-c", f"{imports}; serve_web(Settings.read(), {target!r})"]
    with process(command, ready, environment):
        yield port


def accepts(port: int) -> bool:
    """Whether a process listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


@contextmanager
def open_requests(port: int, path: str, count: int) -> Iterator[None]:
    """Hold `count` GET requests open, each on a connection of its own, without reading the answers."""
    with ExitStack() as stack:
        for _ in range(count):
            client = stack.enter_context(socket.create_connection((HOST, port)))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        time.sleep(0.5)  # let all of them reach their threads before anything is measured
        yield


def load_client() -> str:
    """Name the load client that `post_load` uses here."""
    return "wrk" if shutil.which("wrk") else "http.client in threads (wrk not found; the client shares the figures)"


def post_load(port: int, path: str, body: object, *, connections: int, seconds: float) -> Load:
    """POST the same JSON over kept-alive connections, each sending its next request at the answer of the last.

    At least one second, and whole seconds with wrk.
    """
    text = json.dumps(body)
    if wrk := shutil.which("wrk"):
        return _wrk(wrk, f"http://{HOST}:{port}{path}", text, connections, max(1, round(seconds)))
    return _threads(port, path, text, connections, seconds)


def _wrk(wrk: str, url: str, text: str, connections: int, seconds: int) -> Load:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(_WRK_SCRIPT % json.dumps(text))
        script.flush()
        command = [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script.name, url]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Load(**json.loads(output.rpartition("RESULT ")[2]))


def _threads(port: int, path: str, text: str, connections: int, seconds: float) -> Load:
    times: list[float] = []
    errors: list[int] = []
    end = time.perf_counter() + seconds

    def client() -> None:
        connection = http.client.HTTPConnection(HOST, port)
        while (begun := time.perf_counter()) < end:
            connection.request("POST", path, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            times.append(1000 * (time.perf_counter() - begun))
            if answer.status >= 400:
                errors.append(answer.status)
        connection.close()

    clients = [threading.Thread(target=client) for _ in range(connections)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return Load(rps=len(times) / seconds, p50=statistics.median(times), p99=percentile(times, 99), errors=len(errors))


def percentile(values: Sequence[float], percent: int) -> float:
    """Give the value below which `percent` of the values lie. At least two values."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def median(runs: Sequence[Load]) -> Load:
    """Take the median of each figure over several runs."""
    figures = [asdict(run) for run in runs]
    return Load(**{field.name: statistics.median(run[field.name] for run in figures) for field in fields(Load)})


def show(name: str, **figures: float) -> None:
    """Print one line: a name and its figures, with as many digits as mean something."""
    print(f"{name:36}" + "".join(f"  {key} {_digits(value):>7}" for key, value in figures.items()), flush=True)


def show_aim(name: str, ratio: float, relation: str, aim: float) -> None:
    """Print a ratio and its limit; `relation` is one of `<=`, `>=` and `>`."""
    met = {"<=": ratio <= aim, ">=": ratio >= aim, ">": ratio > aim}[relation]
    print(f"{name:36}  {_digits(ratio):>7}  aim {relation} {aim:g}: {'met' if met else 'MISSED'}", flush=True)


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
