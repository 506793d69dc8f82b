"""The worker's end of the job queue: an RQ worker with leases, and with few writes.

Rules of this file:
1. A job's id is taken as long as its hash exists (as RQ's `unique`). A job that isn't over at once gives its hash an
   expiry, the lease, renewed every second: the id is free LEASE seconds after a worker has crashed, and no process has
   to notice that. A worker that crashes before leaves the id in the list of those handed out: any worker's maintenance
   gives it a lease.
2. Jobs in the store are not trusted: one that can't be read is dropped, and a job can name only the functions that the
   worker was made with. Nothing is imported for a job.
3. Nothing is written that no process reads. RQ's own bookkeeping is about ten writes before a job begins; with
   `appendfsync always` players would wait for each of them. A job's end is written with the taking of the next one.

Each override says why it exists. `tests/workers/test_rq_contract.py` tests what the overrides rely on in RQ.
"""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import FrameType
from typing import cast

import redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import StopRequested
from rq.job import Job
from rq.timeouts import JobTimeoutException
from rq.utils import now
from rq.worker import WorkerStatus

from service.jobs import FAILURE_TTL, JOB_ID, JOB_TIMEOUT
from service.runtime.logs import lower_to_warning
from workers.rq_queue import CausedJob, LeaseQueue

LEASE = 3
"""Seconds for which a running job holds its id unless the lease is renewed."""
FIRST_TICK, TICK = 0.2, 1.0
"""Seconds until the lease begins, and between two renewals. Most jobs take milliseconds and need none."""
ORPHAN_LEASE = 1
"""Seconds for which an id that was handed out stays taken if no lease begins."""
BEAT = timedelta(seconds=5)
"""The shortest time between two heartbeats."""
WORKER_TTL = 17
"""Seconds. RQ blocks for a job for 15 seconds less: an idle worker runs its maintenance every 2 seconds."""
ANSWER_TIMEOUT = 3
"""Seconds that an answer may take, beyond the wait for a job: so a dead connection is noticed within five."""
MAINTENANCE_INTERVAL = 2
RUN_CAUSED_S = 0.005
"""Seconds after the start of a job for which the job that it causes is run at once, without the queue. A scoring round
of another game may wait that much longer."""
logger = logging.getLogger("rq.worker")  # RQ's own logger: one place for all messages of a worker
OUTAGE = (redis.RedisError, OSError)
"""What a command raises whose server can't be reached, or refuses to write: that passes, and ends no worker."""
RETRY = 1.0
"""Seconds until a worker tries again what RQ itself doesn't."""


class BadFunction(ValueError):
    """A job names a function that this worker doesn't have."""


class OutageFilter(logging.Filter):
    """Passes the first message of an outage of the queue's server as a warning: RQ logs an error a second."""

    def __init__(self) -> None:
        """There is no outage yet."""
        super().__init__()
        self.is_out = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the message is logged."""
        if "could not connect" not in str(record.msg):
            return True
        lower_to_warning(record)
        was_out, self.is_out = self.is_out, True
        return not was_out


class Lease:
    """Holds a job's lease while the `with` block runs; after JOB_TIMEOUT seconds raises JobTimeoutException in it.

    Both by SIGALRM: in the main thread only, and without starting a thread for each job.
    """

    def __init__(self, connection: redis.Redis, key: str) -> None:
        """`connection` is used by nothing else meanwhile: the signal may arrive in the middle of a command."""
        self.connection, self.key = connection, key

    def __enter__(self) -> None:
        """Start the timer."""
        self.end = time.monotonic() + JOB_TIMEOUT
        signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, FIRST_TICK)

    def __exit__(self, *_: object) -> None:
        """Stop the timer."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _tick(self, _signum: int, _frame: FrameType | None) -> None:
        if time.monotonic() >= self.end:
            raise JobTimeoutException(f"the job took more than {JOB_TIMEOUT} seconds")
        try:
            self.connection.expire(self.key, LEASE)
        except OUTAGE as error:
            logger.warning("the lease of %s could not be renewed: %s", self.key, error)
        signal.setitimer(signal.ITIMER_REAL, TICK)  # last, or signals would pile up while the server is stalled


class LeaseWorker(SimpleWorker):
    """Runs the jobs of one queue in this process, one after the other, each under a lease."""

    queue_class = LeaseQueue
    exponential_backoff_factor = 1.0  # one attempt to reconnect a second; RQ would double the pause up to a minute

    def __init__(self, queue_name: str, connection: redis.Redis, functions: Mapping[str, Callable[..., None]]) -> None:
        """`functions`: those that jobs may name. `connection`: RQ changes it, so nothing else may use it.

        One queue only: RQ reads several queues by a command that forgets the job ids it hands out. Raises
        redis.ConnectionError if the server can't be reached.
        """
        self.functions = functions
        self.stopping = False
        self.outages = OutageFilter()
        super().__init__(
            queue_name,
            connection=connection,
            serializer="json",
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_INTERVAL,
            log_job_description=False,
        )

    @property
    def connection_timeout(self) -> int:
        """Seconds to wait for an answer. Overridden because RQ adds ten to the wait for a job."""
        return self.dequeue_timeout + ANSWER_TIMEOUT

    def run(self) -> int:
        """Work until a signal arrives. Returns the exit code: 0 after a signal, 1 if a new worker should start."""
        logger.addFilter(self.outages)
        try:
            self.work(logging_level="WARNING")
        finally:
            logger.removeFilter(self.outages)
        return 0 if self.stopping else 1

    def send(self, function: str, job: str, arguments: list[str | int]) -> None:
        """Enqueue a job that the running job causes, as the next one is taken: that costs no round trip of its own.

        Or run it at once, see RUN_CAUSED_S. Raises ValueError for an id that no job can have: here, not in the loop.
        """
        if not JOB_ID.fullmatch(job):
            raise ValueError(f"{job!r} is no id of a job")
        cast("LeaseQueue", self.queues[0]).caused.append(CausedJob(function, job, arguments))

    def end_without_post(self) -> None:
        """End as by a signal, unless one has come: the supervisor then starts worker and post. Any thread may call."""
        if not self.stopping:
            logger.warning("the keeper of the post process has ended; this worker ends, so that both are started again")
            os.kill(os.getpid(), signal.SIGTERM)

    def register_birth(self) -> None:
        """Enter this worker in the list. Overridden because RQ ends a worker that begins while its server is full."""
        while not self.stopping:
            try:
                super().register_birth()  # type: ignore[no-untyped-call]
            except OUTAGE as error:
                self._wait_out(error)
            except ValueError:  # it is in the list: the answer was lost
                break
            else:
                break

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> "tuple[Job, Queue] | None":
        """The next job. Overridden because RQ asks for more than the job, and ends its loop where that fails.

        A job that is lost so is enqueued again by the reconciler.
        """
        while True:
            try:
                return super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
            except OUTAGE as error:
                self._wait_out(error)

    def _wait_out(self, error: Exception) -> None:
        """Say once an outage that there is one, and wait for a moment."""
        self.log.error("Worker %s: could not connect to Redis instance: %s", self.name, type(error).__name__)
        time.sleep(RETRY)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run one job. What it raises is logged, and its id is free FAILURE_TTL seconds later.

        Overridden because RQ writes states, executions, registries and results, and has no lease.
        """
        self.set_state(WorkerStatus.BUSY)  # from here on a signal lets the job end
        try:
            keep = 0 if self._succeeds(job) else FAILURE_TTL
            cast("LeaseQueue", queue).ended = job.id.encode(), keep
        finally:
            self.set_state(WorkerStatus.IDLE)

    def _succeeds(self, job: Job) -> bool:
        try:
            with Lease(self.connection, job.key):
                function = self.functions.get(str(job.func_name))
                if function is None or job.instance is not None:
                    raise BadFunction(f"{job.func_name} is not one of this worker's functions")
                begun = time.monotonic()
                function(*job.args, **job.kwargs)
                self._run_caused(begun + RUN_CAUSED_S)
        except (Exception, SystemExit):  # noqa: BLE001 - no job ends the worker; it is logged with its traceback
            self.handle_exception(job, *sys.exc_info())
            return False
        return True

    def _run_caused(self, until: float) -> None:
        """Run what the job has caused, what that causes, and so on, until that time or a signal; the rest is enqueued.

        Ids of these jobs aren't taken: another worker may run one, too, and one of the two has no effect. One that
        fails is enqueued again by the reconciler.
        """
        queue = cast("LeaseQueue", self.queues[0])
        while len(queue.caused) == 1 and time.monotonic() < until and not self.stopping:
            caused = queue.caused.pop()
            self.functions[caused.function](*caused.arguments)

    def run_maintenance_tasks(self) -> None:
        """Free the ids of jobs whose worker crashed before their lease began, and forget those whose id is free.

        A short lease is set for each: a living worker renews it, that of a crashed one expires. Overridden because RQ's
        maintenance serves registries that stay empty here, under a lock that survives a crash for 15 minutes.
        """
        queue = self.queues[0]
        try:
            for entry in cast("list[bytes]", self.connection.lrange(queue.intermediate_queue_key, 0, -1)):
                key = self.job_class.redis_job_namespace_prefix.encode() + entry
                if not self.connection.expire(key, ORPHAN_LEASE, nx=True) and not self.connection.exists(key):
                    self.connection.lrem(queue.intermediate_queue_key, 0, entry)  # type: ignore[arg-type]  # bytes do
            worker_registration.clean_worker_registry(queue)
            self.outages.is_out = False
            self.last_cleaned_at = now()  # type: ignore[assignment]  # RQ declares None and assigns times
        except OUTAGE as error:
            self.log.info("Worker %s: maintenance is postponed: %s", self.name, error)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Send a heartbeat every few seconds. Raises StopRequested after a signal, so that an idle worker always ends.

        Overridden because RQ sends one around every read and every job, and because a StopRequested that the signal's
        handler raises is lost where a handler of logs catches it.
        """
        if self.stopping and pipeline is None:
            raise StopRequested
        if pipeline is not None or self.last_heartbeat is None or now() - self.last_heartbeat < BEAT:
            return
        try:
            with self.connection.pipeline() as beat:
                super().heartbeat(timeout, beat)
                beat.execute()
        except OUTAGE as error:
            self.log.info("Worker %s: a heartbeat could not be sent: %s", self.name, error)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Keep the state in this process, for the signal handler. Overridden because RQ writes each change."""
        self._state = state

    def set_shutdown_requested_date(self) -> None:
        """Do nothing. Overridden because RQ writes to the store here, in a signal handler, perhaps within a command."""

    def subscribe(self) -> None:
        """Don't listen to remote commands. Overridden because a message could stop a worker or its job; signals do."""

    def check_for_suspension(self, burst: bool) -> None:
        """Never pause. Overridden because `rq suspend` would stop the games, and costs a read before each job."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """End at once if idle, else after the running job. Overridden so that `run` knows whether a signal ended it."""
        self.stopping = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def register_death(self) -> None:
        """End the last job, and remove this worker's entry. Overridden because RQ raises without a server.

        Both expire anyway.
        """
        try:
            cast("LeaseQueue", self.queues[0]).finish()
            super().register_death()  # type: ignore[no-untyped-call]
        except OUTAGE as error:
            self.log.warning("Worker %s: its entry could not be removed: %s", self.name, error)
