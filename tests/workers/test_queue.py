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
from typing import Any, ClassVar, cast

import pytest
import redis
from rq.job import Callback
from rq.results import Result
from rq.webhook import Webhook
from rq.worker import BaseWorker

from service.connections.clients import connect_queue
from service.jobs import JobQueues
from tests.support import servers
from tests.support.waiting import patience
from workers.rq_worker import JobWorker, NamedJob

ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.workers.test_queue"
WORKER = f"""
import sys
from service.connections.clients import connect_queue
from service.runtime import logs
from {MODULE} import fail, hold, leave, record
from workers.rq_worker import JobWorker
logs.configure("json")  # as a worker does: without it each failure is drawn with all variables, which takes a second
jobs = {{f"{MODULE}.{{job.__name__}}": job for job in (fail, hold, leave, record)}}
sys.exit(JobWorker(connect_queue(sys.argv[1]), jobs).run())
"""
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
def jobs(server: Server) -> JobQueues:
    if not server.answers():
        server.start()
    server.store.flushall()
    return JobQueues(connect_queue(server.url))


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
def worker(server: Server, jobs: JobQueues) -> Iterator[subprocess.Popen[bytes]]:
    with working(server) as process:
        ask(jobs, server, "record", "ready", "ready")
        assert server.next_trace() == "ready"
        yield process


def ask(jobs: JobQueues, server: Server, function: str, word: str, job_id: str) -> None:
    jobs.enqueue(f"{MODULE}.{function}", [server.url, word], job_id)


def seconds_until(condition: Callable[[], Any], limit: float = 15.0) -> float:
    """How long it takes until `condition` holds; it is asked again and again, as the reconciler would."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < patience(limit), "never happened"
    return time.monotonic() - start


def ask_until_done(jobs: JobQueues, server: Server, function: str, word: str, job_id: str) -> float:
    """Seconds until the job's trace is seen when it is asked for every 0.1 s."""

    def asked_and_seen() -> bool:
        ask(jobs, server, function, word, job_id)
        return server.next_trace(0.1) == word

    return seconds_until(asked_and_seen)


def test_a_sender_asks_again_where_its_connection_was_closed(server: Server, jobs: JobQueues) -> None:
    """As by a server that was started again."""
    ask(jobs, server, "record", "one", "job-1")
    server.store.client_kill_filter(_type="normal", skipme=True)
    ask(jobs, server, "record", "two", "job-2")
    assert jobs.others.job_ids[:2] == ["job-1", "job-2"]


def test_job_runs(server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes]) -> None:
    """An enqueued job runs and leaves nothing in the queue's store but its effect."""
    ask(jobs, server, "record", "scored", "score-g1-1")
    assert server.next_trace() == "scored"
    seconds_until(lambda: not server.store.keys("rq:job:*") + server.store.keys("rq:execution*"), SOON)
    assert not server.store.exists("rq:wip:reibach")


def test_a_job_that_is_queued_twice_runs_once(server: Server, jobs: JobQueues) -> None:
    """Its second place in the queue is passed over."""
    for word in ("first", "second"):
        ask(jobs, server, "record", word, "score-g1-1")
    ask(jobs, server, "record", "end", "score-g1-2")
    with working(server):
        assert [server.next_trace() for _ in range(2)] == ["second", "end"]


def test_a_job_that_has_lost_its_place_expires(server: Server, jobs: JobQueues) -> None:
    """As one of a server that evicts keys, or of a worker that crashed as it took it; it can be queued again."""
    ask(jobs, server, "record", "lost", "score-g1-1")
    assert 0 < server.store.ttl("rq:job:score-g1-1") <= 600
    server.store.delete(jobs.others.key)
    with working(server):
        ask(jobs, server, "record", "again", "score-g1-1")
        assert server.next_trace() == "again"


@pytest.mark.nightly
def test_hanging_job_is_interrupted(server: Server, jobs: JobQueues, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that takes longer than its time fails, and the next one runs."""
    for queue in (jobs.urgent, jobs.others):
        monkeypatch.setattr(queue, "_default_timeout", 1)
    with working(server):
        ask(jobs, server, "hold", "held", "score-g1-1")
        assert server.next_trace() == "held"
        ask(jobs, server, "record", "next", "score-g1-2")
        assert server.next_trace(patience(3)) == "next"
        assert not server.store.exists("released")


def test_what_runs_and_what_failed_is_shown(
    server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """By RQ's own means, as `rq info` and dashboards use them; a failed job is kept for an hour, and queued by hand."""
    ask(jobs, server, "fail", "failed", "score-g1-1")
    assert server.next_trace() == "failed"
    seconds_until(lambda: jobs.others.failed_job_registry.get_job_ids() == ["score-g1-1"], SOON)
    job = jobs.others.fetch_job("score-g1-1")
    assert job is not None
    assert 3500 < server.store.ttl(job.key) <= 3600
    assert "ArithmeticError" in str(cast("Result", job.latest_result()).exc_string)
    ask(jobs, server, "hold", "held", "score-g1-2")
    assert server.next_trace() == "held"
    (shown,) = BaseWorker.all(connection=jobs.connection, serializer="json")
    assert (shown.get_state(), shown.get_current_job_id()) == ("busy", "score-g1-2")
    assert (shown.queue_names(), shown.failed_job_count) == (["reibach-urgent", "reibach"], 1)
    assert jobs.others.started_job_registry.get_job_ids() == ["score-g1-2"]
    jobs.others.failed_job_registry.requeue("score-g1-1")
    server.store.rpush("release", "go")
    assert server.next_trace() == "failed"


@pytest.mark.nightly
def test_a_worker_whose_entry_was_lost_is_shown_again(server: Server, jobs: JobQueues) -> None:
    """As by a queue that is kept in memory alone, and begins again empty."""
    with working(server, "import workers.rq_worker; workers.rq_worker.IDLE_S = 1" + WORKER):
        seconds_until(lambda: BaseWorker.count(connection=jobs.connection))
        server.store.flushall()
        seconds_until(lambda: [worker.queue_names() for worker in BaseWorker.all(connection=jobs.connection)])
        ask(jobs, server, "record", "done", "score-g1-1")
        assert server.next_trace() == "done"


@pytest.mark.slow
def test_killed_worker_frees_the_id(server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes]) -> None:
    """After kill -9 in mid-job a new worker runs the job again within seconds."""
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    worker.kill()
    with working(server):
        assert ask_until_done(jobs, server, "hold", "held", "score-g1-1") < patience(SOON)


@pytest.mark.slow
def test_store_is_killed_in_mid_job(server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes]) -> None:
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


def test_busy_worker_finishes_its_job(server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes]) -> None:
    """SIGTERM lets the running job end, and the next job is left to another worker."""
    ask(jobs, server, "hold", "held", "score-g1-1")
    assert server.next_trace() == "held"
    ask(jobs, server, "record", "next", "score-g1-2")
    worker.send_signal(signal.SIGTERM)
    server.store.rpush("release", "go")
    assert worker.wait(patience(2)) == 0
    assert not server.store.exists("rq:job:score-g1-1")
    assert server.store.lrange("released", 0, -1) == [b"held"]
    assert jobs.others.job_ids == ["score-g1-2"]


def test_worker_stops_without_a_store(server: Server, worker: subprocess.Popen[bytes]) -> None:
    """SIGTERM ends a worker also when its store has ended."""
    server.kill()
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(patience(3)) == 0


class Bomb:
    """Makes the folder `path` when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.path),)


def put(jobs: JobQueues, job_id: str, **fields: str | bytes) -> None:
    """Write a job directly, as an attacker with access to the store could."""
    jobs.connection.hset(f"rq:job:{job_id}", items=[part for field in fields.items() for part in field])
    jobs.connection.rpush(jobs.others.key, job_id)


POISON: dict[str, Callable[[JobQueues, Path, str], Any]] = {
    "pickle-as-id": lambda jobs, bomb, _: jobs.connection.rpush(jobs.others.key, pickle.dumps(Bomb(bomb))),
    "pickle-as-data": lambda jobs, bomb, _: put(jobs, "pickle-as-data", data=pickle.dumps(Bomb(bomb))),
    "pickle-as-result": lambda jobs, bomb, _: put(jobs, "pickle-as-result", data="x", result=pickle.dumps(Bomb(bomb))),
    "id-of-nothing": lambda jobs, *_: jobs.connection.rpush(jobs.others.key, "id-of-nothing"),
    "id-with-colon": lambda jobs, *_: jobs.connection.rpush(jobs.others.key, "a:b"),
    "no-data": lambda jobs, *_: put(jobs, "no-data", origin="x"),
    "bad-timeout": lambda jobs, *_: put(jobs, "bad-timeout", data="x", timeout="soon"),
    "bad-status": lambda jobs, *_: put(jobs, "bad-status", data="[]", status="asleep"),
    "bad-bytes": lambda jobs, *_: put(jobs, "bad-bytes", data=b"\xff\xfe", description=b"\xff"),
    "bad-shape": lambda jobs, *_: put(jobs, "bad-shape", data=json.dumps([1])),
    "bad-name": lambda jobs, *_: put(jobs, "bad-name", data=json.dumps([7, None, [], {}])),
    "bad-arguments": lambda jobs, *_: put(jobs, "bad-arguments", data=json.dumps([f"{MODULE}.record", None, 7, 7])),
    "foreign-function": lambda jobs, bomb, _: jobs.enqueue("os.mkdir", [str(bomb)], "foreign-function"),
    "borrowed-function": lambda jobs, bomb, _: jobs.enqueue(f"{MODULE}.os.mkdir", [str(bomb)], "borrowed-function"),
    "unknown-function": lambda jobs, *_: jobs.enqueue(f"{MODULE}.missing", [], "unknown-function"),
    "unknown-module": lambda jobs, *_: jobs.enqueue("workers.missing.score", [], "unknown-module"),
    "wrong-arguments": lambda jobs, *_: jobs.enqueue(f"{MODULE}.record", [1], "wrong-arguments"),
    "exception": lambda jobs, *_: jobs.enqueue(f"{MODULE}.record", ["no-url", "never"], "exception"),
    "callbacks": lambda jobs, bomb, _: put(
        jobs,
        "callbacks",
        data=json.dumps([str(bomb), None, [], {}]),
        webhooks=json.dumps([{"url": "http://127.0.0.1:9", "status": "failed"}]),
        **{f"{kind}_callback_name": "os.mkdir" for kind in ("success", "failure", "stopped")},
    ),
    "exit": lambda jobs, _, url: jobs.enqueue(f"{MODULE}.leave", [url, ""], "exit"),
}


@pytest.mark.nightly
@pytest.mark.slow
def test_malformed_jobs_neither_end_the_worker_nor_block_a_job(
    server: Server, jobs: JobQueues, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """After each malformed job the next job runs, no foreign code has run, and what failed is kept for an hour."""
    jobs.connection.set("rq:job:wrong-type", "text")
    jobs.connection.rpush(jobs.others.key, "wrong-type")
    for name, poison in POISON.items():
        poison(jobs, tmp_path / "bomb", server.url)
        ask(jobs, server, "record", name, f"good-{name}")
        assert server.next_trace(patience(3)) == name
    assert worker.poll() is None
    assert not (tmp_path / "bomb").exists()
    seconds_until(lambda: not server.store.exists(jobs.others.key), SOON)
    failed = {"unknown-function", "unknown-module", "foreign-function", "borrowed-function", "exception", "exit"}
    assert failed <= {*jobs.others.failed_job_registry.get_job_ids()}
    assert all(0 < server.store.ttl(f"rq:job:{name}") <= 3600 for name in failed)


class Called:
    """What a callback of a job calls, or would."""

    names: ClassVar[list[str]] = []


def note_call(job: NamedJob, *_arguments: object) -> None:
    Called.names.append(job.id)


@pytest.mark.parametrize("function", ["record", "missing"])
def test_no_callback_and_no_webhook_of_a_job_is_called(
    server: Server, jobs: JobQueues, monkeypatch: pytest.MonkeyPatch, own_signals: None, function: str
) -> None:
    """Whether it succeeds or fails; RQ's own job calls them."""
    monkeypatch.setattr(Webhook, "send", lambda _hook, job, **_: note_call(job))
    name, calls = f"{MODULE}.{function}", Callback(f"{MODULE}.note_call")
    told = [Webhook("http://127.0.0.1:9", job_status=status) for status in ("finished", "failed")]
    arguments = {"args": (server.url, "ran"), "on_success": calls, "on_failure": calls, "webhooks": told}
    Called.names.clear()
    jobs.others.enqueue_call(name, job_id="called", **arguments)
    worker = JobWorker(connect_queue(server.url), {f"{MODULE}.record": record})
    worker.work(burst=True, logging_level="CRITICAL")
    assert Called.names == []
    assert server.store.exists("trace") == (function == "record")


@pytest.mark.parametrize("argument", [b"bytes", {1, 2}, object()])
def test_sender_speaks_json_only(jobs: JobQueues, argument: Any) -> None:
    with pytest.raises(TypeError):
        jobs.enqueue(f"{MODULE}.record", [argument], "score-g1-1")
    assert not jobs.connection.exists(jobs.others.key, "rq:job:score-g1-1")
