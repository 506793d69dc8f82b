"""Outages of the store in the log: named, and once each, however often the store is tried."""

import logging
import threading
import time
from dataclasses import replace

import pytest
import redis
from structlog.testing import capture_logs

from config.settings import Settings
from service.bootstrap import Services, assemble
from service.connections.clients import Client
from service.gamelog.errors import StoreUnavailable
from service.jobs import QUEUE_NAME
from service.signing.deployment import Deployment
from tests.gamelog.ledger import SHARDS, open_games
from tests.support.waiting import patience
from workers.rq_queue import LeaseQueue
from workers.rq_worker import LeaseWorker
from workers.threads import periodic
from workers.threads.periodic import PeriodicTask, describe_outage
from workers.threads.reconciler import Reconciler

FULL = "MISCONF Errors writing to the AOF file: No space left on device"


@pytest.fixture
def services(real_client: Client) -> Services:
    """An empty deployment."""
    return assemble(Settings(), Deployment.new(SHARDS), open_games(real_client))


def unavailable(cause: Exception) -> StoreUnavailable:
    """As the log of games raises it."""
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
    """Also behind another error; no address gets into the log."""
    assert describe_outage(error) == reason


def test_an_outage_is_logged_once(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its end, too; the next outage is logged again."""
    monkeypatch.setattr(periodic, "logger", periodic.structlog.get_logger("workers.threads.periodic"))
    rounds = [True] * 5 + [False] * 2 + [True] * 3
    ended = threading.Event()

    class Failing(PeriodicTask):
        def run_once(self) -> int:
            if rounds and not rounds.pop(0):
                return 0
            if not rounds:
                ended.set()
                self._stop.wait()
            raise redis.exceptions.ResponseError(FULL)

    with capture_logs() as lines:
        task = Failing(services, "failing", 0.0)
        task.start()
        assert ended.wait(patience(10))
        task.stop()
    assert [(line["event"], line.get("reason")) for line in lines] == [
        ("the store is unavailable", "no space left on the store's disk"),
        ("the store is available again", None),
        ("the store is unavailable", "no space left on the store's disk"),
    ]


def test_a_dead_queue_is_named(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it has a server of its own; once, and so is a store that goes away, too."""
    monkeypatch.setattr(periodic, "logger", periodic.structlog.get_logger("workers.threads.periodic"))

    def refuse() -> int:
        raise redis.exceptions.ConnectionError

    services.store.client.zadd(services.store.shard_keys("turns")[0], {"g": 0})
    one_server = Reconciler(replace(services, count_queued=refuse))
    with pytest.raises(redis.exceptions.ConnectionError):
        one_server.run_once()
    own = Reconciler(replace(services, count_queued=refuse, settings=Settings(queue_url="redis://queue")))
    rounds = [own.run_once, own.run_once, refuse, lambda: 0]
    ended = threading.Event()

    class Failing(PeriodicTask):
        def run_once(self) -> int:
            if len(rounds) == 1:
                ended.set()
            return rounds.pop(0)() if rounds else 0

    with capture_logs() as lines:
        task = Failing(services, "failing", 0.0)
        task.start()
        assert ended.wait(patience(10))
        task.stop()
    assert [(line["event"], line.get("reason")) for line in lines] == [
        ("the job queue is unavailable", "ConnectionError"),
        ("the store is unavailable", "ConnectionError"),
        ("the store is available again", None),
    ]


def test_rq_logs_an_outage_once(
    real_client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """RQ tries to reconnect once a second, and logs each try; maintenance that succeeds ends the outage."""
    worker = LeaseWorker(QUEUE_NAME, real_client, {})
    refused = [True] * 4

    def dequeue(*_arguments: object, **_options: object) -> None:
        if refused:
            refused.pop()
            raise redis.exceptions.ConnectionError

    monkeypatch.setattr(LeaseQueue, "dequeue_any", dequeue)
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    logger = logging.getLogger("rq.worker")
    logger.addFilter(worker.outages)
    try:
        for _ in range(2):
            refused[:] = [True] * 4
            worker.dequeue_job_and_maintain_ttl(None)
            worker.run_maintenance_tasks()
    finally:
        logger.removeFilter(worker.outages)
    assert not refused
    outages = [record for record in caplog.records if "could not connect" in record.message]
    assert [record.levelname for record in outages] == ["WARNING", "WARNING"]
