"""The worker's end of the job queue: RQ's worker, which takes each job in one packet and keeps no books.

1. A job's id is taken while it waits in the queue. One that runs, or is lost with its worker, may be enqueued again:
the due lists say what waits, and a job that runs twice takes effect once.
2. Jobs in the store are not trusted: one that can't be read is dropped, and a job can name only the functions that the
worker was made with. Nothing is imported for a job.

Each override says what it buys. `tests/workers/test_rq_contract.py` tests what the overrides rely on in RQ.
"""

import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from types import FrameType
from typing import Any, Final, NamedTuple, cast
from uuid import uuid4

import redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.timeouts import JobTimeoutException
from rq.utils import now

from service.connections.scripts import Script, call_each
from service.jobs import JOB_ID, JOB_TIMEOUT, enqueueing
from service.runtime.logs import lower_to_warning

BEAT = timedelta(seconds=5)
"""The shortest time between two heartbeats."""
WORKER_TTL = 17
"""Seconds. RQ waits for a job for 15 seconds less."""
RUN_CAUSED_S = 0.005
"""Seconds after the start of a job for which the job that it causes is run at once, without the queue. A scoring round
of another game may wait that much longer."""
OUTAGE = (redis.RedisError, OSError)
"""What a command raises whose server can't be reached, or refuses to write: that passes, and ends no worker."""
RETRY = 1.0
"""Seconds until a worker tries again."""
_TAKE: Final = Script.load("take.lua", room="workers")
_TIMES: Final = frozenset({b"created_at", b"enqueued_at"})
"""Fields of a job that no worker reads. RQ takes as long for them as for all others."""
_OF_AN_OUTAGE: Final = re.compile("could not connect|connection timeout")
"""In messages of RQ, and in ours."""
logger = logging.getLogger("rq.worker")  # RQ's own logger: one place for all messages of a worker


class BadFunction(ValueError):
    """A job names a function that this worker doesn't have."""


class CausedJob(NamedTuple):
    """A job that is to be enqueued, or run at once."""

    function: str
    id: str
    arguments: list[str | int]


class OutageFilter(logging.Filter):
    """Makes a warning of the first message of an outage of the queue's server: RQ logs errors, with tracebacks."""

    def __init__(self) -> None:
        super().__init__()
        self.is_out = False

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, OUTAGE) and not _OF_AN_OUTAGE.search(str(record.msg)):
            return True
        record.exc_info, record.msg, record.args = None, "could not connect to Redis: the job queue is away", ()
        lower_to_warning(record)
        was_out, self.is_out = self.is_out, True
        return not was_out


class JobWorker(SimpleWorker):
    def __init__(self, queue_name: str, connection: redis.Redis, functions: Mapping[str, Callable[..., None]]) -> None:
        """`functions`: those that jobs may name. `connection`: RQ changes it, so nothing else may use it.

        Raises redis.ConnectionError if the server can't be reached.
        """
        self.functions = functions
        self.stopping = self.is_busy = False
        self.outages = OutageFilter()
        self.caused: list[CausedJob] = []
        """Jobs that this job has caused: enqueued in the packet that takes the next one."""
        self._ended = b""
        """The last job: deleted in the same packet."""
        super().__init__(
            queue_name, connection=connection, serializer="json", worker_ttl=WORKER_TTL, log_job_description=False
        )

    def run(self) -> None:
        """Work until a signal arrives, through outages, which may end RQ's loop, or keep it from beginning."""
        logger.addFilter(self.outages)
        try:
            while not self.stopping:
                with suppress(*OUTAGE):
                    self.work(logging_level="WARNING")
                if not self.stopping:
                    self._wait_out()
                    self.name = uuid4().hex  # RQ starts no worker whose last entry is still there
            with suppress(*OUTAGE):
                self._send_ended()
        except StopRequested:  # while it waited
            pass
        finally:
            logger.removeFilter(self.outages)

    def send(self, function: str, job: str, arguments: list[str | int]) -> None:
        """Enqueue a job that the running job causes, as the next one is taken: that costs no round trip of its own.

        Or run it at once, see RUN_CAUSED_S. Raises ValueError for an id that no job can have: here, not in the loop.
        """
        if not JOB_ID.fullmatch(job):
            raise ValueError(f"{job!r} is no id of a job")
        self.caused.append(CausedJob(function, job, arguments))

    def end_without_post(self) -> None:
        """End as by a signal, unless one has come: the supervisor then starts worker and post. Any thread may call."""
        if not self.stopping:
            logger.warning("the keeper of the post process has ended; this worker ends, so that both are started again")
            os.kill(os.getpid(), signal.SIGTERM)

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> "tuple[Job, Queue] | None":
        """The next job; None after a signal, or where there is none and `timeout` is None.

        RQ takes a job, reads it, writes its own state and deletes the last job in a packet each: 5 packets a job → 1,
        or 3 after idling. And it ends its loop on a job that can't be read.
        """
        del max_idle_time
        while not self.stopping:
            try:
                self.heartbeat()
                found = self._take(timeout)
                self.outages.is_out = False
            except OUTAGE:
                self._wait_out()
                continue
            if found is not None:
                self._ended = found[0]
                if (job := self._read_job(*found)) is not None:
                    return job, self.queues[0]
            elif timeout is None:
                return None
        return None

    def _take(self, timeout: int | None) -> tuple[bytes, Mapping[bytes, bytes]] | None:
        """The id of the next job and its fields, if it has any; None if none came within so many seconds.

        One round trip, or three where it has to wait: in the first the last job is deleted.
        """
        found = self._send_ended(take=True)
        if found:
            entry, fields = found
            return entry, dict(zip(fields[::2], fields[1::2], strict=True))
        if timeout is None:
            return None
        came = cast("tuple[bytes, bytes] | None", self.connection.blpop([self.queues[0].key], timeout))
        if came is None:
            return None
        try:
            return came[1], cast("Mapping[bytes, bytes]", self.connection.hgetall(self._key_of(came[1])))
        except redis.ResponseError:  # another type of key
            return came[1], {}

    def _send_ended(self, *, take: bool = False) -> Any:
        """Enqueue what the last job has caused, delete that job, and take the next one: one packet."""
        queue, last = self.queues[0], self._key_of(self._ended)
        packet = [enqueueing(queue, job.function, job.arguments, job.id) for job in self.caused]
        packet.append((_TAKE, (queue.key, last), Job.redis_job_namespace_prefix) if take else ("DEL", last))
        *others, found = call_each(self.connection, *packet, raises=False)
        self._ended, self.caused = b"", []
        for error in others:
            if isinstance(error, redis.RedisError):  # nothing is lost: the reconciler enqueues the job again
                logger.warning("a job could not be enqueued: %s", type(error).__name__)
        if isinstance(found, redis.RedisError):
            raise found
        return found

    def _key_of(self, entry: bytes) -> bytes:
        return Job.redis_job_namespace_prefix.encode() + entry

    def _read_job(self, entry: bytes, fields: Mapping[bytes, bytes]) -> Job | None:
        """The job; None if that is none."""
        if not fields or not JOB_ID.fullmatch(entry.decode("latin-1")):
            return None
        job = Job(entry.decode(), connection=self.connection, serializer="json")
        try:
            job.restore({name: value for name, value in fields.items() if name not in _TIMES})
        except Exception:  # noqa: BLE001 - whatever RQ finds in what anyone may have written
            return None
        return job

    def _wait_out(self) -> None:
        """Say once an outage that there is one, and wait for a moment."""
        self.log.error("could not connect")
        time.sleep(RETRY)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run one job. What it raises is logged.

        RQ writes states, executions, registries and results: 70 commands a job → 10.
        """
        del queue
        self.is_busy = True  # from here on a signal lets the job end
        try:
            with self.death_penalty_class(JOB_TIMEOUT, JobTimeoutException, job_id=job.id):
                function = self.functions.get(str(job.func_name))
                if function is None or job.instance is not None:
                    raise BadFunction(f"{job.func_name} is not one of this worker's functions")
                begun = time.monotonic()
                function(*job.args, **job.kwargs)
                self._run_caused(begun + RUN_CAUSED_S)
        except (Exception, SystemExit):  # noqa: BLE001 - no job ends the worker; it is logged with its traceback
            self.handle_exception(job, *sys.exc_info())
        finally:
            self.is_busy = False

    def _run_caused(self, until: float) -> None:
        """Run what the job has caused, what that causes, and so on, until that time or a signal; the rest is enqueued.

        One that fails is enqueued again by the reconciler.
        """
        while len(self.caused) == 1 and time.monotonic() < until and not self.stopping:
            caused = self.caused.pop()
            self.functions[caused.function](*caused.arguments)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Send one every few seconds. RQ writes two commands after every job, in a packet each: 3 packets a job → 1."""
        if self.last_heartbeat is not None and now() - self.last_heartbeat >= BEAT:
            super().heartbeat(timeout, pipeline)

    def check_for_suspension(self, burst: bool) -> None:
        """Never pause. RQ asks before every job: 2 packets a job → 1; and `rq suspend` would stop the games."""

    def subscribe(self) -> None:
        """Don't listen to remote commands: a thread and a connection a worker → none, and it ends a second sooner."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """End at once if idle, else after the running job.

        RQ takes a worker that keeps no books for an idle one: a signal breaks off the job that it meets, 10 of 10 → 0.
        """
        del signum, frame
        self.stopping = True
        if not self.is_busy:
            raise StopRequested
