"""The worker's end of the job queues: RQ's own worker in a loop that outlasts outages, for our functions alone.

Jobs in the store are not trusted: their payloads are JSON, a job can name only the functions that the worker was made
with, and what RQ would import or call by another name in them is left out.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar, Final
from uuid import uuid4

import redis
import structlog
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job

from service.jobs import QUEUE_NAMES

WORKER_TTL: Final = 17
"""Seconds. RQ waits for a job for 15 seconds less, and for an answer for 10 more."""
_RETRY_S: Final = 1.0
_AGAIN_S: Final = 0.02
"""Seconds until a worker begins again when RQ's loop has ended, as by a malformed job."""
IDLE_S = 60
_JOBS: Final = 1_000
"""Idle seconds and jobs after which RQ's loop ends. RQ writes a worker's entry only when its loop begins: without an
end, `rq info` never shows again a worker whose entry was lost, as by a queue that isn't kept or in a long outage."""

logger = structlog.get_logger("workers.rq_worker")


class NamedJob(Job):
    """A job as it lies in the store, whose function is in a table, and which calls and tells nobody else."""

    functions: ClassVar[Mapping[str, Callable[..., None]]] = MappingProxyType({})
    success_callback = failure_callback = stopped_callback = None  # RQ imports what is named

    @property
    def func(self) -> Callable[..., None]:
        """RQ imports whatever is named. Raises ValueError."""
        if self.instance is not None or str(self.func_name) not in self.functions:
            raise ValueError(f"{self.func_name} is not one of this worker's functions")
        return self.functions[str(self.func_name)]

    def send_webhooks(self, *_arguments: Any, **_options: Any) -> None:
        """RQ sends a request to whatever address a job names."""


class JobWorker(SimpleWorker):
    max_connection_wait_time = _RETRY_S  # else RQ looks for the server once a minute, after an outage of one

    def __init__(self, connection: redis.Redis, functions: Mapping[str, Callable[..., None]]) -> None:
        """`connection`: RQ changes it, so nothing else may use it. Raises redis.ConnectionError without a server."""
        self.stopping = False
        super().__init__(
            QUEUE_NAMES,
            connection=connection,
            serializer="json",
            job_class=type("WorkerJob", (NamedJob,), {"functions": functions}),
            worker_ttl=WORKER_TTL,
            exception_handlers=[_log_failure],
        )

    def run(self) -> None:
        """Work until a signal arrives, through outages and malformed jobs, which end RQ's loop."""
        while not self.stopping:
            with suppress(StopRequested, redis.RedisError, OSError):  # of RQ, wherever a signal comes in an outage
                while not self.stopping:
                    pause = _AGAIN_S
                    try:
                        # The reconciler names an outage, `_log_failure` a failed job.
                        self.work(logging_level="CRITICAL", max_jobs=_JOBS, max_idle_time=IDLE_S)
                    except (redis.RedisError, OSError):  # not even RQ's end of a worker could be written
                        self.name, pause = uuid4().hex, _RETRY_S  # RQ begins no worker whose last entry is still there
                    if not self.stopping:
                        time.sleep(pause)

    def handle_warm_shutdown_request(self) -> None:
        """RQ says only in its own fields that a signal has come: `run` must know."""
        self.stopping = True

    def subscribe(self) -> None:
        """RQ's thread for remote commands fails in an outage, which ends the process, and its end takes a second."""


def _log_failure(job: Job, *error: Any) -> None:
    logger.error("a job has failed", job=job.id, exc_info=error)
