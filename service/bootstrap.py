"""Composition root: builds the services of a process of the deployment, web or worker."""

import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from random import Random, SystemRandom
from typing import Any, Final

import redis
import structlog
from rq import Queue

from config.settings import Settings
from service.gamelog.admission import Admission
from service.gamelog.archive.places import open_archive_files
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.retention import Retention
from service.gamelog.store.heartbeat import Readiness
from service.gamelog.store.memory import MemoryGauge
from service.gamelog.store.reader import retry
from service.gamelog.store.streams import Store, connect
from service.jobs import QUEUE_NAME, connect_queue, enqueue, queue
from service.runtime.activity import ActivityClock
from service.runtime.clock import now_ms
from service.runtime.shared import shared_folder
from service.signing.deployment import Deployment, open_deployment
from service.signing.generations import read_generations
from service.signing.receipts import Receipts
from service.signing.tokens import Tokens
from service.vitals import Vitals

logger = structlog.get_logger("service.bootstrap")

_PATIENCE_S: Final = 30.0
"""How long a starting process waits for its store."""


def _new_seed() -> bytes:
    return secrets.token_bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What comes from outside the program. Tests hand in fakes."""

    clock: Callable[[], int] = now_ms
    """Milliseconds since 1970."""
    new_seed: Callable[[], bytes] = _new_seed
    """32 random bytes for a game's shuffle."""
    chance: Random = field(default_factory=SystemRandom)
    """For choices that no player can check, such as a bot's."""
    send_mail: Callable[[EmailMessage], None] | None = None
    """Hands a mail to the mail server; None where the deployment has none."""
    resolve_host: Callable[[str, int], Sequence[Any]] = socket.getaddrinfo
    """The addresses of a host and port, as socket.getaddrinfo gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The parts of a deployment that are open in this process."""

    settings: Settings
    deployment: Deployment
    store: Store
    reactions: Reactions
    games: GameLog
    readiness: Readiness
    tokens: Tokens
    receipts: Receipts
    outside: Outside
    count_queued: Callable[[], int]
    """The number of jobs that wait for a worker. Raises redis-py's errors."""
    vitals: Vitals


def open_services(settings: Settings, outside: Outside | None = None) -> Services:
    """Connect to the store and the queue of `settings`. Raises StoreUnavailable and BadDeployment."""
    client = retry(lambda: connect(settings.redis_url), _PATIENCE_S)
    deployment = retry(lambda: open_deployment(client, settings.shards, settings.keys_file), _PATIENCE_S)
    outside = outside or Outside()
    folder = shared_folder()
    jobs = queue(QUEUE_NAME, connect_queue(settings.queue_url or settings.redis_url))
    store = Store(client, deployment.shards, files=open_archive_files(settings.archive_place))
    memory = MemoryGauge(client, settings.memory_watermark)
    memory.start()
    games = GameLog(
        store,
        Reactions(_job_sender(jobs), settings.bot_delay, retention_of(settings)),
        clock=outside.clock,
        activity=ActivityClock(folder / "activity" if folder else None),
        admit=Admission(store, settings.running_bot_games, memory).admit,
    )
    services = assemble(settings, deployment, games, outside, jobs)
    services.tokens.generations = retry(lambda: read_generations(client), _PATIENCE_S)
    return services


def retention_of(settings: Settings) -> Retention:
    """How long games stay as they are."""
    return Retention.of_seconds(settings.quiet_time, settings.abandoned_time, settings.unused_time)


def _job_sender(jobs: Queue) -> Callable[[str, str, list[str | int]], None]:
    """A function that enqueues a job, by its function's name, its id and its arguments."""

    def send(function: str, job: str, arguments: list[str | int]) -> None:
        try:
            enqueue(jobs, function, arguments, job)
        except (redis.exceptions.RedisError, OSError) as error:
            # Nothing is lost: the reconciler finds the game in the due list.
            logger.warning("job not enqueued", job=job, reason=type(error).__name__)

    return send


def assemble(
    settings: Settings,
    deployment: Deployment,
    games: GameLog,
    outside: Outside | None = None,
    jobs: Queue | None = None,
) -> Services:
    """The services around a game log that is open. `jobs`: the queue; None: nothing is known of it."""
    outside = outside or Outside()
    return Services(
        settings=settings,
        deployment=deployment,
        store=games.store,
        reactions=games.reactions,
        games=games,
        readiness=Readiness(games.store),
        tokens=Tokens(deployment.token_secrets),
        receipts=Receipts(deployment.signing_keys),
        outside=outside,
        count_queued=lambda: 0 if jobs is None else jobs.count,
        vitals=Vitals(games.store, jobs, outside.clock),
    )
