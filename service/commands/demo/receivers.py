"""What receives on the players' side: a mail server with one mailbox, and a receiver of webhooks."""

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

from aiosmtpd.controller import Controller
from standardwebhooks import Webhook, WebhookVerificationError

HOST: Final = "127.0.0.1"


class Mailbox:
    def __init__(self) -> None:
        self.mails: SimpleQueue[EmailMessage] = SimpleQueue()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        mail = message_from_bytes(envelope.content, policy=SMTP)
        assert isinstance(mail, EmailMessage)
        self.mails.put(mail)
        return "250 OK"


@contextmanager
def open_mailbox(port: int) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    controller = Controller(mailbox, hostname=HOST, port=port)
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def answer_mail(mail: EmailMessage, sender: str, lines: list[str], port: int) -> None:
    """Answer a mail as a mail program does, with the old text quoted below."""
    reply = EmailMessage(policy=SMTP)
    reply["From"], reply["To"], reply["Subject"] = sender, mail["Reply-To"], f"Re: {mail['Subject']}"
    reply["Message-ID"] = f"<answer.{mail['Message-ID'].strip('<>')}>"
    reply["In-Reply-To"] = reply["References"] = mail["Message-ID"]
    quoted = [f"> {line}" for line in text_of(mail).splitlines()]
    reply.set_content("\n".join([*lines, "", "On Monday Reibach & Co. wrote:", *quoted, ""]))
    with smtplib.SMTP(HOST, port, timeout=20) as server:
        server.send_message(reply)


class WebhookReceiver:
    """Keeps the bodies of signed requests, each id once; what isn't signed with `secret` gets 401."""

    def __init__(self) -> None:
        self.bodies: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.secret = ""
        self._seen: set[str] = set()

    def receive(self, headers: dict[str, str], body: bytes) -> int:
        """The status that answers a request."""
        try:
            content = Webhook(self.secret).verify(body.decode(), headers)
        except (WebhookVerificationError, RuntimeError, ValueError):
            return 401
        if headers["webhook-id"] not in self._seen:
            self._seen.add(headers["webhook-id"])
            self.bodies.put(content)
        return 204


@contextmanager
def open_receiver() -> Iterator[tuple[WebhookReceiver, str]]:
    receiver = WebhookReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(receiver.receive(headers, body))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield receiver, f"http://{HOST}:{server.server_port}/turns"
        finally:
            server.shutdown()
