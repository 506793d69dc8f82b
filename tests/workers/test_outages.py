"""Outages of the store in the log: named, and once each, however often the store is tried."""

import threading
import time
from collections.abc import Callable

import pytest
import redis
from rq.exceptions import StopRequested
from structlog.testing import capture_logs

from config.settings import Settings
from service.bootstrap import Services
from service.connections.clients import Client
from service.gamelog.store.errors import StoreUnavailable
from service.runtime import periodic
from service.runtime.periodic import describe_outage
from tests.support.waiting import patience
from workers.rq_worker import JobWorker
from workers.threads.periodic import PeriodicTask
from workers.threads.reconciler import Reconciler

FULL = "MISCONF Errors writing to the AOF file: No space left on device"


def unavailable(cause: Exception) -> StoreUnavailable:
    error = StoreUnavailable("the store refuses the command")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (redis.exceptions.ResponseError(FULL), "no space left on the store's disk"),
        (unavailable(redis.exceptions.ResponseError(FULL)), "no space left on the store's disk"),
        (OSError(28, "No space left on device"), "no space left on the store's disk"),
        (redis.exceptions.ConnectionError("Error 111 connecting to 10.0.0.7:6379"), "ConnectionError"),
        (unavailable(redis.exceptions.TimeoutError("10.0.0.7")), "StoreUnavailable"),
    ],
)
def test_a_full_disk_is_named(error: Exception, reason: str) -> None:
    """Also after another error; no address gets into the log."""
    assert describe_outage(error) == reason


def logged(services: Services, rounds: list[Callable[[], int] | Exception | None]) -> list[tuple[str, str | None]]:
    """Events and reasons that a task logs in these rounds; it is stopped in the last."""
    ended = threading.Event()

    class Failing(PeriodicTask):
        def run_once(self) -> int:
            if len(rounds) == 1:
                ended.set()
                self._stop.wait()
            now = rounds.pop(0)
            if isinstance(now, Exception):
                raise now
            return now() if now else 0

    with capture_logs() as lines:
        task = Failing(services, "failing", 0.0)
        task.start()
        assert ended.wait(patience(10))
        task.stop()
    return [(line["event"], line.get("reason")) for line in lines]


def test_an_outage_is_logged_once(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic, "logger", periodic.structlog.get_logger("service.runtime"))
    full = redis.exceptions.ResponseError(FULL)
    assert logged(services, [full] * 5 + [None] * 2 + [full] * 3) == [
        ("the store is unavailable", "no space left on the store's disk"),
        ("the store is available again", None),
        ("the store is unavailable", "no space left on the store's disk"),
    ]


def test_a_dead_queue_is_named(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it has a server of its own; once, and so is a store that goes away, too."""
    monkeypatch.setattr(periodic, "logger", periodic.structlog.get_logger("service.runtime"))

    def refuse() -> int:
        raise redis.exceptions.ConnectionError

    services.store.client.zadd(services.store.shard_keys("analyses")[0], {"g": 0})
    monkeypatch.setattr(services, "count_queued", refuse)
    own = Reconciler(services)
    with pytest.raises(redis.exceptions.ConnectionError):
        own.run_once()
    services.settings = Settings(queue_url="redis://queue")
    assert logged(services, [own.run_once, own.run_once, refuse, None]) == [
        ("the job queue is unavailable", "ConnectionError"),
        ("the store is unavailable", "ConnectionError"),
        ("the store is available again", None),
    ]


@pytest.fixture
def worker(real_client: Client, monkeypatch: pytest.MonkeyPatch, own_signals: None) -> JobWorker:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    return JobWorker(real_client, {})


@pytest.mark.parametrize("place", ["uuid4", "time.sleep"])
def test_a_signal_ends_a_worker_anywhere(place: str, worker: JobWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while nothing of RQ runs, and RQ can't write to its store that the signal has come."""

    def lose(*_: object, **_options: object) -> None:
        raise redis.exceptions.ConnectionError

    def take_signal(*_: object) -> None:
        worker.handle_warm_shutdown_request()
        lose()

    monkeypatch.setattr(worker, "work", lose)
    monkeypatch.setattr(f"workers.rq_worker.{place}", take_signal)
    worker.run()
    assert worker.stopping


class Outage:
    """In place of a method of RQ: raises these in turn, then does what RQ does, and ends the worker."""

    def __init__(self, worker: JobWorker, place: str, errors: list[type[Exception]]) -> None:
        self.worker, self.errors, self.names = worker, errors, list[str]()
        self.call = getattr(worker, place)

    def __call__(self, *arguments: object, **options: object) -> object:
        self.names.append(self.worker.name)
        if self.errors:
            raise self.errors.pop(0)("Error 111 connecting to 10.0.0.7:6379")
        self.worker.stopping = True
        self.call(*arguments, **options)
        raise StopRequested


@pytest.mark.parametrize(
    "place", ["register_birth", "run_maintenance_tasks", "dequeue_job_and_maintain_ttl", "register_death"]
)
def test_an_outage_ends_no_worker(
    place: str, worker: JobWorker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever RQ's loop meets it: the worker begins anew, and leaves it to the reconciler to log the outage."""
    errors = [redis.exceptions.ConnectionError, redis.exceptions.ResponseError, redis.exceptions.TimeoutError]
    outage = Outage(worker, place, list(errors))
    if place == "register_death":
        monkeypatch.setattr(worker, "dequeue_job_and_maintain_ttl", lambda *_: None)
    if place == "dequeue_job_and_maintain_ttl":
        monkeypatch.setattr(outage, "call", lambda *_: None)
    monkeypatch.setattr(worker, place, outage)
    worker.run()
    assert len(outage.names) == len(errors) + 1
    assert caplog.records == []
