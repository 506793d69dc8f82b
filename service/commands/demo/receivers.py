"""The mail servers of the players' side: one that keeps what comes for them, and one that hands in what they write."""

import re
import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from html import unescape
from queue import SimpleQueue
from time import monotonic, sleep
from typing import Any, Final

from aiosmtpd.controller import Controller

from service.commands.errors import CommandFailed

HOST: Final = "127.0.0.1"
_PATIENCE_S: Final = 30.0
_PAUSE_S: Final = 0.2


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
    part = mail.get_body(("plain", "html"))
    assert part is not None
    return str(part.get_content())


def find_link(text: str, mark: str) -> str:
    """The link with the mark; of `token=`, what follows it. Raises CommandFailed where there is none."""
    match = re.search(rf"[^\s\"]*{re.escape(mark)}([^\s\"<]+)", unescape(text))
    if not match:
        raise CommandFailed(f"a link with {mark} was expected")
    return match[1] if mark.endswith("=") else match[0]


def deliver(mail: EmailMessage, port: int) -> None:
    """Hand a mail in, again and again while nobody takes it, as mail servers do. Raises CommandFailed at last."""
    until = monotonic() + _PATIENCE_S
    while True:
        try:
            with smtplib.SMTP(HOST, port, timeout=_PATIENCE_S) as server:
                server.send_message(mail)
                return
        except OSError as error:  # of smtplib, too
            if monotonic() > until:
                raise CommandFailed(f"a mail was not taken: {error}") from error
            sleep(_PAUSE_S)
