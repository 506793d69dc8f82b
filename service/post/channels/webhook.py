"""Webhooks: one attempt to deliver a notice, signed as Standard Webhooks asks, and when to try again.

https://www.standardwebhooks.com. What is sent, to which URL, and which attempts there were is the caller's to know.
"""

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import Final

from standardwebhooks import Webhook

from service.post.channels.address import AddressCheck, AddressRefused
from service.post.channels.connection import Deadline, Fault, PostFailed, post

RETRY_DELAYS_S: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 86_400)
"""Seconds from one attempt to the next: nine attempts in 66 hours."""
RETRY_PERIOD_S: Final = 3 * 86_400
"""No attempt begins later than so many seconds after the first."""
JITTER: Final = 0.1
"""The share by which a delay is longer or shorter, so that receivers that fail together aren't called together."""
MAX_RETRY_AFTER_S: Final = 86_400
"""A receiver can ask for no longer pause than the longest of ours."""
TIMEOUT_S: Final = 10.0
"""For one attempt: resolving the name, connecting, sending, and the head of the answer."""
_SECONDS: Final = re.compile(r"[0-9]+")
_MOST_DIGITS: Final = 18
"""That are read: they are more than MAX_RETRY_AFTER_S."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one receiver gets."""

    id: str
    """The same in each attempt: receivers drop what they have had already."""
    url: str = field(repr=False)
    """Of a chat service it is a secret."""
    body: bytes = field(repr=False)
    """JSON; may hold what only one seat may see."""
    secret: str | None = field(repr=False)
    """`whsec_` and base64; None sends the body unsigned, as chat services take it."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver answered 2xx."""

    status: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The attempt failed."""

    fault: Fault
    status: int | None
    """Of the answer, if there was one."""
    retry_at: int | None
    """Milliseconds since 1970; None: there is no further attempt."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The receiver answered 410: it wants nothing any more, and nothing may be sent to this URL again."""

    status: int = 410


Outcome = Delivered | Failed | Gone


def tls_context() -> ssl.SSLContext:
    """TLS 1.2 or newer with the system's certificates. Reading them takes about 25 ms: make one for each process."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSender:
    """Delivers messages; threads may share it."""

    check: AddressCheck
    clock: Callable[[], int]
    """Milliseconds since 1970."""
    chance: Random
    context: ssl.SSLContext = field(default_factory=tls_context)
    timeout: float = TIMEOUT_S
    """Seconds."""

    def send(
        self, message: Message, attempt: int, first_at: int, recheck: Callable[[], None] = lambda: None
    ) -> Outcome:
        """Make attempt number `attempt` (from 1 on); the first one was made at `first_at` (milliseconds since 1970).

        `recheck` is called when the connection is open, right before the request leaves. What it raises is raised, and
        nothing is sent; it may raise no OSError. What the network or the receiver does is an outcome, never an
        exception.
        """

        def write_headers() -> dict[str, str]:
            recheck()
            return {"Content-Type": "application/json", "User-Agent": "reibach"} | _sign(message, self.clock())

        deadline = Deadline.after(self.timeout)
        try:
            destination = self.check.check(message.url, deadline.remaining())
            answer = post(destination, message.body, write_headers, self.context, deadline)
        except AddressRefused:
            return self._fail(Fault.ADDRESS, attempt, first_at)
        except PostFailed as failed:
            return self._fail(failed.fault, attempt, first_at)
        match answer.status:
            case status if 200 <= status < 300:
                return Delivered(status)
            case 410:
                return Gone()
            case status:
                fault = Fault.REDIRECT if 300 <= status < 400 else Fault.STATUS
                return self._fail(fault, attempt, first_at, status, answer.retry_after)

    def _fail(
        self, fault: Fault, attempt: int, first_at: int, status: int | None = None, retry_after: str | None = None
    ) -> Failed:
        return Failed(fault, status, next_attempt(attempt, first_at, self.clock(), retry_after, self.chance))


def _sign(message: Message, now: int) -> dict[str, str]:
    """The headers of Standard Webhooks."""
    if message.secret is None:
        return {}
    at = datetime.fromtimestamp(now // 1000, UTC)
    signature = Webhook(message.secret).sign(message.id, at, message.body.decode())
    return {"webhook-id": message.id, "webhook-timestamp": str(now // 1000), "webhook-signature": signature}


def next_attempt(attempt: int, first_at: int, now: int, retry_after: str | None, chance: Random) -> int | None:
    """When to try again after attempt number `attempt` failed at `now`; None if it was the last one.

    All times in milliseconds since 1970. The receiver's `Retry-After` can put an attempt off, never bring it forward.
    """
    if attempt > len(RETRY_DELAYS_S):
        return None
    delay = RETRY_DELAYS_S[attempt - 1] * chance.uniform(1 - JITTER, 1 + JITTER)
    asked = min(_seconds(retry_after, now), MAX_RETRY_AFTER_S)
    at = now + round(1000 * max(delay, asked))
    return at if at - first_at <= 1000 * RETRY_PERIOD_S else None


def _seconds(retry_after: str | None, now: int) -> float:
    """The pause that the header asks for, in seconds; 0 if there is none or it can't be read."""
    text = (retry_after or "").strip()
    if _SECONDS.fullmatch(text):
        return int(text[:_MOST_DIGITS])
    try:
        return parsedate_to_datetime(text).timestamp() - now / 1000
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0
