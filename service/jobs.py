"""The sender's end of the two job queues of RQ: scoring rounds and time-outs go first, then orders and analyses.

A job only makes things quick. What is due follows from the games, a job may run twice or never, and the reconciler
enqueues again what is due and not done: so a sender doesn't retry. Jobs are named by dotted strings, so that a sender
needn't import `workers`.
"""

from collections.abc import Sequence
from typing import Final

import redis
from rq import Queue
from rq.job import Job

from service.connections.scripts import call_each

QUEUE_NAMES: Final = "reibach-urgent", "reibach"
"""A worker takes what is in the first one before what is in the second."""
SCORE_ROUND: Final = "workers.scoring.score_round"
TIME_OUT: Final = "workers.clock.time_out"
PLAY_ORDERS: Final = "workers.orders.play_orders"
JUDGE_TURNS: Final = "workers.analysis.judge_turns"
"""The names of the jobs. Another release may read them from a queue: never rename one."""
_URGENT: Final = frozenset({SCORE_ROUND, TIME_OUT})
JOB_TIMEOUT = 10
"""Seconds that one job may take before it is interrupted."""
_QUEUED_S: Final = 600
"""Seconds after which a job that has not begun is gone, such as one that was lost between the queue and its worker."""
_FAILED_S: Final = 3600
"""Seconds for which a failed job stays in RQ's registry of failed jobs."""
_LOOKED_AT: Final = 10
"""Jobs at the front of each queue that `backlog` looks at."""


class JobQueues:
    """RQ's queues, with connections of their own. Payloads are JSON.

    Unpickling would run code chosen by anyone who can write to the store.
    """

    def __init__(self, connection: redis.Redis) -> None:
        self.connection = connection
        self.urgent, self.others = (
            Queue(name, connection=connection, serializer="json", default_timeout=JOB_TIMEOUT) for name in QUEUE_NAMES
        )

    def enqueue(self, function: str, arguments: Sequence[str | int], job_id: str) -> None:
        """Enqueue `function(*arguments)`: the urgent ones, for which a table waits, and which take milliseconds, first.

        A job that is enqueued again while it waits runs once: RQ deletes it when it has run, and passes over its second
        place in the queue. Raises redis.RedisError if the queue can't be reached; nothing is lost, because the
        reconciler enqueues the job again.
        """
        try:
            self._send(function, arguments, job_id)
        except redis.ConnectionError:  # the server has closed it since the last job
            self._send(function, arguments, job_id)

    def _send(self, function: str, arguments: Sequence[str | int], job_id: str) -> None:
        queue = self.urgent if function in _URGENT else self.others
        with self.connection.pipeline() as packet:  # without it RQ sends two, and the disk is synced twice
            queue.enqueue_call(
                function,
                tuple(arguments),
                job_id=job_id,
                description=function,
                ttl=_QUEUED_S,
                result_ttl=0,
                failure_ttl=_FAILED_S,
                pipeline=packet,
            )
            packet.execute()

    @property
    def count(self) -> int:
        """The number of jobs that wait. Raises redis.RedisError."""
        return sum(call_each(self.connection, *(("LLEN", queue.key) for queue in (self.urgent, self.others))))

    def backlog(self) -> tuple[int, float | None]:
        """The number of jobs that wait, and when (in seconds since 1970) the oldest at the front of a queue came.

        None: there is none, or one that can't be read. Raises redis.RedisError.
        """
        count = self.count
        try:
            jobs = [job for queue in (self.urgent, self.others) for job in queue.get_job_ids(0, _LOOKED_AT)]
            entries = Job.fetch_many(jobs, self.connection, "json")
            return count, min((job.enqueued_at.timestamp() for job in entries if job and job.enqueued_at), default=None)
        except (ValueError, OverflowError, AttributeError, redis.ResponseError):
            return count, None
