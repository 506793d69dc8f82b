"""Senders of webhooks for tests, and what they send."""

import json
import socket
import time
from collections.abc import Callable
from typing import Any

from service.post.channels.address import AddressCheck
from service.post.channels.connection import Fault
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message, WebhookSender
from tests.support.receivers import Answer, client_context, receiver
from tests.support.waiting import patience

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = json.dumps({"type": "turn.started", "data": {"name": "Änne"}}, ensure_ascii=False).encode()
SHORT = 0.2
"""Seconds for an attempt that is to run out of time."""


def sender(**changes: Any) -> WebhookSender:
    """A sender that may call private addresses, and finds each name on this machine."""
    check = AddressCheck(resolve_host=resolve_to("127.0.0.1"), allow_private=True)
    values = {"check": check, "clock": now, "timeout": patience(5)}
    return WebhookSender(**values | {"context": client_context("example.org")} | changes)


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def resolve_to(*addresses: str) -> Callable[[str, int], list[Any]]:
    """A resolver that gives each name these IPv4 addresses."""
    return lambda _, port: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]


def message(port: int, scheme: str = "http", **changes: Any) -> Message:
    """A notice for the receiver at this port."""
    url = f"{scheme}://example.org:{port}/hook?a=b"
    return Message(**{"id": "g7.57.1.webhook", "url": url, "body": BODY, "secret": SECRET} | changes)


def deliver(behave: Answer, **changes: Any) -> SendResult:
    """The outcome of the first attempt at a receiver that behaves so."""
    with receiver(behave) as found:
        return sender(**changes).send(message(found.port))


def fault_of(result: SendResult) -> Fault:
    assert not result.is_refused
    return Fault(result.error)
