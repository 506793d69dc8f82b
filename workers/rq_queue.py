"""The worker's side of RQ's queue: jobs are taken and ended in one round trip, and entries are not trusted.

`workers/rq_worker.py` has the rules. `tests/workers/test_rq_contract.py` tests what the override relies on in RQ.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import redis
from redis.client import Pipeline
from rq import Queue
from rq.exceptions import DequeueTimeout
from rq.job import Job

from service.jobs import JOB_ID, enqueueing

_TAKE: Final = """
-- KEYS 1 the queue   2 its list of jobs that are handed out   3 the job that has ended
-- ARGV 1 what names of jobs begin with   2 id of the job that has ended, or ""   3 seconds for which it keeps its id
-- Returns the id of the next job, and its fields where there are any; or nothing.
if ARGV[2] ~= '' then
  redis.call('LREM', KEYS[2], 0, ARGV[2])
  if ARGV[3] == '0' then
    redis.call('DEL', KEYS[3])
  else
    redis.call('EXPIRE', KEYS[3], ARGV[3])
  end
end
local id = redis.call('LMOVE', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
if not id then
  return {}
end
local fields = redis.pcall('HGETALL', ARGV[1] .. id)
return {id, fields.err and {} or fields}
"""
_TIMES: Final = frozenset({b"created_at", b"enqueued_at"})
"""Fields of a job that no worker reads. RQ takes as long for them as for all others."""
logger = logging.getLogger("rq.worker")  # as in rq_worker.py


class CausedJob(NamedTuple):
    """A job that is to be enqueued, or run at once."""

    function: str
    id: str
    arguments: list[str | int]


class LeaseQueue(Queue):
    """A queue as the worker reads it."""

    ended: tuple[bytes, int] | None = None
    """The worker's last job, and the seconds for which it keeps its id: sent to the store as the next job is taken."""
    caused: list[CausedJob]
    """Jobs that this job has caused: sent in the same packet."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """As RQ makes it."""
        super().__init__(*arguments, **options)
        self.caused = []

    @classmethod
    def dequeue_any(  # noqa: PLR0913 - RQ's
        cls,
        queues: Iterable[Queue],
        timeout: int | None,
        connection: redis.Redis,
        job_class: type[Job] | None = None,
        serializer: Any = None,
        death_penalty_class: Any = None,
    ) -> tuple[Job, Queue] | None:
        """The next job, and the only queue; None if there is none. Raises DequeueTimeout, redis.ConnectionError.

        Overridden because RQ takes a job, reads it and deletes the last one in a round trip each, two of which write;
        and because an entry or a hash that can't be read would end its loop, and hold the id for ever: both go.
        """
        del connection, job_class, serializer, death_penalty_class  # the queue has its own
        (queue,) = cast("Sequence[LeaseQueue]", queues)
        try:
            while found := queue.take(timeout):
                entry, fields = found
                if (job := queue.read_job(entry, fields)) is not None:
                    return job, queue
                queue.ended = entry, 0
        except redis.RedisError as error:
            # RQ reconnects after a lost connection, but ends its loop on a timeout or a refusal, as of a full server.
            raise redis.ConnectionError(str(error)) from error
        return None

    def take(self, timeout: int | None) -> tuple[bytes, Mapping[bytes, bytes]] | None:
        """The next entry, now in the list of those handed out, and the fields of its job, if it has any.

        Waits for it, unless `timeout` is None; raises DequeueTimeout after so many seconds. One round trip, or three
        where it has to wait: in the first the last job is ended.
        """
        prefix = Job.redis_job_namespace_prefix
        entry, keep = self.ended or (b"", 0)
        keys = self.key, self.intermediate_queue_key, prefix.encode() + entry
        with self.connection.pipeline(transaction=False) as packet:
            self._enqueue_caused(packet)
            packet.eval(_TAKE, 3, *keys, prefix, entry, keep)
            *others, found = packet.execute(raise_on_error=False)
        self.ended, self.caused = None, []
        for error in others:
            if isinstance(error, redis.RedisError):  # nothing is lost: the reconciler enqueues the job again
                logger.warning("a job could not be enqueued: %s", type(error).__name__)
        if isinstance(found, redis.RedisError):
            raise found
        if found:
            entry, fields = found
            return entry, dict(zip(fields[::2], fields[1::2], strict=True))
        if timeout is None:
            return None
        came = cast("bytes | None", self.connection.blmove(self.key, self.intermediate_queue_key, timeout))
        if came is None:
            raise DequeueTimeout(timeout, self.key)
        try:
            return came, cast("Mapping[bytes, bytes]", self.connection.hgetall(prefix.encode() + came))
        except redis.ResponseError:  # another type of key
            return came, {}

    def read_job(self, entry: bytes, fields: Mapping[bytes, bytes]) -> Job | None:
        """The job; None if that is none."""
        if not fields or not JOB_ID.fullmatch(entry.decode("latin-1")):
            return None
        job = Job(entry.decode(), connection=self.connection, serializer="json")
        try:
            job.restore({name: value for name, value in fields.items() if name not in _TIMES})
        except Exception:  # noqa: BLE001 - whatever RQ finds in what anyone may have written
            return None
        return job

    def finish(self) -> None:
        """End the last job without taking another one."""
        if self.ended:
            entry, keep = self.ended
            key = Job.redis_job_namespace_prefix.encode() + entry
            with self.connection.pipeline(transaction=False) as packet:
                self._enqueue_caused(packet)
                packet.expire(key, keep) if keep else packet.delete(key)
                packet.lrem(self.intermediate_queue_key, 0, entry)  # type: ignore[arg-type]  # bytes do
                packet.execute()
            self.ended, self.caused = None, []

    def _enqueue_caused(self, packet: Pipeline) -> None:
        for job in self.caused:
            packet.eval(*enqueueing(self, job.function, job.arguments, job.id))
