"""Sending one mail over SMTP, with a deadline for all of it.

Rule: no `error` repeats what the server said, since servers repeat addresses; nothing here writes to the log.
"""

import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from typing import Any, Final, Self

from service.post.channels.address import CheckedAddress
from service.post.channels.connection import Deadline, connect
from service.post.channels.results import SendResult
from service.post.channels.smtp_url import MailServer, Security

_DEADLINE_S: Final = 30.0
_OPERATORS: Final = frozenset({530, 534, 535, 538})
"""Replies that are about this service's log-in, not about the recipient."""
_LONGEST_QUOTE: Final = 200
_POLICY: Final = b"5.7."
"""Enhanced status codes (RFC 3463) of a server that doesn't trust this service."""


def send_mail(
    mail: EmailMessage,
    server: MailServer,
    *,
    deadline: float = _DEADLINE_S,
    context: ssl.SSLContext | None = None,
    recheck: Callable[[], None] = lambda: None,
) -> SendResult:
    """Hand a mail with one sender and one recipient to the server, within `deadline` seconds; never raises for it.

    `context`: for TLS; None: certificates are checked against those of the system. `recheck` is called when the server
    has accepted the recipient, right before the mail leaves. What it raises is raised, and nothing is sent; it may
    raise no OSError and no ValueError. The time that the system takes to look up the host's address comes on top.
    """
    sender, recipient = (mail[name].addresses[0].addr_spec for name in ("From", "To"))
    content = mail.as_bytes()
    ends = Deadline.after(deadline)
    try:
        entries = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
        raw = connect([CheckedAddress(entry[0], entry[4]) for entry in entries], ends)
    except TimeoutError:
        return SendResult("timeout", is_unanswered=True)
    except OSError:
        return SendResult("no connection", is_unanswered=True)
    connection = _Connection(server, raw, context or ssl.create_default_context(), recheck)
    with _Watch(raw, ends.at - time.monotonic()) as watch:
        try:
            connection.open()
            connection.sendmail(sender, [recipient], content)
        except (smtplib.SMTPException, OSError, ValueError) as error:  # ValueError: an answer that is no SMTP
            return SendResult("timeout", is_unanswered=True) if watch.has_passed else _judge(error)
        else:
            # The server has the mail, whatever it answers to this.
            with suppress(smtplib.SMTPException, OSError, ValueError):
                connection.quit()
        finally:
            connection.close()
            raw.close()
    return SendResult()


class _Watch:
    """Ends a connection when its time is up, however slowly bytes still arrive."""

    def __init__(self, raw: socket.socket, seconds: float) -> None:
        self.has_passed = False
        # A copy of its own: TLS takes over the first one.
        self._socket = raw.dup()
        self._timer = threading.Timer(max(seconds, 0), self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        self._socket.close()

    def _end(self) -> None:
        self.has_passed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


class _Connection(smtplib.SMTP):
    def __init__(
        self, server: MailServer, raw: socket.socket, context: ssl.SSLContext, recheck: Callable[[], None]
    ) -> None:
        self._server, self._raw, self._context, self._recheck = server, raw, context, recheck
        super().__init__(local_hostname="[127.0.0.1]")  # so that it doesn't look up this machine's name

    def open(self) -> None:
        """Greet the server, encrypt the connection and log in, as the server's URL says."""
        self._host = self._server.host
        code, text = self.connect(self._server.host, self._server.port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, text)
        if self._server.security is Security.STARTTLS:
            self.starttls(context=self._context)
        if self._server.user:
            self.login(self._server.user, self._server.password)

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Look a last time, and send the mail: a server may have taken its time to greet and to accept."""
        self._recheck()
        return super().data(msg)

    def _get_socket(self, host: str, *_: object) -> socket.socket:
        if self._server.security is Security.TLS:
            return self._context.wrap_socket(self._raw, server_hostname=host)
        return self._raw


def _judge(error: Exception) -> SendResult:
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=recipients):
            code, text = next(iter(recipients.values()))
            return _judge_recipient(code, text)
        case smtplib.SMTPDataError(smtp_code=code):
            # Never for good: a filter may dislike the words of another player, who must not end this one's mails.
            detail = f"mail refused: {code}"
            return SendResult(detail)
        case smtplib.SMTPAuthenticationError(smtp_code=code, smtp_error=said):
            detail = f"log-in refused: {code}"
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=said) if code > 0:  # -1: the answer is no SMTP
            detail = f"server refused: {code}"
        case smtplib.SMTPNotSupportedError():
            detail, said = "server lacks STARTTLS or log-in", str(error)
        case ssl.SSLCertVerificationError(verify_message=said):
            detail = "certificate not trusted"
        case TimeoutError():
            return SendResult("timeout", is_unanswered=True)
        case _:
            return SendResult("connection lost", is_unanswered=True)
    return SendResult(detail, said=_quote(said))


def _quote(text: bytes | str) -> str:
    """On one line, without addresses."""
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    return re.sub(r"\S+@\S+", "...", " ".join(words.split()))[:_LONGEST_QUOTE]


def _judge_recipient(code: int, text: bytes | str) -> SendResult:
    said = text if isinstance(text, bytes) else text.encode(errors="replace")
    is_final = 500 <= code < 600 and code not in _OPERATORS and not said.startswith(_POLICY)
    return SendResult(f"recipient refused: {code}", is_refused=is_final)
