"""Sending one mail over SMTP, with a deadline for all of it.

Rule: no `error` repeats what the server said, since servers repeat addresses; `said` is without them; nothing here
writes to the log.
"""

import re
import smtplib
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from http.client import HTTPException
from typing import Any, Final, cast

from service.post.channels.address import CheckedAddress
from service.post.channels.connection import Deadline, Stream, connect
from service.post.channels.results import SendResult
from service.post.channels.smtp_url import MailServer, Security

_DEADLINE_S: Final = 30.0
_OF_MAILBOX: Final = frozenset({"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"})
"""Enhanced status codes (RFC 3463) that say there is no such mailbox, or no longer."""
_ENHANCED: Final = re.compile(r"(?:^|#)([245]\.\d{1,3}\.\d{1,3})(?![\w.])")
"""At the beginning; of qmail in brackets at the end."""
_WITHOUT_CODE: Final = frozenset({550, 551, 553})
"""Replies that are about the mailbox where they have no such code, and none of these words."""
_OF_SENDER: Final = re.compile(
    r"(?i)quota|limit|exceed|too many|log.?in|auth|credential|relay|rcpthosts|polic|denied|\bsender|\bspf|dkim|dmarc"
    r"|reputation|block|black|\b(dns|r)bl\b|banned|spam|unsolicited|suspicious|\bhelo\b|host ?name|\bptr\b|\bip\b"
)
"""About this service: its quota, log-in, rights, reputation."""
_LONGEST_QUOTE: Final = 200


def send_mail(
    server: MailServer,
    mail: EmailMessage,
    recheck: Callable[[], None] = lambda: None,
    *,
    deadline: float = _DEADLINE_S,
    context: ssl.SSLContext | None = None,
) -> SendResult:
    """Hand a mail with one sender and one recipient to the server, within `deadline` seconds; never raises for it.

    `context`: for TLS; None: certificates are checked against those of the system. `recheck` is called when the server
    has accepted the recipient, right before the mail leaves. What it raises is raised, and nothing is sent; it may
    raise no OSError and no ValueError. The time that the system takes to look up the host's address comes on top.
    """
    sender, recipient = (mail[name].addresses[0].addr_spec for name in ("From", "To"))
    content = mail.as_bytes()
    ends = Deadline(time.monotonic() + deadline)
    try:
        entries = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
        stream = Stream(connect([CheckedAddress(entry[0], entry[4]) for entry in entries], ends), ends)
    except TimeoutError:
        return SendResult("timeout", is_unanswered=True)
    except OSError:
        return SendResult("no connection", is_unanswered=True)
    connection = _Connection(server, stream, context or ssl.create_default_context(), recheck)
    with stream:
        try:
            connection.open()
            connection.sendmail(sender, [recipient], content)
        except _FAILURES as error:
            has_passed = time.monotonic() >= ends.at  # smtplib says of a timeout that the connection is lost
            return SendResult("timeout", is_unanswered=True) if has_passed else _judge(error, mail)
        else:
            # The server has the mail, whatever it answers to this.
            with suppress(*_FAILURES):
                connection.quit()
        finally:
            connection.close()
    code, said = connection.taken
    return SendResult(answer=f"{code} {_quote(said)}"[:_LONGEST_QUOTE])


_FAILURES: Final = (smtplib.SMTPException, OSError, ValueError, HTTPException)
"""The last two: of an answer that is no SMTP, or too long."""


class _Connection(smtplib.SMTP):
    def __init__(
        self, server: MailServer, stream: Stream, context: ssl.SSLContext, recheck: Callable[[], None]
    ) -> None:
        self._server, self._stream, self._context, self._recheck = server, stream, context, recheck
        super().__init__(local_hostname="[127.0.0.1]")  # so that it doesn't look up this machine's name

    def open(self) -> None:
        """Greet the server, encrypt the connection and log in, as the server's URL says."""
        self._host = self._server.host
        code, text = self.connect(self._server.host, self._server.port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, text)
        if self._server.security is Security.STARTTLS:
            self.starttls(context=cast("ssl.SSLContext", self))
        if self._server.user:
            self.login(self._server.user, self._server.password)

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Look a last time, and send the mail: a server may have taken its time to greet and to accept."""
        self._recheck()
        self.taken = super().data(msg)
        return self.taken

    def wrap_socket(self, stream: Stream, server_hostname: str) -> Stream:
        """What `starttls` calls of its context."""
        return stream.encrypt(self._context, server_hostname)

    def _get_socket(self, host: str, *_: object) -> socket.socket:
        is_encrypted = self._server.security is Security.TLS
        return cast("socket.socket", self.wrap_socket(self._stream, host) if is_encrypted else self._stream)


def _judge(error: Exception, mail: EmailMessage) -> SendResult:
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=recipients):
            code, text = next(iter(recipients.values()))
            return _judge_refusal("recipient refused", code, text, mail)
        case smtplib.SMTPDataError(smtp_code=code, smtp_error=text):
            return _judge_refusal("mail refused", code, text, mail)
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
    return SendResult(detail, said=_quote(said)[:_LONGEST_QUOTE])


def _quote(text: bytes | str) -> str:
    """On one line, without addresses."""
    words = text if isinstance(text, str) else text.decode(errors="replace")
    return re.sub(r"\S+(@|://)\S+", "...", " ".join(words[: 10 * _LONGEST_QUOTE].split()))


def _judge_refusal(detail: str, code: int, text: bytes | str, mail: EmailMessage) -> SendResult:
    """Whether the refusal is about the mailbox. If not, it is about this service, and its words are kept."""
    said, name = _quote(text), re.escape(mail["To"].addresses[0].username)
    enhanced = _ENHANCED.search(said) if detail == "recipient refused" else _ENHANCED.match(said)
    # Without a code a filter may dislike the words of another player, who must not end this one's mails.
    is_of_mailbox = detail == "recipient refused" and code in _WITHOUT_CODE and not _OF_SENDER.search(said)
    if code >= 500 and (enhanced[1] in _OF_MAILBOX if enhanced else is_of_mailbox):
        return SendResult(f"{detail}: {code}", is_refused=True, answer=said[:_LONGEST_QUOTE])
    if detail == "mail refused":  # it may quote these words, or a link
        words = " ".join(
            [mail["Subject"], *(part.get_content() for part in mail.walk() if part.get_content_type() == "text/plain")]
        ).lower()
        said = re.sub(r"\w{4,}|[^\W\d]+", lambda word: "..." if word[0].lower() in words else word[0], said)
    said = re.sub(rf"(?i)(?<!\w){name}(?!\w)", "...", said)
    return SendResult(f"{detail}: {code}", said=re.sub(r"\.{3}(\W+\.{3})+", "...", said)[:_LONGEST_QUOTE])
