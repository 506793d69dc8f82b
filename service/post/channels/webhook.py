"""Webhooks: one attempt to deliver a notice, signed as Standard Webhooks asks.

https://www.standardwebhooks.com. What is sent, and to which URL, is the caller's to know.

Rules: the name is never resolved again, no redirect is followed, and no proxy of the environment is used. Only the head
of an answer is read.
"""

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Final, cast

from standardwebhooks import Webhook

from service.post.channels.address import AddressCheck, AddressRefused
from service.post.channels.connection import Deadline, Fault, Stream, connect
from service.post.channels.results import SendResult

TIMEOUT_S: Final = 10.0
"""For one attempt: resolving the name, connecting, sending, and the head of the answer."""
_FAULTS: Final[Mapping[type[Exception], Fault]] = {
    AddressRefused: Fault.ADDRESS,
    TimeoutError: Fault.TIMEOUT,
    ssl.SSLError: Fault.TLS,
    OSError: Fault.CONNECTION,
    EOFError: Fault.CONNECTION,
    HTTPException: Fault.ANSWER,
}
"""By what an attempt raises: the first of which it is an instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: str
    """The same in each attempt: receivers drop what they have had already."""
    url: str = field(repr=False)
    """Of a chat service it is a secret."""
    body: bytes = field(repr=False)
    """JSON; may hold what only one seat may see."""
    secret: str | None = field(repr=False)
    """`whsec_` and base64; None sends the body unsigned, as chat services take it."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Beside those of every request."""
    gone: frozenset[int] = field(default=frozenset({410}), repr=False)
    """The statuses by which the receiver says that it has unsubscribed, or is gone."""


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
    context: ssl.SSLContext = field(default_factory=tls_context)
    timeout: float = TIMEOUT_S

    def send(self, message: Message, recheck: Callable[[], None] = lambda: None) -> SendResult:
        """Make one attempt.

        `recheck` is called when the connection is open, right before the request leaves. What it raises is raised, and
        nothing is sent; it may raise no OSError. What the network or the receiver does is a result, never an exception.
        """
        deadline = Deadline(time.monotonic() + self.timeout)
        try:
            status, retry_after = self._post(message, recheck, deadline)
        except tuple(_FAULTS) as error:
            fault = next(fault for kind, fault in _FAULTS.items() if isinstance(error, kind))
            return SendResult(fault.value, is_unanswered=True)
        if 200 <= status < 300:
            return SendResult()
        if 300 <= status < 400:
            return SendResult(Fault.REDIRECT.value, retry_after=retry_after)
        is_refused, is_failing = status in message.gone, status >= 500
        return SendResult(f"status {status}", is_refused, is_failing=is_failing, retry_after=retry_after)

    def _post(self, message: Message, recheck: Callable[[], None], deadline: Deadline) -> tuple[int, str | None]:
        """The answer's status, and its header `Retry-After`. Raises one of _FAULTS, and what `recheck` raises."""
        target = self.check.check(message.url, deadline.remaining())
        with (
            Stream(connect(target.addresses, deadline), deadline) as plain,
            plain.encrypt(self.context, target.host) if target.scheme == "https" else plain as stream,
        ):
            recheck()
            headers = {"Host": target.authority, "Content-Length": str(len(message.body)), "Connection": "close"}
            headers |= {"Content-Type": "application/json", "User-Agent": "reibach", **message.headers}
            connection = HTTPConnection(target.host, target.port)
            connection.sock = cast("socket.socket", stream)
            connection.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
            for name, value in (headers | _sign(message, self.clock())).items():
                connection.putheader(name, value)
            connection.endheaders(message.body)
            with HTTPResponse(connection.sock, method="POST") as response:
                response.begin()
                return response.status, response.headers.get("Retry-After")


def _sign(message: Message, now: int) -> dict[str, str]:
    if message.secret is None:
        return {}
    at = datetime.fromtimestamp(now // 1000, UTC)
    signature = Webhook(message.secret).sign(message.id, at, message.body.decode())
    return {"webhook-id": message.id, "webhook-timestamp": str(now // 1000), "webhook-signature": signature}
