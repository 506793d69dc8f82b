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
from rq import SimpleWorker
from rq.job import Job

from service.jobs import JOB_TIMEOUT, PLAY_TURN, SCORE_ROUND, enqueue, queue
from tests.support.cases import cases
from workers.rq_worker import WORKER_TTL, JobWorker

SIGNATURES = cases(__file__, "signatures")
"""RQ's methods that are overridden, with their parameters. `__init__` is called by ours alone, and is below."""
CALLERS = {name: set(places) for name, places in cases(__file__, "callers").items()}
"""Where RQ uses them, in the classes that a worker is made of."""
CLASSES = {"BaseWorker", "SimpleWorker"}


def parameters_of(function: Any) -> str:
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
    overridden = {name for name in vars(JobWorker) if hasattr(SimpleWorker, name) and not name.startswith("__")}
    assert overridden == SIGNATURES.keys()


@pytest.mark.parametrize("name", SIGNATURES)
def test_overridden_methods_have_the_known_parameters(name: str) -> None:
    """Each has the parameters that our override has, and is used where it was used."""
    assert parameters_of(getattr(SimpleWorker, name)) == SIGNATURES[name]
    assert parameters_of(getattr(JobWorker, name)) == SIGNATURES[name]
    assert uses_in_rq()[name] == CALLERS[name]


def test_a_worker_is_constructed_with_our_arguments() -> None:
    """With the arguments that ours gives; and an idle worker waits for 15 seconds less than its TTL."""
    parameters = inspect.signature(SimpleWorker.__init__).parameters
    assert {"queues", "connection", "serializer", "worker_ttl", "log_job_description"} <= parameters.keys()
    timeout = inspect.getattr_static(SimpleWorker, "dequeue_timeout").fget
    assert timeout(SimpleNamespace(worker_ttl=WORKER_TTL)) == WORKER_TTL - 15


def test_rq_members_used_by_the_overrides_exist() -> None:
    """Methods and attributes of RQ that it doesn't document."""
    assert parameters_of(SimpleWorker.handle_exception) == "self, job, *exc_info"
    assert parameters_of(Job.restore) == "self, raw_data"
    assert Job.redis_job_namespace_prefix == "rq:job:"
    source = inspect.getsource(inspect.getmodule(SimpleWorker.heartbeat))  # type: ignore[arg-type]
    assert "self.last_heartbeat = now()" in source


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
