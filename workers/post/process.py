"""The post process: follows the feed, plans reminders and sends notices, each in a thread of its own."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from email.headerregistry import Address
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final

import structlog

from config.settings import Settings
from service.bootstrap import Services, open_services
from service.connections.clients import STORE_ERRORS
from service.gamelog.store.feed import Feed
from service.gamelog.store.streams import Store
from service.post.attempt import MailSettings, Transports
from service.post.channels.webhook import WebhookSender
from service.post.mail.address import parse_sender
from service.post.notices import EMAIL
from service.post.noticing.follower import READER, Follower
from service.post.noticing.notice_queue import NoticeQueue
from service.post.noticing.reminders import Reminders
from service.post.outbox import Outbox
from service.post.presence import Presence
from service.post.sending.receivers import Receivers
from service.post.sending.sender import Sender
from service.post.sending.sender_pool import THREADS, SenderPool
from service.runtime import logs
from service.runtime.guards.threads import end_with_threads
from service.runtime.periodic import Periodic
from service.signing.reply_addresses import ReplyAddresses
from service.status import MAIL_DOWN, is_held, note
from workers.counts import COUNTS
from workers.orders import note_lines
from workers.threads.periodic import PeriodicTask, make_periodic
from workers.threads.reporter import Reporter

if TYPE_CHECKING:
    from service.post.inbox.server import InboxServer

_PAUSE_S: Final = 0.25
_MANY: Final = 100
"""Lines of a pass that may have left some: `Feed.read` gives so many of a shard. Fewer wait for the next one.

While players are busy, a pass for each few lines would take the processor time of a tenth of their actions.
"""
_NICE: Final = 5
"""On a machine that is fully used, requests are answered first: a notice has seconds, a player waits."""
_REMIND_S: Final = 1.0
_LAST_ATTEMPTS_S: Final = 2.0
"""For attempts that run when the process gets SIGTERM: less than the supervisor waits."""
_LISTEN_AGAIN_S: Final = 5.0

logger = structlog.get_logger("workers.post.process")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostProcess:
    outbox: Outbox
    follower: Follower
    reminders: Reminders
    pool: SenderPool
    inbox: "InboxServer | None"
    """None where mails are not read."""


def open_post(
    services: Services, *, is_steady: Callable[[], bool] | None = None, threads: int = THREADS
) -> PostProcess:
    """The parts of post. Nothing runs yet. `is_steady`: None asks the store's clock."""
    is_steady = is_steady or services.clock.is_steady
    store, games, outside, settings = services.store, services.games, services.outside, services.settings
    outbox, subscriptions = services.outbox, services.subscriptions
    deliver = outside.send_mail
    if deliver is None and settings.smtp_url:
        from service.post.channels.smtp import send_mail
        from service.post.channels.smtp_url import parse_smtp_url

        deliver = partial(send_mail, parse_smtp_url(settings.smtp_url))
    mail = None
    if deliver is not None and settings.mail_from:
        mail = MailSettings(
            sender=parse_sender(settings.mail_from),
            public_url=settings.public_base,
            links=services.links,
            quotas=services.registrar.quotas,
            issue_token=services.tokens.issue,
            reply_addresses=ReplyAddresses(services.deployment.token_secrets),
            reply_domain=settings.reply_domain,
        )
    queue = services.registrar.queue
    sender = Sender(
        games=games,
        subscriptions=subscriptions,
        orders=services.orders,
        queue=queue,
        presence=Presence(store),
        receivers=Receivers(
            max(1, threads // 4), max(1, threads // 2), partial(_note_mail, store), partial(outbox.let_go, EMAIL)
        ),
        transports=Transports(
            settings=settings,
            send_webhook=WebhookSender(check=services.address_check, clock=outside.clock).send,
            send_mail=deliver,
            mail=mail,
            push_secret=services.deployment.push_secret,
            push_contact=services.registrar.push_contact,
        ),
        clock=outside.clock,
        is_steady=is_steady,
        chance=outside.chance,
        count=partial(COUNTS.add, "reibach_notices"),
    )
    return PostProcess(
        outbox=outbox,
        follower=Follower(Feed(store, READER), games, subscriptions, outbox, partial(note_lines, services)),
        reminders=Reminders(store, games, subscriptions, outbox, outside.clock, is_steady),
        pool=SenderPool(outbox, sender.attempt, threads),
        inbox=None if mail is None else open_inbox(services, mail.sender, queue),
    )


def open_inbox(services: Services, sender: Address, queue: NoticeQueue) -> "InboxServer | None":
    """The server of reply addresses; None where no port is set. `sender`: of the service's mails."""
    settings = services.settings
    if not settings.inbox_port:
        return None
    from service.post.inbox.player import MailPlayer  # a twentieth of a first start, for few services
    from service.post.inbox.receiver import Receiver
    from service.post.inbox.seat_mails import SeatMails
    from service.post.inbox.server import InboxServer

    receiver = Receiver(
        player=MailPlayer(games=services.games, secret=services.deployment.repeat_secret, domain=sender.domain),
        subscriptions=services.subscriptions,
        queue=queue,
        addresses=ReplyAddresses(services.deployment.token_secrets),
        mails=SeatMails(services.store),
        reply_domain=settings.reply_domain,
        sender=sender,
        clock=services.outside.clock,
    )
    return InboxServer(receiver, host=settings.inbox_host, port=settings.inbox_port, protocol=settings.inbox_protocol)


def _note_mail(store: Store, is_up: bool) -> None:
    with suppress(*STORE_ERRORS):  # the next change is noted
        note(store.client, MAIL_DOWN, int(not is_up))


def _send_due(store: Store, pool: SenderPool) -> int:
    """As the pool does, but nothing from a restored copy that hasn't been let go. Raises redis-py's errors."""
    return 0 if is_held(store.client) else pool.send_due()


class DrainTask(PeriodicTask):
    """Deals with all that is there, step by step."""

    def __init__(self, services: Services, name: str, step: Callable[[], int], many: int) -> None:
        """`step` returns what it has dealt with: `many` where some may be left."""
        super().__init__(services, name, _PAUSE_S)
        self._step = step
        self._many = many

    def run_once(self) -> int:
        count, done = 0, self._many
        while done >= self._many and not self._stop.is_set():
            done = self._step()
            count += done
        return count


def listen(inbox: "InboxServer", stopped: Event) -> None:
    """Start the inbox, as soon as its port can be had: without it notices are still sent, and mails wait elsewhere."""
    is_known = False
    while not stopped.is_set():
        try:
            inbox.start()
        except OSError as error:
            if not is_known:
                reason = os.strerror(error.errno or 0)
                logger.error("no mails can be taken until the port is free", port=inbox.port, reason=reason)
            is_known = True
            stopped.wait(_LISTEN_AGAIN_S)
        else:
            return


def run(settings: Settings) -> int:
    """Work until a signal arrives; returns the exit code. Raises StoreUnavailable and BadDeployment."""
    stopped = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopped.set())
    os.nice(_NICE)
    logs.configure(settings.log)
    end_with_threads()
    services = open_services(replace(settings, memory_watermark=0))  # this process opens no games
    process = open_post(services)
    if not services.registrar.push_contact and (settings.public_url or settings.trusted_proxies):
        logger.warning("no push is sent or offered: it needs mail, or REIBACH_PUBLIC_URL as https: and a public name")
    if is_held(services.store.client):
        logger.warning("nothing is sent: this store is a restored copy. `reibach resend` lets it send")
    tasks: list[Periodic] = [
        DrainTask(services, "feed", process.follower.follow, _MANY),
        make_periodic("reminders", process.reminders.add_due, _REMIND_S),
        DrainTask(services, "pool", partial(_send_due, services.store, process.pool), 1),
        Reporter(services, is_worker=False),
    ]
    for task in tasks:
        task.start()
    if process.inbox is not None:
        listen(process.inbox, stopped)
    stopped.wait()
    if process.inbox is not None:
        process.inbox.stop()
    for task in tasks:
        task.stop()
    process.pool.wait(_LAST_ATTEMPTS_S)
    return 0
