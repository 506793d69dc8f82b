"""The channels by which players are told something: all that differs between them, in one table.

Rule: nothing else in this room asks which channel a notice has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from service.post.attempt import Attempt, Transports
from service.post.channels.results import SendResult
from service.post.mail.notice_mail import write_mail
from service.post.notices import EMAIL, WEBHOOK, Notice
from service.post.subscriptions import Subscription, Subscriptions
from service.post.webhook_body import write_webhook


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    lease_ms: int
    """Longer than an attempt takes: another process sends the notice after that time."""
    fresh_ms: int = 0
    """For so long what a notice was judged by counts as seen right before it leaves: a look costs two reads."""
    pause_ms: int
    """Between two notices of messages to a seat: one tells those that come while it waits, too."""
    burst_ms: int = 0
    """By so much notices of messages may run ahead of the pauses; each of these tells one message."""
    is_unnamed: bool = False
    """Whether names of what gathers leave it out: outboxes have those of mails from before there were others."""
    has_gauge: bool = False
    """Whether a metric says that its server, the operator's own, is down."""
    receivers: Callable[[Subscription], Sequence[str]]
    """Of a seat, each as a text that no other has; empty: nothing may be sent. A notice's target is its digest."""
    host: Callable[[Notice, Subscription], str]
    """What an attempt waits for: hosts that hang, or take many attempts, must not hold up the others."""
    send: Callable[[Attempt, Transports], SendResult]
    end: Callable[[Subscriptions, Notice, Subscription], None]
    """Ends the receiver that has refused a notice for good, if the subscription still names it."""


def _webhooks_of(subscription: Subscription) -> list[str]:
    target = subscription.webhook
    return [] if target is None else [f"{target.url} {target.format}"]


def _webhook_host(_: Notice, subscription: Subscription) -> str:
    return "" if subscription.webhook is None else f"host {urlsplit(subscription.webhook.url).netloc}"


def _send_webhook(attempt: Attempt, transports: Transports) -> SendResult:
    target = attempt.subscription.webhook
    assert target is not None, "judged before"
    message = write_webhook(attempt, target, transports.settings.public_base)
    return transports.send_webhook(message, attempt.recheck)


def _end_webhook(subscriptions: Subscriptions, notice: Notice, sent_by: Subscription) -> None:
    if sent_by.webhook is not None:
        subscriptions.end_webhook(notice.game, notice.seat, sent_by.webhook.url)


def _addresses_of(subscription: Subscription) -> list[str]:
    return [subscription.email] if subscription.email is not None and subscription.is_confirmed else []


def _send_mail(attempt: Attempt, transports: Transports) -> SendResult:
    if transports.send_mail is None or transports.mail is None:
        return SendResult("no mail server", is_unanswered=True)
    return transports.send_mail(write_mail(attempt, transports.mail), attempt.recheck)


def _end_address(subscriptions: Subscriptions, notice: Notice, sent_by: Subscription) -> None:
    if sent_by.email is not None:
        subscriptions.end_email(notice.game, notice.seat, sent_by.email)


CHANNELS: Final = {
    WEBHOOK: Channel(
        lease_ms=20_000,  # an attempt takes 10 s
        pause_ms=10_000,
        burst_ms=50_000,  # six at once: the five seats of a game send a host 60 a minute at most
        fresh_ms=20,
        receivers=_webhooks_of,
        host=_webhook_host,
        send=_send_webhook,
        end=_end_webhook,
    ),
    EMAIL: Channel(
        lease_ms=45_000,  # an attempt takes 30 s
        pause_ms=300_000,
        is_unnamed=True,
        has_gauge=True,
        receivers=_addresses_of,
        host=lambda _notice, _subscription: "mail",
        send=_send_mail,
        end=_end_address,
    ),
}
"""By name, as deliveries show it."""
