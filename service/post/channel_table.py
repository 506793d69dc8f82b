"""The channels by which players are told something: all that differs between them, in one table.

Rule: nothing else in this room asks which channel a notice has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from service.post.channels.results import UNSENT, SendResult
from service.post.notices import CONFIRMATION, EMAIL, PUSH, WEBHOOK, Notice
from service.post.subscriptions import FORMATS, WORDS, Subscription

if TYPE_CHECKING:
    from service.post.attempt import Attempt, Transports


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    lease_ms: int
    """Longer than an attempt takes: another process sends the notice after that time."""
    pause_ms: int
    """Between two notices to a seat that gather: one tells those that come while it waits, too."""
    burst_ms: int = 0
    """By so much notices of messages may run ahead of the pauses; each of these tells one message."""
    gathers_consents: bool = False
    """Whether notices of consents are gathered, too, as those of messages are."""
    joins_end: bool = False
    """Whether the notice of the end tells of the last scoring round, too, and of the analysis."""
    words: frozenset[str] = frozenset(WORDS)
    """Which of those that a subscription can ask for it tells."""
    is_unnamed: bool = False
    """Whether names of what gathers leave it out: outboxes have those of mails from before there were others."""
    has_gauge: bool = False
    """Whether a metric says that its server, the operator's own, is down."""
    receivers: Callable[[Subscription], Mapping[str, str]]
    """Of a seat, by place, each as a text that no other has; empty: nothing may be sent. Its digest is the target."""
    is_program: Callable[[Subscription], bool] = lambda _: False
    """Whether a program reads it, which gets each event by itself."""
    is_shared: Callable[[Subscription], bool] = lambda _: False
    """Whether seats that name the same receiver get one notice of what isn't a turn of one of them."""
    host: Callable[[Notice, Subscription], str]
    """What an attempt waits for: hosts that hang, or take many attempts, must not hold up the others."""
    send: "Callable[[Attempt, Transports], SendResult]"
    tells_end: bool = False
    """Whether a mail says that a receiver has ended since it has refused a notice for good."""
    patience_ms: int = 0
    """A receiver ends only when it refuses notices for so long; then it stays, as refused. 0: it goes at once."""


def _is_of_chat(subscription: Subscription) -> bool:
    return subscription.webhook is not None and subscription.webhook.format != FORMATS[0]


def _send_webhook(attempt: "Attempt", transports: "Transports") -> SendResult:
    from service.post.bodies.webhook_body import write_webhook  # not in all processes that know the channels

    return transports.send_webhook(write_webhook(attempt, transports), attempt.recheck)


def _send_mail(attempt: "Attempt", transports: "Transports") -> SendResult:
    from service.post.mail.notice_mail import write_mail

    if transports.send_mail is None or transports.mail is None:
        return SendResult("no mail server", is_unanswered=True)
    notice, address = attempt.notice, attempt.subscription.email
    quotas, seat = transports.mail.quotas, f"{notice.game}/{notice.seat}"
    if notice.type == CONFIRMATION and not quotas.may_ask(address or "", notice.id, seat):
        return UNSENT
    return transports.send_mail(write_mail(attempt, transports.mail), attempt.recheck)


def _push(attempt: "Attempt", transports: "Transports") -> SendResult:
    from service.post.bodies.push_body import write_push

    if not transports.push_contact:
        return SendResult("no contact")
    return transports.send_webhook(write_push(attempt, transports), attempt.recheck)


CHANNELS: Final = {
    WEBHOOK: Channel(
        lease_ms=20_000,  # an attempt takes 10 s
        pause_ms=12_000,
        burst_ms=48_000,  # five at once: the five seats of a game and its chats send a host 60 a minute at most
        receivers=lambda kept: {} if kept.webhook is None else {"": kept.webhook.receiver},
        is_program=lambda subscription: not _is_of_chat(subscription),
        is_shared=_is_of_chat,
        host=lambda _, kept: "" if kept.webhook is None else f"host {urlsplit(kept.webhook.url).netloc}",
        send=_send_webhook,
        tells_end=True,
    ),
    PUSH: Channel(
        lease_ms=20_000,
        pause_ms=60_000,
        words=frozenset(WORDS) - {"scoring"},
        receivers=lambda subscription: {place: device.endpoint for place, device in subscription.devices.items()},
        host=lambda notice, kept: f"host {kept.devices[notice.place].host}" if notice.place in kept.devices else "",
        send=_push,
    ),
    EMAIL: Channel(
        lease_ms=45_000,  # an attempt takes 30 s
        pause_ms=300_000,
        gathers_consents=True,
        joins_end=True,
        is_unnamed=True,
        has_gauge=True,
        receivers=lambda kept: {} if kept.confirmed_email is None else {"": kept.confirmed_email},
        host=lambda _notice, _subscription: "mail",
        patience_ms=86_400_000,
        send=_send_mail,
    ),
}
"""By name, as deliveries show it."""
