"""Jobs that a job causes: run at once for a moment, else enqueued."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from service.connections.clients import connect_queue
from service.jobs import enqueue, queue
from workers import rq_worker
from workers.rq_worker import JobWorker

NAME = "caused"


class Chain:
    """A worker in the test's process, whose job `count` causes the next one, up to 9; it is never started."""

    def __init__(self, url: str) -> None:
        self.done: list[int] = []
        functions = {"count": self.count, "fork": self.fork, "misname": self.misname}
        self.worker = JobWorker(NAME, connect_queue(url), functions)
        self.jobs = queue(NAME, connect_queue(url))
        self.jobs.empty()

    def count(self, number: int) -> None:
        self.done.append(number)
        if number == 5:
            raise ArithmeticError(number)
        if number < 9:
            self.worker.send("count", f"count-{number + 1}", [number + 1])

    def fork(self, number: int) -> None:
        self.worker.send("count", "count-8", [8])
        self.worker.send("count", "count-9", [9])
        self.done.append(number)

    def misname(self, number: int) -> None:
        self.done.append(number)
        self.worker.send("count", "count 9", [9])

    def run_next(self, *, is_stopping: bool = False) -> list[int]:
        """Take a job from the queue and run it; the numbers of the jobs that have run. `is_stopping`: a signal came."""
        taken = self.worker.dequeue_job_and_maintain_ttl(None)
        assert taken is not None
        self.worker.stopping = is_stopping
        self.done.clear()
        self.worker.execute_job(*taken)
        return self.done


@pytest.fixture
def chain(valkey: str) -> Iterator[Chain]:
    chain = Chain(valkey)
    yield chain
    chain.jobs.empty()


@pytest.fixture
def following(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets for how many seconds caused jobs are run at once."""
    return partial(monkeypatch.setattr, rq_worker, "RUN_CAUSED_S")


def test_a_caused_job_is_run_at_once(chain: Chain, following: Callable[[float], None]) -> None:
    """And what that one causes; nothing is left in the queue."""
    following(math.inf)
    enqueue(chain.jobs, "count", [6], "count-6")
    assert chain.run_next() == [6, 7, 8, 9]
    assert chain.worker.dequeue_job_and_maintain_ttl(None) is None


def test_after_a_moment_a_caused_job_goes_to_the_queue(chain: Chain, following: Callable[[float], None]) -> None:
    """Behind the jobs that wait already: no game keeps the worker."""
    following(0)
    enqueue(chain.jobs, "count", [7], "count-7")
    enqueue(chain.jobs, "count", [1], "count-1")
    assert [list(chain.run_next()) for _ in range(4)] == [[7], [1], [8], [2]]


def test_after_a_signal_a_caused_job_goes_to_the_queue(chain: Chain, following: Callable[[float], None]) -> None:
    """The worker ends with the job that runs, and keeps the next one for others."""
    following(math.inf)
    enqueue(chain.jobs, "count", [7], "count-7")
    assert chain.run_next(is_stopping=True) == [7]
    chain.worker._send_ended()
    assert chain.jobs.job_ids == ["count-8"]


def test_of_two_caused_jobs_none_goes_first(chain: Chain, following: Callable[[float], None]) -> None:
    following(math.inf)
    enqueue(chain.jobs, "fork", [1], "fork-1")
    assert chain.run_next() == [1]
    assert chain.run_next() == [8, 9]


def test_a_caused_job_that_fails_ends_there(chain: Chain, following: Callable[[float], None]) -> None:
    following(math.inf)
    enqueue(chain.jobs, "count", [3], "count-3")
    assert chain.run_next() == [3, 4, 5]
    assert chain.worker.dequeue_job_and_maintain_ttl(None) is None
    assert not chain.jobs.connection.exists("rq:job:count-3")


def test_a_bad_id_fails_the_job_that_causes_it(chain: Chain, following: Callable[[float], None]) -> None:
    following(0)
    enqueue(chain.jobs, "misname", [1], "misname-1")
    enqueue(chain.jobs, "count", [9], "count-9")
    assert [list(chain.run_next()) for _ in range(2)] == [[1], [9]]
