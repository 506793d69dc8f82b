"""The mail server of reply addresses: SMTP or LMTP, over aiosmtpd, in a thread of its own.

Rule 1: 250 to a mail means that nothing of it can be lost: see `Receiver`. A fault of this service is a 451.
Rule 2: nothing of a mail, and no address, reaches a log line.
Rule 3: a connection has limits in time, bytes, commands and recipients, and there are only so many of them.
"""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final

import structlog
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session, syntax

from service.connections.loopback import is_loopback
from service.gamelog.store.errors import StoreUnavailable
from service.post.inbox.receiver import Receiver, Verdict
from service.post.inbox.sieve import LARGEST_MAIL, Sieve
from service.signing.reply_addresses import ReplyAddress

logger = structlog.get_logger("service.post.inbox")
# aiosmtpd's own: it writes addresses, which are secrets here. A level stays where all loggers are enabled again.
logging.getLogger("mail.log").setLevel(logging.CRITICAL + 1)

LMTP_PROTOCOL: Final = "lmtp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What clients may take. Times are in seconds."""

    connections: int = 50
    of_address: int = 10
    """Connections of one address, unless it is this machine's."""
    recipients: int = 10
    """Of a mail; more get 452, and the client sends them the mail again."""
    commands: int = 100
    """Of each kind in a connection."""
    bytes: int = 4 * LARGEST_MAIL
    """Of a connection: also lines that never end."""
    idle: float = 60.0
    """Between two commands; for a mail's bytes and what is done with it together."""
    whole: float = 600.0
    """A connection."""
    workers: int = 4
    """Threads that play mails."""


class InboxServer:
    def __init__(
        self, receiver: Receiver, *, host: str, port: int, protocol: str = "smtp", limits: Limits | None = None
    ) -> None:
        """`protocol`: `smtp` or `lmtp`; `port` 0: any that is free, then in `self.port`."""
        self.port = port
        self._host = host
        self._limits = limits or Limits()
        self._receiver = receiver
        self._class = _LmtpSession if protocol == LMTP_PROTOCOL else _Limited
        self._open: set[_Limited] = set()
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(self._limits.workers, thread_name_prefix="inbox"))
        self._thread = Thread(target=self._loop.run_forever, name="inbox", daemon=True)
        self._server: asyncio.Server | None = None

    def start(self) -> None:
        """Begin to listen. Raises OSError where the port can't be had; it may be called again then."""
        listening = self._loop.create_server(self._make_session, self._host, self.port)
        self._server = self._loop.run_until_complete(listening)
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread.start()
        logger.info("mails are taken", host=self._host, port=self.port)
        if not is_loopback(self._host):
            logger.warning("mails are taken from other machines: only your mail server should reach this port")

    def stop(self) -> None:
        """Stop listening and drop the connections; a mail that is being played is played to the end."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for session in list(self._open):
            session.drop()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_default_executor()

    def _make_session(self) -> asyncio.BaseProtocol:
        return self._class(
            self,
            self._open,
            self._limits,
            data_size_limit=LARGEST_MAIL,
            enable_SMTPUTF8=True,
            hostname=self._receiver.reply_domain,
            ident="Reibach",
            timeout=self._limits.idle,
            command_call_limit=self._limits.commands,
            loop=self._loop,
        )

    # aiosmtpd calls these.

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= self._limits.recipients:
            return "452 4.5.3 Too many recipients"
        try:
            recipient = await asyncio.to_thread(self._receiver.find_recipient, address)
        except StoreUnavailable:
            return Verdict.LATER.value
        if recipient is None:
            return Verdict.UNKNOWN.value
        envelope.rcpt_tos.append(address)
        assert isinstance(server, _Limited)
        server.recipients[address] = recipient
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - likewise
        """Play the mail for each recipient. SMTP has one reply for all of them, LMTP one for each."""
        assert isinstance(envelope.content, bytes)
        has_no_sender = envelope.mail_from in {"", "<>"}
        assert isinstance(server, _Limited)
        if server.sieve.size > LARGEST_MAIL:
            count = len(envelope.rcpt_tos) if isinstance(server, LMTP) else 1
            return "\r\n".join(["552 5.3.4 Too much mail data"] * count)
        verdicts = []
        for address in envelope.rcpt_tos:
            mail = server.recipients[address], envelope.content, has_no_sender
            verdicts.append(await asyncio.to_thread(self._receiver.take, *mail))
        server.recipients.clear()
        if isinstance(server, LMTP):
            return "\r\n".join(verdict.value for verdict in verdicts)
        # A mail that is sent again is not played again for those who had it.
        order = (Verdict.LATER, Verdict.TAKEN, Verdict.UNKNOWN)
        return min(verdicts, key=order.index).value

    async def handle_exception(self, error: Exception) -> str:
        """A fault of this service: the client keeps the mail."""
        logger.error("a mail can't be taken", error=type(error).__name__)
        return Verdict.LATER.value


class _Limited(SMTP):
    """A connection with a limit for its time and its bytes, and one for the number of connections."""

    line_length_limit = 10_002
    """Bytes, the line break included: some programs write a paragraph as one line."""
    _reader: Any

    def __init__(self, handler: InboxServer, opened: "set[_Limited]", limits: Limits, **options: Any) -> None:
        super().__init__(handler, **options)
        self._opened = opened
        self._limits = limits
        self.address = ""
        self.sieve = Sieve(None)
        self.recipients: dict[str, ReplyAddress] = {}
        self._bytes = 0
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.address = str((transport.get_extra_info("peername") or [""])[0])
        others = 0 if is_loopback(self.address) else sum(other.address == self.address for other in self._opened)
        if len(self._opened) >= self._limits.connections or others >= self._limits.of_address:
            transport.write(b"421 4.3.2 Too many connections\r\n")
            transport.set_protocol(asyncio.Protocol())  # which passes over what the client sends
            transport.close()
            return
        self._opened.add(self)
        self._end = self.loop.call_later(self._limits.whole, self.drop)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._opened.discard(self)
        if self._end is not None:
            self._end.cancel()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._bytes > self._limits.bytes or self.sieve.size > 2 * LARGEST_MAIL:
            self.drop()
        else:
            super().data_received(data)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        reader = self._reader
        self._reader = self.sieve = Sieve(reader)
        try:
            await super().smtp_DATA(arg)
        finally:
            self._reader = reader

    def drop(self) -> None:
        if isinstance(self.transport, asyncio.Transport):
            self.transport.abort()


class _LmtpSession(_Limited, LMTP):
    pass
