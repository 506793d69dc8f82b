"""The worker's end of the job queue: an RQ worker that is quick, hard to kill, and never holds an id for long.

Rules of this file:
1. A job's id is taken as long as its hash exists (RQ's `unique`). While the job runs the hash has an expiry, the lease,
   renewed every second; so the death of a worker frees the id within LEASE seconds. Nobody has to notice the death.
2. What a sender wrote is not trusted: a job that can't be read is dropped, and a job can name only the functions that
   the worker was made with. Nothing is imported for a job.
3. Nothing is written that nobody reads. RQ's own bookkeeping is about ten writes before a job begins; with
   `appendfsync always` the players would wait for each of them.
"""

import logging
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import FrameType
from typing import Any, Self, cast

import redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import NoSuchJobError, StopRequested
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job
from rq.timeouts import JobTimeoutException
from rq.utils import now
from rq.worker import WorkerStatus

from service.jobs import FAILURE_TTL, JOB_TIMEOUT

LEASE = 3
"""Seconds for which a running job holds its id without a renewal."""
TICK = 1.0
"""Seconds between two renewals. A job takes milliseconds, so they are rare."""
BEAT = timedelta(seconds=5)
"""The least time between two signs of life."""
WORKER_TTL = 17
"""Seconds. RQ waits for a job for 15 seconds less, so an idle worker looks round every 2 seconds."""
MAINTENANCE_INTERVAL = 2
JOB_ID = re.compile(rb"[A-Za-z0-9_-]{1,200}")
logger = logging.getLogger("rq.worker")  # with the worker's own messages
UNREACHABLE = (redis.ConnectionError, redis.TimeoutError)


class BadFunction(ValueError):
    """A job that names something else than a function of this worker."""


class Lease:
    """Holds a job's id while the `with` block runs, JOB_TIMEOUT seconds at most; then raises JobTimeoutException in it.

    Both by SIGALRM, so in the main thread only, and without a thread to start for each job.
    """

    def __init__(self, connection: redis.Redis, key: str) -> None:
        """`connection` must be used by nobody else meanwhile: the signal may come in the middle of a command."""
        self.connection, self.key = connection, key

    def __enter__(self) -> None:
        """Start the clock; the first LEASE seconds were written together with other news."""
        self.end = time.monotonic() + JOB_TIMEOUT
        signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, TICK)

    def __exit__(self, *_: object) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _tick(self, _signum: int, _frame: FrameType | None) -> None:
        if time.monotonic() >= self.end:
            raise JobTimeoutException(f"the job took more than {JOB_TIMEOUT} seconds")
        try:
            self.connection.expire(self.key, LEASE)
        except UNREACHABLE as error:
            logger.warning("the lease of %s could not be renewed: %s", self.key, error)
        signal.setitimer(signal.ITIMER_REAL, TICK)  # only now, or ticks would pile up while the server is stalled


class LeaseJob(Job):
    """A job as the worker reads it. A hash that can't be read is deleted, or its id would be taken for ever."""

    @classmethod
    def fetch(cls, id: str, connection: redis.Redis | None = None, serializer: Any = None) -> Self:  # noqa: A002 - RQ's
        """The stored job. Raises NoSuchJobError, upon which RQ turns to the next one, also for an unreadable hash."""
        try:
            return super().fetch(id, connection=connection, serializer=serializer)  # type: ignore[return-value]
        except (*UNREACHABLE, StopRequested):
            raise
        except Exception as error:
            if connection is not None and connection.delete(cls.key_for(id)):
                raise NoSuchJobError(f"job {id} was unreadable and is deleted") from error
            raise NoSuchJobError(f"no job {id}") from error


class LeaseQueue(Queue):
    """A queue as the worker reads it: entries that aren't job ids are dropped."""

    @classmethod
    def lmove(cls, connection: redis.Redis, queue_key: str, timeout: int | None) -> tuple[str, bytes] | None:
        """Move the next job id to the list of those handed out. Raises DequeueTimeout, redis.ConnectionError."""
        try:
            while (found := super().lmove(connection, queue_key, timeout)) is not None:
                if JOB_ID.fullmatch(found[1]):
                    return found  # type: ignore[no-any-return]
                connection.lrem(IntermediateQueue.get_intermediate_queue_key(queue_key), 0, found[1])
        except redis.TimeoutError as error:
            # RQ ends its loop on a timeout but waits for a lost connection to come back: a stalled server is the same.
            raise redis.ConnectionError(str(error)) from error
        return None


class LeaseWorker(SimpleWorker):
    """Runs the jobs of one queue in this process, one after the other, each under a lease."""

    queue_class = LeaseQueue
    job_class = LeaseJob
    exponential_backoff_factor = 1.0  # after the loss of the connection one attempt a second

    def __init__(self, queue_name: str, connection: redis.Redis, functions: Mapping[str, Callable[..., None]]) -> None:
        """`functions`: those that jobs may name. `connection` is changed by RQ and belongs to this worker.

        One queue only: RQ reads several by a command that forgets the job ids it hands out. Raises
        redis.ConnectionError when the server isn't there.
        """
        self.functions = functions
        self.stopping = False
        super().__init__(
            queue_name,
            connection=connection,
            serializer="json",
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_INTERVAL,
            log_job_description=False,
        )

    def run(self) -> int:
        """Work until a signal comes. The exit code: 0 after a signal, 1 when a new worker is wanted."""
        self.work(logging_level="WARNING")
        return 0 if self.stopping else 1

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run one job; whatever it raises is logged, and its id is free again FAILURE_TTL seconds later."""
        self.set_state(WorkerStatus.BUSY)  # from here on a signal waits for the end of the job
        try:
            with self.connection.pipeline() as lease:
                lease.expire(job.key, LEASE)
                lease.lrem(queue.intermediate_queue_key, 0, job.id)
                lease.execute()
            if self._succeeds(job):
                self.connection.delete(job.key)
            else:
                self.connection.expire(job.key, FAILURE_TTL)
        except UNREACHABLE as error:
            self.log.warning("Worker %s: job %s is left to its lease: %s", self.name, job.id, error)
        finally:
            self.set_state(WorkerStatus.IDLE)

    def _succeeds(self, job: Job) -> bool:
        try:
            with Lease(self.connection, job.key):
                function = self.functions.get(str(job.func_name))
                if function is None or job.instance is not None:
                    raise BadFunction(f"{job.func_name} is not one of this worker's functions")
                function(*job.args, **job.kwargs)
        except (Exception, SystemExit):  # noqa: BLE001 - no job ends the worker; it is logged with its traceback
            self.handle_exception(job, *sys.exc_info())
            return False
        return True

    def run_maintenance_tasks(self) -> None:
        """Free the ids of jobs that were handed to a worker which died before it began the lease.

        Begin it for them: a living worker renews it, for a dead one it ends. RQ's own maintenance looks after
        registries that stay empty here, under a lock that outlives its dead holder by 15 minutes.
        """
        queue = self.queues[0]
        try:
            for entry in cast("list[bytes]", self.connection.lrange(queue.intermediate_queue_key, 0, -1)):
                key = self.job_class.redis_job_namespace_prefix.encode() + entry
                if not self.connection.expire(key, LEASE, nx=True) and not self.connection.exists(key):
                    self.connection.lrem(queue.intermediate_queue_key, 0, entry)  # type: ignore[arg-type]  # bytes do
            worker_registration.clean_worker_registry(queue)
            self.last_cleaned_at = now()  # type: ignore[assignment]  # RQ declares None and assigns times
        except UNREACHABLE as error:
            self.log.warning("Worker %s: maintenance is put off: %s", self.name, error)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Show a sign of life, but not around every read and every job as RQ would."""
        if pipeline is not None or self.last_heartbeat is None or now() - self.last_heartbeat < BEAT:
            return
        try:
            with self.connection.pipeline() as beat:
                super().heartbeat(timeout, beat)
                beat.execute()
        except UNREACHABLE as error:
            self.log.warning("Worker %s: no sign of life: %s", self.name, error)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Keep the state in this process, where the signal handler asks for it."""
        self._state = state

    def set_shutdown_requested_date(self) -> None:
        """Write nothing: this is called in the signal handler, in the middle of anything."""

    def subscribe(self) -> None:
        """Listen to no remote commands: signals suffice, and a message could stop a worker or its job."""

    def check_for_suspension(self, burst: bool) -> None:
        """Never pause: `rq suspend` would be one more question before each job, and would stop the games."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Note that the end is wanted, then end: at once when idle, else after the running job."""
        self.stopping = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def register_death(self) -> None:
        """Sign off. Without a server there is nothing to sign off from; the entry expires by itself."""
        try:
            super().register_death()  # type: ignore[no-untyped-call]
        except UNREACHABLE as error:
            self.log.warning("Worker %s: could not sign off: %s", self.name, error)
