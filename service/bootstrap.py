"""Composition root: builds the services of a process of the deployment: web, worker or post."""

import secrets
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from math import inf
from random import Random, SystemRandom
from threading import BoundedSemaphore
from typing import Any, Final, TypeAlias

import redis
import structlog

from config.settings import Settings
from domain.fairness.canonical import hmac_sha256
from service.connections.clients import connect, connect_queue
from service.gamelog.admission import Admission
from service.gamelog.archive.retention import Retention
from service.gamelog.live.hub import Hub
from service.gamelog.log import GameLog
from service.gamelog.orders.book import OrderBook
from service.gamelog.reactions import Reactions
from service.gamelog.store.analyses import Analyses
from service.gamelog.store.breaker import COMMON_ROOM, ThreadRoom
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.health.guard import StoreGuard
from service.gamelog.store.health.heartbeat import Readiness
from service.gamelog.store.health.memory import MemoryGauge
from service.gamelog.store.health.poller import start_polling
from service.gamelog.store.reader import retry
from service.gamelog.store.streams import Store
from service.jobs import JobQueues
from service.post.channels.address import AddressCheck
from service.post.channels.results import SendResult
from service.post.mail.address import push_contact
from service.post.noticing.notice_queue import NoticeQueue
from service.post.outbox import Outbox
from service.post.quotas import MailQuotas
from service.post.recovery import TokenRecovery
from service.post.registration import Registrar
from service.post.subscriptions import Subscriptions
from service.runtime.clock import now_ms
from service.runtime.shared import known_identity, remember_identity
from service.signing.deployment import Deployment, open_deployment
from service.signing.links import Links
from service.signing.receipts import Receipts
from service.signing.tokens import Tokens
from service.status import StatusReader

logger = structlog.get_logger("service.bootstrap")

SendJob: TypeAlias = Callable[[str, str, list[str | int]], None]
"""Enqueues a job, by its function's name, its id and its arguments."""
_PATIENCE_S: Final = 30.0
"""How long a starting process waits for its store."""
_LOADING_S: Final = 600.0
"""How long it waits for a store that says that it is reading its files: a million games take minutes."""
_MOST_SENDING: Final = 32
"""Threads of a process that enqueue a job at the same time."""
_QUEUE_PAUSE_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What comes from outside the program. Tests hand in fakes."""

    clock: Callable[[], int] = now_ms
    """Milliseconds since 1970. Another one than this counts in the place of the store's clock.

    In the services that are made with it, it is the clock that counts: the store's, or the one handed in.
    """
    new_seed: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    """32 random bytes for a game's shuffle."""
    chance: Random = field(default_factory=SystemRandom)
    """For choices that no player can check, such as a bot's."""
    send_mail: Callable[[EmailMessage, Callable[[], None]], SendResult] | None = None
    """Hands a mail over, as Transports.send_mail; None: to the mail server of the settings, if they name one."""
    resolve_host: Callable[[str, int], Sequence[Any]] = socket.getaddrinfo
    """The addresses of a host and port, as socket.getaddrinfo gives them."""


def retention_of(settings: Settings) -> Retention:
    archives = settings.archive != "off"
    return Retention(
        finished_ms=round(1000 * settings.archive_after) if archives else None,
        abandoned_ms=(archives and round(1000 * settings.abandoned_after)) or None,
        unused_ms=round(1000 * settings.delete_unused_after) or None,
    )


def job_sender(jobs: JobQueues) -> SendJob:
    """A function that enqueues a job at once, or says in the log that it couldn't.

    Nothing is lost where it doesn't: the reconciler finds the game in the due list. So a queue that hangs holds up only
    a few threads, and is left alone for a second after each failure.
    """
    places, failed_at = BoundedSemaphore(_MOST_SENDING), -inf

    def send(function: str, job: str, arguments: list[str | int]) -> None:
        nonlocal failed_at
        if time.monotonic() - failed_at < _QUEUE_PAUSE_S or not places.acquire(blocking=False):
            return
        try:
            jobs.enqueue(function, arguments, job)
        except (redis.exceptions.RedisError, OSError) as error:
            failed_at = time.monotonic()
            logger.warning("job not enqueued", job=job, reason=type(error).__name__)
        finally:
            places.release()

    return send


def _make_clock(store: Store, outside: Outside) -> StoreClock:
    return StoreClock(store, instead=None if outside.clock is now_ms else outside.clock)


class Services:
    """What a process works with, around a game log that is open."""

    def __init__(  # noqa: PLR0913 - what a process or a test hands in
        self,
        settings: Settings,
        deployment: Deployment,
        games: GameLog,
        outside: Outside | None = None,
        jobs: JobQueues | None = None,
        clock: StoreClock | None = None,
        guard: StoreGuard | None = None,
        hub: Hub | None = None,
    ) -> None:
        """`jobs`: the queues; None: nothing is known of it.

        `clock`, `hub`: None makes one. `guard`: None takes any store for the deployment's.
        """
        outside = outside or Outside()
        self.settings, self.deployment = settings, deployment
        self.games, self.store, self.reactions = games, games.store, games.reactions
        self.clock = clock or _make_clock(games.store, outside)
        self.outside = replace(outside, clock=self.clock.now_ms)
        self.hub = hub or Hub(games)
        self.guard = guard
        self.orders = OrderBook(games)
        self.analyses = Analyses(games.store, self.clock.now_ms)
        self.readiness = Readiness(games.store, is_wrong_store=lambda: guard is not None and guard.is_wrong)
        self.status = StatusReader(games.store, jobs, self.clock.now_ms)
        self.tokens = Tokens(deployment.token_secrets)
        self.receipts = Receipts(deployment.signing_keys)
        self.links = Links(deployment.token_secrets)
        self._jobs = jobs

        secret = hmac_sha256(deployment.game_secret, b"reibach/mails\n")
        self.outbox = Outbox(games.store, self.clock.now_ms)
        self.subscriptions = Subscriptions(games.store, secret)
        self.address_check = AddressCheck(
            resolve_host=outside.resolve_host, allow_private=settings.webhook_allow_private
        )
        queue, quotas = NoticeQueue(self.outbox, games), MailQuotas(games.store, secret, settings.new_addresses_a_day)
        takes_mail = bool(settings.smtp_url) or outside.send_mail is not None
        self.registrar = Registrar(
            self.subscriptions,
            queue,
            games,
            self.address_check,
            quotas,
            takes_mail=takes_mail,
            push_contact=push_contact(settings.mail_from if takes_mail else "", settings.public_url),
        )
        self.recovery = TokenRecovery(
            games.store, self.subscriptions, queue, quotas, deployment.repeat_secret, self.clock.now_ms
        )

    def count_queued(self) -> int:
        """The number of jobs that wait for a worker. Raises redis-py's errors."""
        return 0 if self._jobs is None else self._jobs.count


def open_services(
    settings: Settings,
    outside: Outside | None = None,
    *,
    loading_s: float = _LOADING_S,
    room: ThreadRoom = COMMON_ROOM,
    count_lost: Callable[[int], None] = lambda _events: None,
) -> Services:
    """Connect to the store and the queue of `settings`. Raises StoreUnavailable, WrongStore and BadDeployment.

    `loading_s`: how long to wait for a store that reads its files; `room`: for threads that wait for the store;
    `count_lost`: of GameLog.
    """
    client = retry(lambda: connect(settings.redis_url), _PATIENCE_S)
    known = known_identity()
    deployment = retry(
        lambda: open_deployment(client, settings.shards, settings.keys_file, known), _PATIENCE_S, loading=loading_s
    )
    remember_identity(deployment.identity)
    outside = outside or Outside()
    jobs = JobQueues(connect_queue(settings.queue_url or settings.redis_url))
    files = open_archive_files(settings.archive_place)
    store = Store(client, deployment.shards, files=files, replicas=settings.replicas, room=room)
    memory = MemoryGauge(client, settings.memory_watermark)
    clock = _make_clock(store, outside)
    games = GameLog(
        store,
        Reactions(job_sender(jobs), settings.bot_delay, retention_of(settings)),
        clock=clock.now_ms,
        admit=Admission(store, settings.running_bot_games, memory).admit,
        count_lost=count_lost,
    )
    hub = Hub(games)
    guard = StoreGuard(client, deployment, settings.keys_file, (store.scripts.disconnect, hub.end_all))
    retry(clock.now_ms, _PATIENCE_S)
    services = Services(settings, deployment, games, outside, jobs, clock, guard, hub)
    # At last: a process that can't be opened polls nothing.
    start_polling(clock.measure, guard.check, *([memory.read] if settings.memory_watermark else []))
    return services
