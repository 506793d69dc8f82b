"""The mail server of reply addresses: real SMTP and LMTP clients, a real server, games on a real store."""

import errno
import logging
import os
import smtplib
import socket
import threading
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import CapturingLogger

import workers.post.process
from config.settings import BadSetting, Settings
from service.bootstrap import Services
from service.gamelog.store.errors import StoreUnavailable
from service.post.inbox.message import LARGEST
from service.post.inbox.receiver import Receiver, Verdict
from service.post.inbox.server import InboxServer
from service.post.inbox.sieve import LARGEST_MAIL
from service.post.mail.headers import message_id
from service.signing.deployment import Deployment
from service.signing.reply_addresses import ReplyAddresses
from tests.gamelog.ledger import SHARDS, check_log
from tests.post.inbox import ADDRESSES, DOMAIN, GAME, SENDER, Table, letter, send, serving
from tests.post.processes import sender_of
from tests.support.cases import cases
from tests.support.ports import free_port
from tests.support.waiting import patience, wait_until
from workers.post.process import open_inbox, open_post


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_a_mail_is_played_and_answered(table: Table, protocol: str) -> None:
    """Over both protocols; the events are those of requests."""
    before = table.version
    with serving(table.receiver(), protocol) as server:
        kind = smtplib.LMTP if protocol == "lmtp" else smtplib.SMTP
        with kind("127.0.0.1", server.port, timeout=patience(10)) as client:
            sent = letter("take 1\n\nThanks!\n> draw", answers=message_id("turn", before, 0, GAME, "example.org"))
            assert client.sendmail("eve@example.net", [table.address(0).upper()], sent) == {}
    (answer,) = table.outbox.answers
    assert answer.is_done
    assert answer.refusal is None
    assert answer.mail == "<1@mail.example>"
    assert (answer.since, answer.until) == (before, table.version)
    assert table.types_after(before)[0] == "CardTaken"
    check_log(table.games.store, GAME)


WRONG: dict[str, Callable[[Table], str]] = {
    "another domain": lambda table: table.address(0).replace(DOMAIN, "example.org"),
    "no address": lambda _: f"postmaster@{DOMAIN}",
    "changed": lambda table: table.address(0).replace(table.address(0)[9], "7" if table.address(0)[9] != "7" else "a"),
    "another deployment": lambda _: f"{ReplyAddresses(['other']).make(GAME, 0, 'nonce')}@{DOMAIN}",
    "another game": lambda _: f"{ADDRESSES.make('b' * 24, 0, 'nonce')}@{DOMAIN}",
    "an earlier subscription": lambda table: table.address(0, "before"),
    "no subscription": lambda _: f"{ADDRESSES.make(GAME, 4, 'nonce')}@{DOMAIN}",
}


def test_wrong_addresses_are_refused_alike(table: Table) -> None:
    """The reply doesn't say what is wrong: an invalid address, one not confirmed, or a deleted subscription."""
    replies = {}
    with serving(table.receiver()) as server:

        def ask(name: str, address: str) -> None:
            with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
                send(server, letter(), address)
            replies[name] = refused.value.recipients[address]

        for name, address in WRONG.items():
            ask(name, address(table))
        table.subscribe(0, is_confirmed=False)
        ask("not confirmed", table.address(0))
        table.subscribe(0)
        table.subscriptions.delete(GAME, 0)
        ask("deleted", table.address(0))
    assert set(replies.values()) == {(550, b"5.1.1 No such address")}
    assert len(replies) == len(WRONG) + 2
    assert table.outbox.answers == []


def test_mails_of_programs_are_taken_and_ignored(table: Table) -> None:
    """Bounces, auto-replies, lists and the service's own answers: 250, nothing played, nothing answered."""
    before = table.version
    with serving(table.receiver()) as server:
        for header in ("Auto-Submitted: auto-replied", "List-Id: <x>", "X-Loop: reibach@example.org"):
            assert send(server, letter(headers=[header]), table.address(0)) == {}
        assert send(server, letter(), table.address(0), sender="") == {}
    assert table.version == before
    assert table.outbox.answers == []


class Broken:
    reply_domain = DOMAIN

    def __init__(self, receiver: Receiver, method: str, error: Exception) -> None:
        self._receiver, self._method, self._error = receiver, method, error

    def __getattr__(self, name: str) -> Any:
        if name == self._method:

            def fail(*_: object) -> None:
                raise self._error

            return fail
        return getattr(self._receiver, name)


@pytest.mark.parametrize(
    ("method", "error", "refused"),
    [
        ("find_recipient", StoreUnavailable(), smtplib.SMTPRecipientsRefused),
        ("find_recipient", ValueError("x"), smtplib.SMTPRecipientsRefused),
        ("take", ValueError("a secret"), smtplib.SMTPDataError),
    ],
)
def test_a_fault_leaves_the_mail_with_its_sender(
    table: Table, method: str, error: Exception, refused: type[Exception]
) -> None:
    """A store that is away, and errors of this service: 451, without a word of the error."""
    broken: Any = Broken(table.receiver(), method, error)
    with serving(broken) as server, pytest.raises(refused) as raised:
        send(server, letter(), table.address(0))
    assert "451" in str(raised.value)
    assert "Try again later" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_each_recipient_is_judged(table: Table) -> None:
    """LMTP has a reply for each: one plays, the other is told whose turn it is; a wrong address is refused."""
    recipients = (table.address(0), f"x@{DOMAIN}", table.address(1), table.address(1))
    with (
        serving(table.receiver(), "lmtp", recipients=2) as server,
        smtplib.LMTP("127.0.0.1", server.port, timeout=patience(10)) as client,
    ):
        client.ehlo()
        assert client.mail("eve@example.net")[0] == 250
        assert [client.rcpt(recipient)[0] for recipient in recipients] == [250, 550, 250, 452]
        assert [client.data(letter())[0], client.getreply()[0]] == [250, 250]
    assert [answer.is_done for answer in table.outbox.answers] == [True, False]


PHOTO = b"--b\r\nContent-Type: image/jpeg\r\n\r\n" + (b"x" * 900 + b"\r\n") * 4000
PAGE = b"--b\r\nContent-Type: text/html\r\n\r\n<p>draw" + b" " * 9000 + b"\r\n"
EMPTY = b"--b\r\nContent-Type: text/plain\r\n\r\n" + b"\r\n" * 9000


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_what_is_never_read_has_no_limit(table: Table, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Photos before and after the text, and more pages than are read: all but the texts is dropped as it comes in."""
    text, kept = b"--b\r\nContent-Type: text/plain\r\n\r\ndraw\r\n..\r\n", []
    head = b"Message-ID: <1@x>\r\nContent-Type: multipart/mixed;\r\n boundary=b\r\n\r\n"
    receiver = table.receiver()

    def take(_: Receiver, address: Any, content: bytes, has_no_sender: bool) -> Verdict:
        kept.append(content)
        return receiver._take(address, content, has_no_sender)

    monkeypatch.setattr(Receiver, "take", take)
    with (
        serving(receiver, protocol) as server,
        {"smtp": smtplib.SMTP, "lmtp": smtplib.LMTP}[protocol](
            "127.0.0.1", server.port, timeout=patience(10)
        ) as client,
    ):
        for parts in (PHOTO + text + PHOTO, text + PAGE * 50, text + EMPTY * 10):
            assert client.sendmail("eve@example.net", [table.address(0)], head + parts + b"--b--\r\n") == {}
    assert all(b"draw" in content and b"xxx" not in content and len(content) <= LARGEST for content in kept)
    assert all(content.count(b"\n") <= LARGEST // 16 for content in kept)  # lines take time
    assert table.outbox.answers[0].is_done


def test_large_mails_are_refused(table: Table) -> None:
    """At once where the client says how large the mail is; else after it, or the connection is closed."""
    large = b"Message-ID: <1@x>\r\n\r\ndraw\r\n" + (b"x" * 900 + b"\r\n") * (LARGEST_MAIL // 902 + 1)
    with serving(table.receiver()) as server:
        with pytest.raises(smtplib.SMTPSenderRefused, match="552"):
            send(server, large, table.address(0))
        with smtplib.SMTP("127.0.0.1", server.port, timeout=patience(30)) as client:
            client.helo()  # without SIZE
            for sent in (large, b"\r\n" * (LARGEST_MAIL // 45)):  # lines without a text take time, too
                with pytest.raises(smtplib.SMTPDataError, match="552"):
                    client.sendmail("eve@example.net", [table.address(0)], sent)
            with pytest.raises((smtplib.SMTPServerDisconnected, ConnectionError)):
                client.sendmail("eve@example.net", [table.address(0)], b"\r\n" * (LARGEST_MAIL // 4))
    with (
        serving(table.receiver(), bytes=100_000) as server,
        closing(smtplib.SMTP("127.0.0.1", server.port, timeout=patience(10))) as client,
    ):
        client.helo()
        with pytest.raises((smtplib.SMTPServerDisconnected, ConnectionError)):
            client.sendmail("eve@example.net", [table.address(0)], large)
    assert table.outbox.answers == []


def test_a_line_may_be_long(table: Table) -> None:
    """Of 10,000 bytes; a longer one is refused, and the connection goes on."""
    with serving(table.receiver()) as server, smtplib.SMTP("127.0.0.1", server.port, timeout=patience(10)) as client:
        for length, error in ((10_001, smtplib.SMTPDataError), (10_000, None)):
            sent = b"Message-ID: <1@x>\r\n\r\ndraw\r\n\r\n" + b"x" * length
            with pytest.raises(error, match="500") if error else nullcontext():
                client.sendmail("eve@example.net", [table.address(0)], sent)
    assert [answer.is_done for answer in table.outbox.answers] == [True]


def test_slow_clients_are_dropped(table: Table) -> None:
    """After the time of a connection, however busy it is; others are served meanwhile."""
    with (
        serving(table.receiver(), whole=0.5) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=patience(10)) as slow,
    ):
        assert slow.recv(100).startswith(b"220")
        slow.sendall(b"EHLO x")
        with suppress(ConnectionResetError):
            assert slow.recv(100) == b""


@pytest.mark.parametrize("limit", ["connections", "of_address"])
def test_connections_and_commands_have_limits(table: Table, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One connection too many is told to come later; the others go on; an open port is warned of."""
    monkeypatch.setattr("service.post.inbox.server.is_loopback", lambda _host: limit == "connections")
    monkeypatch.setattr("service.post.inbox.server.logger", said := CapturingLogger())
    with serving(table.receiver(), **{limit: 1}, commands=5) as server:
        with smtplib.SMTP("127.0.0.1", server.port, timeout=patience(10)) as first:
            with socket.create_connection(("127.0.0.1", server.port), timeout=patience(10)) as second:
                second.sendall(b"EHLO x\r\n")
                assert second.recv(100).startswith(b"421")
            assert [first.noop()[0] for _ in range(6)] == [250] * 5 + [421]
        assert ("warning" in {call.method_name for call in said.calls}) == (limit == "of_address")
        wait_until(lambda: send(server, letter(), table.address(0)) == {}, 5)


def test_nothing_of_a_mail_is_logged(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    """No address, no name, no text, also where something goes wrong."""
    with caplog.at_level(logging.DEBUG), serving(table.receiver()) as server:
        send(server, letter("draw"), table.address(0))
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            send(server, letter("draw"), f"wrong@{DOMAIN}")
    broken: Any = Broken(table.receiver(), "take", ValueError("eve@example.net"))
    with caplog.at_level(logging.DEBUG), serving(broken) as server, pytest.raises(smtplib.SMTPDataError):
        send(server, letter("draw"), table.address(0))
    local = table.address(0).partition("@")[0]
    for secret in (local, "eve@", "wrong@", "draw"):
        assert secret not in caplog.text


def test_the_inbox_opens_where_a_port_is_set(table: Table) -> None:
    """With the deployment's secrets: an address that it makes is one that it takes mails for."""
    deployment = Deployment.new(SHARDS)
    port = free_port()
    settings = Settings(
        reply_domain=DOMAIN,
        inbox_port=port,
        inbox_protocol="lmtp",
        smtp_url="smtp://localhost",
        mail_from=f"play@{DOMAIN}",
        public_url="https://play.example.org",
    )
    services = Services(settings, deployment, table.games)
    process = open_post(services)
    assert process.inbox is not None
    process.inbox.stop()  # it hasn't begun
    mail = sender_of(process).transports.mail
    address = mail.reply_to(GAME, 0, "nonce", b"")
    assert address is not None
    assert mail.reply_to("x" * 30, 0, "nonce", b"") is None
    server = open_inbox(services, SENDER, table.outbox)
    assert server is not None
    server.start()
    try:
        with smtplib.LMTP("127.0.0.1", port, timeout=patience(10)) as client:
            assert client.sendmail("eve@example.net", [address], letter()) == {}
    finally:
        server.stop()
    assert table.outbox.answers[0].is_done
    none = Services(Settings(), deployment, table.games)
    assert open_inbox(none, SENDER, table.outbox) is None
    assert replace(mail, reply_domain="").reply_to(GAME, 0, "nonce", b"") is None


class Counted(InboxServer):
    tried: threading.Semaphore

    def start(self) -> None:
        try:
            super().start()
        except OSError:
            self.tried.release()
            raise


def test_a_port_that_is_taken_is_waited_for(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator is told once, and mails are taken as soon as it is free."""
    logger, tried = CapturingLogger(), threading.Semaphore(0)
    monkeypatch.setattr(workers.post.process, "logger", logger)  # what is printed depends on the tests before this one
    monkeypatch.setattr(workers.post.process, "_LISTEN_AGAIN_S", 0.01)
    port, stopped = free_port(), threading.Event()
    taken = socket.create_server(("127.0.0.1", port))
    server = Counted(table.receiver(), host="127.0.0.1", port=port)
    server.tried = tried
    waiting = threading.Thread(target=workers.post.process.listen, args=(server, stopped))
    try:
        waiting.start()
        assert all(tried.acquire(timeout=patience(10)) for _ in range(3))
        taken.close()
        waiting.join(patience(10))
        assert not waiting.is_alive()
        send(server, letter(), table.address(0))
    finally:
        stopped.set()
        waiting.join()
        server.stop()
        taken.close()
    assert table.outbox.answers[0].is_done
    assert [(call.method_name, call.kwargs) for call in logger.calls] == [
        ("error", {"port": port, "reason": os.strerror(errno.EADDRINUSE)})
    ]


@pytest.mark.parametrize(
    "wrong", [*cases(__file__, "settings_that_can_not_work_are_refused"), {"reply_domain": f"{'a.' * 100}org"}], ids=str
)
def test_settings_that_can_not_work_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match="REIBACH_"):
        Settings(**wrong)
