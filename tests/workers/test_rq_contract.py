"""The parts of RQ that the worker's overrides rest on. A failing test names what a new release of RQ has changed.

Before the numbers are changed: read the changed methods in RQ, and the reason beside each override in
`workers/rq_worker.py`. Is it still true? Then run tests/workers/test_queue.py, and measure the commands a job.
"""

import ast
import inspect
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fakeredis
import pytest
import rq
from rq import Queue, SimpleWorker, worker_registration
from rq.job import Job

from service.jobs import FAILURE_TTL, JOB_TIMEOUT, PLAY_TURN, SCORE_ROUND, enqueue, queue
from workers.rq_queue import LeaseQueue
from workers.rq_worker import WORKER_TTL, LeaseWorker

OURS = {LeaseQueue: Queue, LeaseWorker: SimpleWorker}
ATTRIBUTES = {"queue_class", "exponential_backoff_factor"}
SIGNATURES = {
    "dequeue_any": ("cls, queues, timeout, connection, job_class=None, serializer=None, death_penalty_class=None"),
    "dequeue_job_and_maintain_ttl": "self, timeout, max_idle_time=None",
    "register_birth": "self",
    "execute_job": "self, job, queue",
    "run_maintenance_tasks": "self",
    "connection_timeout": "self",
    "heartbeat": "self, timeout=None, pipeline=None",
    "set_state": "self, state, pipeline=None",
    "set_shutdown_requested_date": "self",
    "subscribe": "self",
    "check_for_suspension": "self, burst",
    "request_stop": "self, signum, frame",
    "register_death": "self",
}
"""RQ's methods that are overridden, with their parameters. `__init__` is called by ours alone, and is below."""
CALLERS = {
    "dequeue_any": {"BaseWorker.dequeue_job_and_maintain_ttl"},
    "dequeue_job_and_maintain_ttl": {"BaseWorker.work"},
    "register_birth": {"BaseWorker.bootstrap", "BaseWorker._start_scheduler"},
    "execute_job": {"BaseWorker.work"},
    "run_maintenance_tasks": {"BaseWorker.work", "BaseWorker.dequeue_job_and_maintain_ttl"},
    "connection_timeout": {"BaseWorker._set_connection"},
    "heartbeat": {
        "BaseWorker.work",
        "BaseWorker.dequeue_job_and_maintain_ttl",
        "BaseWorker.prepare_job_execution",
        "BaseWorker.maintain_heartbeats",
        "BaseWorker.handle_execution_ended",
    },
    "set_state": {
        "BaseWorker.bootstrap",
        "BaseWorker.check_for_suspension",
        "BaseWorker.dequeue_job_and_maintain_ttl",
        "BaseWorker._set_state",
        "SimpleWorker.execute_job",
    },
    "set_shutdown_requested_date": {"BaseWorker._shutdown"},
    "subscribe": {"BaseWorker.bootstrap", "BaseWorker.subscribe"},
    "check_for_suspension": {"BaseWorker.work"},
    "request_stop": {"BaseWorker._install_signal_handlers"},
    "register_death": {"BaseWorker.teardown", "BaseWorker._start_scheduler"},
}
"""Where RQ uses them, in the classes that a worker is made of."""
CLASSES = {"BaseWorker", "SimpleWorker", "Queue"}


def parameters_of(function: Any) -> str:
    """Names and defaults, without types."""
    function = function.fget if isinstance(function, property) else getattr(function, "__func__", function)
    parameters = inspect.signature(function).parameters.values()
    return ", ".join(str(one.replace(annotation=inspect.Parameter.empty)) for one in parameters)


def uses_in_rq() -> dict[str, set[str]]:
    """By method that is overridden: the functions of RQ that name it."""
    found: dict[str, set[str]] = defaultdict(set)

    def search(node: ast.AST, place: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = (*place, child.name) if isinstance(child, ast.ClassDef | ast.FunctionDef) else place
            if isinstance(child, ast.Attribute) and child.attr in SIGNATURES and place[:1] and place[0] in CLASSES:
                found[child.attr].add(".".join(place))
            search(child, inner)

    for path in Path(rq.__file__).parent.rglob("*.py"):
        search(ast.parse(path.read_text("utf-8")), ())
    return found


def test_every_override_is_named_here() -> None:
    """An override that is added or taken away changes this file, too."""
    overridden = {
        name
        for ours, theirs in OURS.items()
        for name in vars(ours)
        if hasattr(theirs, name) and (name == "__init__" or not name.startswith("__"))
    }
    assert overridden - ATTRIBUTES == {*SIGNATURES, "__init__"}
    assert overridden >= ATTRIBUTES


@pytest.mark.parametrize("name", SIGNATURES)
def test_overridden_methods_have_the_known_parameters(name: str) -> None:
    """Each has the parameters that our override has, and is used where it was used."""
    ours, theirs = next((ours, theirs) for ours, theirs in OURS.items() if name in vars(ours))
    assert parameters_of(inspect.getattr_static(theirs, name)) == SIGNATURES[name]
    assert parameters_of(inspect.getattr_static(ours, name)) == SIGNATURES[name]
    assert uses_in_rq()[name] == CALLERS[name]


def test_a_worker_is_constructed_with_our_arguments() -> None:
    """With the arguments that ours gives; and an idle worker waits for 15 seconds less than its TTL."""
    parameters = inspect.signature(SimpleWorker.__init__).parameters
    given = {"queues", "connection", "serializer", "worker_ttl", "maintenance_interval", "log_job_description"}
    assert given <= parameters.keys()
    timeout = inspect.getattr_static(SimpleWorker, "dequeue_timeout").fget
    assert timeout(SimpleNamespace(worker_ttl=WORKER_TTL)) == WORKER_TTL - 15


def test_rq_members_used_by_the_overrides_exist() -> None:
    """Methods and attributes of RQ that it doesn't document."""
    assert parameters_of(SimpleWorker.handle_exception) == "self, job, *exc_info"
    assert parameters_of(worker_registration.clean_worker_registry) == "queue"
    assert isinstance(Queue.intermediate_queue_key, property)
    assert parameters_of(Job.restore) == "self, raw_data"
    assert "queue_class.dequeue_any(\n                    self._ordered_queues," in inspect.getsource(
        SimpleWorker.dequeue_job_and_maintain_ttl
    ), "with the queues that the worker has made, so that one of them can keep what the last job has left to write"
    assert Job.redis_job_namespace_prefix == "rq:job:"
    source = inspect.getsource(inspect.getmodule(SimpleWorker.heartbeat))  # type: ignore[arg-type]
    for attribute in ("_state", "last_heartbeat", "last_cleaned_at", "_stop_requested"):
        assert f"self.{attribute}" in source


@pytest.mark.parametrize("function", [PLAY_TURN, SCORE_ROUND])
def test_a_job_is_stored_as_rq_stores_it(function: str) -> None:
    """The same fields, but empty ones, in the same keys; ours asks the store once."""
    kept = []
    for is_ours in (True, False):
        client = fakeredis.FakeRedis()
        jobs = queue("contract", client)
        enqueue(jobs, PLAY_TURN, ["other"], "other")
        if is_ours:
            assert enqueue(jobs, function, ["g", 1], "job")
            assert not enqueue(jobs, function, ["g", 2], "job")
        else:
            jobs.enqueue_call(
                function,
                args=("g", 1),
                timeout=JOB_TIMEOUT,
                result_ttl=0,
                failure_ttl=FAILURE_TTL,
                description=function,
                job_id="job",
                at_front=function == SCORE_ROUND,
                unique=True,
            )
        fields = {name: value for name, value in client.hgetall("rq:job:job").items() if value}
        times = [fields.pop(name) for name in (b"created_at", b"enqueued_at")]
        assert [len(time) for time in times] == [27, 27]
        kept.append((fields, sorted(client.keys()), jobs.job_ids, client.smembers("rq:queues")))
    assert kept[0] == kept[1]
