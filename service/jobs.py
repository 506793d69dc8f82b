"""The sender's end of the job queue: what a process needs to ask for a scoring round or a bot's turn.

Jobs are accelerators. What is due stands in the game streams, every job may run twice or never, and the reconciler
asks again for whatever is due and not done. So the queue never waits for certainty: a lost job is asked for again.
Jobs are named by dotted string, so that a sender need not import `workers`.
"""

from collections.abc import Sequence
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.exceptions import DuplicateJobError

QUEUE_NAME = "reibach"
SCORE_ROUND: Final = "workers.scoring.score_round"
PLAY_TURN: Final = "workers.bots.play_turn"
"""The jobs by name. They stand in queues that another release may read: never rename one."""
JOB_TIMEOUT = 10
"""Seconds that one job may take before it is interrupted."""
FAILURE_TTL = 2
"""Seconds for which a failed job keeps its id: it isn't tried again in a hot loop, and soon enough."""
CONNECT_TIMEOUT = 1.0
ANSWER_TIMEOUT = 3.0
"""Seconds to wait for the queue's server. A worker raises the second for its blocking read."""


def connect_queue(url: str) -> redis.Redis:
    """A client for the queue alone. RQ changes the timeouts of its pool, so it is never shared with the log.

    Answers are bytes, as RQ needs them. No command is repeated after an error: it could become a second write.
    """
    return redis.Redis.from_url(
        url,
        protocol=2,
        decode_responses=False,
        socket_connect_timeout=CONNECT_TIMEOUT,
        socket_timeout=ANSWER_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )


def queue(name: str, connection: redis.Redis) -> Queue:
    """The queue `name`; payloads are JSON, for a pickle would be code of whoever can write to the store."""
    return Queue(name, connection=connection, serializer="json", default_timeout=JOB_TIMEOUT)


def enqueue(queue: Queue, function: str, args: Sequence[str | int], job_id: str) -> bool:
    """Ask for `function(*args)`; False when the job `job_id` is already queued, running or has just failed.

    `job_id` consists of letters, digits, `_` and `-`; anything else is a ValueError. Raises redis.RedisError when the
    queue can't be reached: nothing is lost by that, the reconciler asks again.
    """
    try:
        queue.enqueue_call(
            function,
            args=tuple(args),
            timeout=JOB_TIMEOUT,
            result_ttl=0,
            failure_ttl=FAILURE_TTL,
            description=function,
            job_id=job_id,
            unique=True,
        )
    except DuplicateJobError:
        return False
    return True
