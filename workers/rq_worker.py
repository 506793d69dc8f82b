"""The worker's end of the job queues: RQ's own worker in a loop that outlasts outages, for our functions alone.

Jobs in the store are not trusted: their payloads are JSON, a job can name only the functions that the worker was made
with, and what RQ would import or call by another name in them is left out.
"""

import logging
import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar, Final
from uuid import uuid4

import redis
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job

from service.jobs import QUEUE_NAMES
from service.runtime.logs import lower_to_warning

WORKER_TTL: Final = 17
"""Seconds. RQ waits for a job for 15 seconds less, and for an answer for 10 more."""
OUTAGE: Final = (redis.RedisError, OSError)
"""What a command raises whose server can't be reached, or refuses to write: that passes, and ends no worker."""
_RETRY_S: Final = 1.0
"""Seconds until a worker tries again, in an outage."""
_AGAIN_S: Final = 0.1
"""Seconds until it begins again after a job that ended RQ's loop."""
_ONE_OUTAGE_S: Final = 30.0
"""Seconds after a message of an outage for which further ones are of the same."""
_OF_AN_OUTAGE: Final = re.compile("could not connect|connection timeout|during pipeline")
"""In messages of RQ, and in ours."""
logger = logging.getLogger("rq.worker")  # RQ's own logger: one place for all messages of a worker


class BadFunction(ValueError):
    """A job names a function that this worker doesn't have."""


class NamedJob(Job):
    """A job as it lies in the store, whose function is in a table, and which calls and tells nobody else."""

    functions: ClassVar[Mapping[str, Callable[..., None]]] = MappingProxyType({})
    success_callback = failure_callback = stopped_callback = None  # RQ imports what is named

    @property
    def func(self) -> Callable[..., None]:
        """RQ imports whatever is named. Raises BadFunction."""
        function = None if self.instance is not None else self.functions.get(str(self.func_name))
        if function is None:
            raise BadFunction(f"{self.func_name} is not one of this worker's functions")
        return function

    def send_webhooks(self, *_arguments: Any, **_options: Any) -> None:
        """RQ sends a request to whatever address a job names."""


class OutageFilter(logging.Filter):
    """Makes a warning of the first message of an outage of the queue's server: RQ logs errors, with tracebacks."""

    def __init__(self) -> None:
        super().__init__()
        self._last = -_ONE_OUTAGE_S

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, OUTAGE) and not _OF_AN_OUTAGE.search(str(record.msg)):
            return True
        record.exc_info, record.msg, record.args = None, "could not connect to Redis: the job queue is away", ()
        lower_to_warning(record)
        last, self._last = self._last, time.monotonic()
        return self._last - last >= _ONE_OUTAGE_S


class JobWorker(SimpleWorker):
    max_connection_wait_time = _RETRY_S  # else RQ looks for the server once a minute, after an outage of one

    def __init__(self, connection: redis.Redis, functions: Mapping[str, Callable[..., None]]) -> None:
        """`functions`: those that jobs may name. `connection`: RQ changes it, so nothing else may use it.

        Raises redis.ConnectionError if the server can't be reached.
        """
        self.stopping = False
        super().__init__(
            QUEUE_NAMES,
            connection=connection,
            serializer="json",
            job_class=type("WorkerJob", (NamedJob,), {"functions": functions}),
            worker_ttl=WORKER_TTL,
            log_job_description=False,
        )

    def run(self) -> None:
        """Work until a signal arrives, through outages and malformed jobs, which end RQ's loop."""
        outages = OutageFilter()
        logger.addFilter(outages)
        try:
            with suppress(StopRequested):  # while it waits
                while not self.stopping:
                    try:
                        self.work(logging_level="WARNING")
                        pause = _AGAIN_S  # the store has taken its last words: a job has ended the loop, or a signal
                    except OUTAGE:
                        self.log.error("could not connect")
                        self.name, pause = uuid4().hex, _RETRY_S  # RQ begins no worker whose last entry is still there
                    if not self.stopping:
                        time.sleep(pause)
        finally:
            logger.removeFilter(outages)

    def end_without_post(self) -> None:
        """End as by a signal, unless one has come: the supervisor then starts worker and post. Any thread may call."""
        if not self.stopping:
            logger.warning("the keeper of the post process has ended; this worker ends, so that both are started again")
            os.kill(os.getpid(), signal.SIGTERM)

    def handle_warm_shutdown_request(self) -> None:
        """RQ says only in its own fields that a signal has come: `run` must know."""
        self.stopping = True

    def subscribe(self) -> None:
        """RQ's thread for remote commands fails in an outage, which ends the process, and its end takes a second."""
