"""The job queue on a real server, with real worker processes that are killed and get malformed jobs."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from rq import Queue

from service.connections.clients import connect_queue
from service.jobs import QUEUE_NAME, JobQueue, enqueue, queue
from tests.support import servers
from tests.support.cases import cases
from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.workers.test_queue"
WORKER = f"""
import sys
from service.connections.clients import connect_queue
from {MODULE} import fail, hold, leave, record
from workers.rq_worker import JobWorker
jobs = {{f"{MODULE}.{{job.__name__}}": job for job in (fail, hold, leave, record)}}
sys.exit(JobWorker({QUEUE_NAME!r}, connect_queue(sys.argv[1]), jobs).run())
"""
ENDS_AS_IT_LOGS = cases(__file__, "ends_as_it_logs")
"""Sends SIGTERM while the first message of an outage is formatted, where logging catches what the handler raises."""
SOON = 5.0
"""Seconds after which an id must be free again at the latest, on a quiet machine."""


# Jobs. Their arguments name the list for their trace, as they run in another process.
def record(url: str, word: str) -> None:
    connect_queue(url).rpush("trace", word)


def hold(url: str, word: str) -> None:
    """Leave `word` in the list `trace`, then wait to be released, then leave it in `released`."""
    client = redis.Redis.from_url(url, protocol=2, socket_timeout=None)
    client.rpush("trace", word)
    client.blpop(["release"], 60)
    client.rpush("released", word)


def fail(url: str, word: str) -> None:
    record(url, word)
    raise ArithmeticError(word)


def leave(_url: str, _word: str) -> None:
    sys.exit("a job that ends its process")


class Server(servers.Server):
    @cached_property
    def store(self) -> redis.Redis:
        return redis.Redis(port=self.port, protocol=2, socket_timeout=patience(30))

    def next_trace(self, seconds: float | None = None) -> str | None:
        """The next job's trace, or None after so many seconds; the default timeout depends on the machine's load."""
        wait = patience(SOON) if seconds is None else seconds
        found = cast("tuple[bytes, bytes] | None", self.store.blpop(["trace"], wait))
        return found[1].decode() if found else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("queue"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def jobs(server: Server) -> JobQueue:
    if not server.answers():
        server.start()
    server.store.flushall()
    return queue(QUEUE_NAME, connect_queue(server.url))


@contextmanager
def working(server: Server, code: str = WORKER) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process; killed at the end if it is still there."""
    process = subprocess.Popen([sys.executable, "-c", code, server.url], cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait(patience(5))


@pytest.fixture
def worker(server: Server, jobs: JobQueue) -> Iterator[subprocess.Popen[bytes]]:
    with working(server) as process:
        ask(jobs, server, "record", "ready", "ready")
        assert server.next_trace() == "ready"
        yield process


def ask(jobs: JobQueue, server: Server, function: str, word: str, job_id: str) -> bool:
    return enqueue(jobs, f"{MODULE}.{function}", [server.url, word], job_id)


def seconds_until(condition: Callable[[], Any], limit: float = 15.0) -> float:
    """How long it takes until `condition` holds; it is asked again and again, as the reconciler would."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < patience(limit), "never happened"
    return time.monotonic() - start


def ask_until_done(jobs: JobQueue, server: Server, function: str, word: str, job_id: str) -> float:
    """Seconds until the job's trace is seen when it is asked for every 0.1 s."""

    def asked_and_seen() -> bool:
        ask(jobs, server, function, word, job_id)
        return server.next_trace(0.1) == word

    return seconds_until(asked_and_seen)


def test_a_sender_asks_again_where_its_connection_was_closed(server: Server, jobs: JobQueue) -> None:
    """As by a server that was started again. It may send a job twice, whose id is taken once."""
    assert ask(jobs, server, "record", "one", "job-1")
    server.store.client_kill_filter(_type="normal", skipme=True)
    assert ask(jobs, server, "record", "two", "job-2")
    assert not ask(jobs, server, "record", "two", "job-2")
    assert jobs.job_ids == ["job-1", "job-2"]


def test_job_runs(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    """An enqueued job runs and leaves nothing in the queue's store but its effect."""
    assert ask(jobs, server, "record", "scored", "score-g1-1")
    assert server.next_trace() == "scored"
    seconds_until(lambda: not server.store.exists("rq:job:score-g1-1"), SOON)


def test_queued_job_is_not_queued_twice(server: Server, jobs: JobQueue) -> None:
    """Without a worker the second request is refused, and the first one runs once when a worker comes."""
    assert [ask(jobs, server, "record", word, "score-g1-1") for word in ("first", "second")] == [True, False]
    with working(server):
        assert server.next_trace() == "first"
        ask(jobs, server, "record", "end", "score-g1-2")
        assert server.next_trace() == "end"


def test_job_whose_queue_is_lost_is_queued_again(server: Server, jobs: JobQueue) -> None:
    """As by a server that evicts keys: its hash alone must not keep the id forever, nor stay forever."""
    for number in range(3):
        assert ask(jobs, server, "record", "lost", f"score-g1-{number}")
    server.store.delete(jobs.key)
    assert ask(jobs, server, "record", "again", "score-g1-0")
    assert not ask(jobs, server, "record", "again", "score-g1-0")
    assert jobs.job_ids == ["score-g1-0"]
    assert all(0 < server.store.ttl(f"rq:job:score-g1-{number}") <= 600 for number in range(3))


def test_running_job_may_be_queued_once_more(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    assert [ask(jobs, server, "record", "second", "score-g1-1") for _ in range(2)] == [True, False]
    server.store.rpush("release", "go")
    ask(jobs, server, "record", "third", "score-g1-2")
    seconds_until(lambda: not server.store.exists(jobs.key, "rq:job:score-g1-1", "rq:job:score-g1-2"), SOON)
    assert ask_until_done(jobs, server, "record", "fourth", "score-g1-1") < patience(1)


def test_hanging_job_is_interrupted(server: Server, jobs: JobQueue) -> None:
    """A job that takes longer than JOB_TIMEOUT fails, and the next one runs."""
    with working(server, f"import workers.rq_worker; workers.rq_worker.JOB_TIMEOUT = 1{WORKER}"):
        ask(jobs, server, "hold", "held", "score-g1-1")
        assert server.next_trace() == "held"
        ask(jobs, server, "record", "next", "score-g1-2")
        assert server.next_trace(patience(3)) == "next"
        assert not server.store.exists("released")


@pytest.mark.slow
def test_killed_worker_frees_the_id(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    """After kill -9 in mid-job a new worker runs the job again within seconds."""
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    worker.kill()
    with working(server):
        assert ask_until_done(jobs, server, "hold", "held", "score-g1-1") < patience(SOON)


@pytest.mark.slow
def test_store_is_killed_and_restarted(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    server.kill()
    with pytest.raises(redis.ConnectionError):
        ask(jobs, server, "record", "too early", "score-g1-1")
    server.start()
    assert ask_until_done(jobs, server, "record", "after", "score-g1-2") < patience(SOON)
    assert worker.poll() is None


@pytest.mark.slow
def test_store_is_killed_in_mid_job(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    server.kill()
    server.start()
    assert ask_until_done(jobs, server, "record", "again", "score-g1-1") < patience(SOON)
    assert worker.poll() is None


def test_idle_worker_stops_at_once(worker: subprocess.Popen[bytes]) -> None:
    """SIGTERM ends an idle worker within two seconds, with exit code 0."""
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(patience(2)) == 0


def test_busy_worker_finishes_its_job(server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes]) -> None:
    """SIGTERM lets the running job end, and the next job is left to another worker."""
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    ask(jobs, server, "record", "next", "score-g1-2")
    worker.send_signal(signal.SIGTERM)
    server.store.rpush("release", "go")
    assert worker.wait(patience(2)) == 0
    assert not server.store.exists("rq:job:score-g1-1")
    assert server.store.lrange("released", 0, -1) == [b"held"]
    assert jobs.job_ids == ["score-g1-2"]


def test_worker_stops_without_a_store(server: Server, worker: subprocess.Popen[bytes]) -> None:
    """SIGTERM ends a worker also when its store has ended."""
    server.kill()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(patience(3)) == 0


def test_signal_while_an_outage_is_logged(server: Server, jobs: JobQueue) -> None:
    """A stop that logging has caught isn't lost."""
    with working(server, ENDS_AS_IT_LOGS + WORKER) as process:
        ask(jobs, server, "record", "ready", "ready")
        assert server.next_trace() == "ready"
        seconds_until(lambda: not server.store.exists("rq:job:ready"))
        server.kill()
        assert process.wait(patience(5)) == 0


class Bomb:
    """Makes the folder `path` when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.path),)


def put(jobs: JobQueue, job_id: str, **fields: str | bytes) -> None:
    """Write a job directly, as an attacker with access to the store could."""
    jobs.connection.hset(f"rq:job:{job_id}", items=[part for field in fields.items() for part in field])
    jobs.connection.rpush(jobs.key, job_id)


POISON: dict[str, Callable[[Queue, Path, str], Any]] = {
    "pickle-as-id": lambda jobs, bomb, _: jobs.connection.rpush(jobs.key, pickle.dumps(Bomb(bomb))),
    "pickle-as-data": lambda jobs, bomb, _: put(jobs, "pickle-as-data", data=pickle.dumps(Bomb(bomb))),
    "pickle-as-result": lambda jobs, bomb, _: put(jobs, "pickle-as-result", data="x", result=pickle.dumps(Bomb(bomb))),
    "id-of-nothing": lambda jobs, *_: jobs.connection.rpush(jobs.key, "id-of-nothing"),
    "id-with-colon": lambda jobs, *_: jobs.connection.rpush(jobs.key, "a:b"),
    "no-data": lambda jobs, *_: put(jobs, "no-data", origin="x"),
    "bad-timeout": lambda jobs, *_: put(jobs, "bad-timeout", data="x", timeout="soon"),
    "bad-status": lambda jobs, *_: put(jobs, "bad-status", data="[]", status="asleep"),
    "bad-bytes": lambda jobs, *_: put(jobs, "bad-bytes", data=b"\xff\xfe", description=b"\xff"),
    "bad-shape": lambda jobs, *_: put(jobs, "bad-shape", data=json.dumps([1])),
    "bad-name": lambda jobs, *_: put(jobs, "bad-name", data=json.dumps([7, None, [], {}])),
    "bad-arguments": lambda jobs, *_: put(jobs, "bad-arguments", data=json.dumps([f"{MODULE}.record", None, 7, 7])),
    "foreign-function": lambda jobs, bomb, _: enqueue(jobs, "os.mkdir", [str(bomb)], "foreign-function"),
    "borrowed-function": lambda jobs, bomb, _: enqueue(jobs, f"{MODULE}.os.mkdir", [str(bomb)], "borrowed-function"),
    "unknown-function": lambda jobs, *_: enqueue(jobs, f"{MODULE}.missing", [], "unknown-function"),
    "unknown-module": lambda jobs, *_: enqueue(jobs, "workers.missing.score", [], "unknown-module"),
    "wrong-arguments": lambda jobs, *_: enqueue(jobs, f"{MODULE}.record", [1], "wrong-arguments"),
    "exception": lambda jobs, *_: enqueue(jobs, f"{MODULE}.record", ["no-url", "never"], "exception"),
    "exit": lambda jobs, _, url: enqueue(jobs, f"{MODULE}.leave", [url, ""], "exit"),
}


@pytest.mark.slow
def test_malformed_jobs_neither_end_the_worker_nor_block_a_job(
    server: Server, jobs: JobQueue, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """After each malformed job the next job runs at once, no foreign code has run, and all ids are free soon."""
    jobs.connection.set("rq:job:wrong-type", "text")
    jobs.connection.rpush(jobs.key, "wrong-type")
    for name, poison in POISON.items():
        poison(jobs, tmp_path / "bomb", server.url)
        assert ask(jobs, server, "record", name, f"good-{name}")
        assert server.next_trace(patience(2)) == name
    assert worker.poll() is None
    server.store.delete("trace")
    assert not (tmp_path / "bomb").exists()
    seconds_until(lambda: not server.store.keys("rq:job:*"), SOON)
    seconds_until(lambda: not server.store.exists(jobs.key), SOON)


@pytest.mark.parametrize("argument", [b"bytes", {1, 2}, object()])
def test_sender_speaks_json_only(jobs: JobQueue, argument: Any) -> None:
    with pytest.raises(TypeError):
        enqueue(jobs, f"{MODULE}.record", [argument], "score-g1-1")
    assert not jobs.connection.exists(jobs.key, "rq:job:score-g1-1")
