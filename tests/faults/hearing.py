"""Receivers of notices for games that are played by post: one HTTP server for webhooks, one SMTP server for mails."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, NamedTuple

from aiosmtpd.smtp import Envelope

from service.post.mail.headers import read_message_id
from service.post.notices import EMAIL, TURN, WEBHOOK, WORDS_OF_TYPES
from service.runtime.clock import now_ms
from tests.support.ports import FreePort
from tests.support.waiting import patience

DOMAIN: Final = "example.org"
MAIL_FROM: Final = f"reibach@{DOMAIN}"
_TYPES: Final = {word: kind for kind, word in WORDS_OF_TYPES.items()}
_KIND: Final = re.compile(r"<([a-z]+)")
_LINK: Final = re.compile(r"https?://\S+(/confirm/\S+)")


class Heard(NamedTuple):
    """A notice as it has arrived, once more if it was sent once more."""

    id: str
    game: str
    seat: int
    type: str
    version: int
    channel: str
    arrived: int
    """In ms since 1970, by its receiver: no earlier than it left."""
    view: dict[str, Any] | None
    """Of a webhook: what it was judged by."""
    is_taken: bool = True


@dataclass
class Hearing:
    """All notices that have arrived, and those of turns for the players to take. Safe for threads."""

    deaf: int
    """Each webhook of this number is answered by 500, and not taken, once: it must come again, under the same id."""
    heard: list[Heard] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    turns: "SimpleQueue[Heard | None]" = field(default_factory=SimpleQueue)
    confirmations: "SimpleQueue[str | None]" = field(default_factory=SimpleQueue)
    """Paths of links that confirm addresses."""
    lock: Lock = field(default_factory=Lock)

    def take(self, notice: Heard) -> int:
        """Keep it; returns the status for its sender."""
        with self.lock:
            is_deaf = notice.channel == WEBHOOK and notice.id not in self.ids and len(self.heard) % self.deaf == 0
            self.ids.add(notice.id)
            self.heard.append(notice._replace(is_taken=not is_deaf))
        if notice.type == TURN and not is_deaf:
            self.turns.put(notice)
        return 500 if is_deaf else 204

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        """One mail."""
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        own_id = str(mail["Message-ID"])
        kind = _KIND.match(own_id)
        assert kind, own_id
        if kind[1] == "confirmation":
            plain = mail.get_body(("plain",))
            assert plain is not None
            link = _LINK.search(plain.get_content())
            assert link, plain.get_content()
            self.confirmations.put(link[1])
            return "250 OK"
        told = read_message_id(own_id, DOMAIN)
        assert told, own_id
        self.take(Heard(own_id, told.game, told.seat, _TYPES[kind[1]], told.version, EMAIL, now_ms(), None))
        return "250 OK"


class _Handler(BaseHTTPRequestHandler):
    hearing: Hearing

    def do_POST(self) -> None:
        arrived = now_ms()
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = content["data"]
        told = data["game"], data["seat"], content["type"], data["version"]
        status = self.hearing.take(Heard(self.headers["webhook-id"], *told, WEBHOOK, arrived, data["view"]))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 512


class Doors(NamedTuple):
    webhooks: Callable[[int], str]
    """The URL of a host with that number: each host is an address of its own."""
    smtp: int
    """Port."""


@contextmanager
def listening(hearing: Hearing) -> Iterator[Doors]:
    handler = type("Handler", (_Handler,), {"hearing": hearing})
    mailbox = FreePort(hearing, hostname="127.0.0.1", port=0, ready_timeout=patience(5))
    with _Server(("", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        mailbox.start()
        try:
            port = server.server_address[1]
            yield Doors(lambda n: f"http://127.0.{n // 250 % 250}.{n % 250 + 1}:{port}/", mailbox.port)
        finally:
            mailbox.stop()
            server.shutdown()
            thread.join()
