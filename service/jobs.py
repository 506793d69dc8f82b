"""The sender's end of the job queue: enqueues scoring rounds and time-outs, which go first, and all other jobs.

A job only makes things quick. What is due follows from the games, a job may run twice or never, and the reconciler
enqueues again what is due and not done: so a sender doesn't retry. Jobs are named by dotted strings, so that a sender
needn't import `workers`.
"""

import json
import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import redis
from rq import Queue
from rq.job import Job, JobStatus

from service.connections.scripts import Script, ScriptRunner, call_each

QUEUE_NAME = "reibach"
SCORE_ROUND: Final = "workers.scoring.score_round"
PLAY_TURN: Final = "workers.bots.play_turn"
TIME_OUT: Final = "workers.clock.time_out"
PLAY_ORDERS: Final = "workers.orders.play_orders"
JUDGE_TURNS: Final = "workers.analysis.judge_turns"
"""The names of the jobs. Another release may read them from a queue: never rename one."""
_URGENT: Final = frozenset({SCORE_ROUND, TIME_OUT})
JOB_TIMEOUT = 10
"""Seconds that one job may take before it is interrupted."""
_EXPIRES: Final = 600
"""Seconds after which a job that no worker has deleted is gone, such as one that was lost with its worker."""
JOB_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
_ENQUEUE: Final = Script.load("enqueue.lua", room="service")
_SEARCHED: Final = 1000
"""The longest queue in which a job is looked for that has its hash, and may have lost its place."""
_TIMES: Final = Script.load("enqueued_at.lua", room="service")
_LOOKED_AT: Final = 100
"""Jobs at the front of the queue that `oldest_job_at` looks at."""


class JobQueue(Queue):
    """RQ's queue, with connections of its own for what is enqueued. Payloads are JSON.

    Unpickling would run code chosen by anyone who can write to the store.
    """

    def __init__(self, name: str, connection: redis.Redis) -> None:
        super().__init__(name, connection=connection, serializer="json", default_timeout=JOB_TIMEOUT)
        self.scripts = ScriptRunner(connection)


def queue(name: str, connection: redis.Redis) -> JobQueue:
    return JobQueue(name, connection)


def enqueue(queue: JobQueue, function: str, args: Sequence[str | int], job_id: str) -> bool:
    """Enqueue `function(*args)`; False if the job `job_id` is already queued.

    Scoring rounds and time-outs go to the front: everyone at the table waits for a round, a deadline is to be kept, and
    both take milliseconds. The front can't be crowded out for long: new rounds come only from requests and from bots'
    turns, which wait behind it, and a turn times out once.

    `job_id` consists of letters, digits, `_` and `-`, at most 200; anything else is a ValueError. Raises
    redis.RedisError if the queue can't be reached; nothing is lost, because the reconciler enqueues the job again.
    """
    script, keys, *words = enqueueing(queue, function, args, job_id)
    try:
        return bool(queue.scripts.run(script, keys, *words))
    except redis.ConnectionError:  # the server has closed it since the last job
        return bool(queue.scripts.run(script, keys, *words))


def enqueueing(queue: Queue, function: str, args: Sequence[str | int], job_id: str) -> tuple[Any, ...]:
    """The call of the script that enqueues as `enqueue` does: one round trip, where RQ makes two that write.

    The fields are those of RQ's own job, which takes ten times as long to make; a test compares them.
    """
    if not JOB_ID.fullmatch(job_id):
        raise ValueError(f"{job_id!r} is no id of a job")
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    fields = (
        *("created_at", now),
        *("data", zlib.compress(json.dumps([function, None, args, {}]).encode())),
        *("origin", queue.name),
        *("description", function),
        *("enqueued_at", now),
        *("timeout", JOB_TIMEOUT),
        *("result_ttl", 0),
        *("status", JobStatus.QUEUED.value),
    )
    push = "LPUSH" if function in _URGENT else "RPUSH"
    key = Job.redis_job_namespace_prefix + job_id
    keys = key, queue.key, queue.redis_queues_keys
    return _ENQUEUE, keys, job_id, push, _SEARCHED, _EXPIRES, *fields


def oldest_job_at(queue: Queue) -> tuple[int, int | None]:
    """The number of queued jobs, and when (ms since 1970) the oldest of the first hundred was enqueued.

    None: there is none. One round trip. Raises redis.RedisError.
    """
    look = _TIMES, [queue.key], Job.redis_job_namespace_prefix, _LOOKED_AT
    count, times = call_each(queue.connection, ("LLEN", queue.key), look)
    moments = [moment for at in times if at and (moment := _moment(at)) is not None]
    return count, round(min(moments) * 1000) if moments else None


def _moment(at: bytes) -> float | None:
    """The time in seconds since 1970; None where anyone has written something else into a job."""
    try:
        return datetime.fromisoformat(at.decode()).timestamp()
    except (ValueError, OverflowError):
        return None
