"""Mails handed to a real SMTP server (aiosmtpd), and to servers that misbehave."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, Envelope, Session
from structlog.testing import capture_logs

from config.settings import Settings
from service.cli import settings_from
from service.commands.errors import BadUsage
from service.post.channels.results import SendResult
from service.post.channels.smtp import send_mail
from service.post.channels.smtp_url import BadSmtpUrl, MailServer, Security, parse_smtp_url
from service.post.mail.address import BadMailAddress, check_address, parse_sender
from service.post.mail.composer import compose_link
from service.post.notices import EMAIL, WEBHOOK
from service.post.sending.receivers import _MOST_AWAY, Receivers
from tests.post.mails import all_mails, envelope, parse
from tests.support.cases import cases
from tests.support.ports import FreePort, free_port
from tests.support.receivers import client_context, server_context
from tests.support.waiting import patience

MAIL = compose_link("token", "abc", 1, envelope(recipient="anna@example.com"), "https://play.example.org/token/xyz")
PASSWORD = "s3cret-of-the-operator"


class Inbox:
    """What the server has taken, and what it answers to a recipient or to a mail."""

    def __init__(self, recipient: str = "250 OK", mail: str = "250 OK") -> None:
        self.recipient, self.mail = recipient, mail
        self.taken: list[Envelope] = []
        self.log_ins: list[str | None] = []
        self._parsed: list[EmailMessage] = []

    @property
    def mails(self) -> list[EmailMessage]:
        """Those that it has taken, or refused by their content."""
        self._parsed += [parse(taken.content) for taken in self.taken[len(self._parsed) :]]
        return self._parsed

    async def handle_RCPT(self, server: Any, session: Session, taken: Envelope, address: str, options: Any) -> str:  # noqa: N802 - aiosmtpd calls it
        taken.rcpt_tos.append(address)
        return self.recipient

    async def handle_DATA(self, server: Any, session: Session, taken: Envelope) -> str:  # noqa: N802 - likewise
        self.taken.append(taken)
        self.log_ins.append(session.auth_data and session.auth_data.login.decode())
        return self.mail


@contextmanager
def serving(inbox: Inbox, **options: Any) -> Iterator[int]:
    controller = FreePort(inbox, hostname="127.0.0.1", port=0, ready_timeout=patience(5), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def plain(port: int) -> MailServer:
    return parse_smtp_url(f"smtp://127.0.0.1:{port}")


def test_every_mail_arrives_as_it_was_composed() -> None:
    """Byte for byte, to its one recipient, and it parses without a defect."""
    inbox = Inbox()
    mails = [mail for language in ("fr", "nl") for _, mail in all_mails(language)]
    with serving(inbox) as port:
        for mail in mails:
            assert send_mail(plain(port), mail) == SendResult()
    assert [taken.content for taken in inbox.taken] == [mail.as_bytes() for mail in mails]
    for taken in inbox.taken:
        assert taken.mail_from == "reibach@example.org"
        assert taken.rcpt_tos == ["anna@example.com"]
        assert parse(taken.content)["Auto-Submitted"] in {"auto-generated", "auto-replied"}


@pytest.fixture(scope="module")
def refusing() -> Iterator[tuple[Inbox, MailServer]]:
    inbox = Inbox()
    with serving(inbox) as port:
        yield inbox, plain(port)


@pytest.mark.parametrize(("reply", "is_of_mailbox", "said"), cases(__file__, "replies_to_rcpt"))
def test_only_what_is_about_the_mailbox_counts_against_it(
    refusing: tuple[Inbox, MailServer], reply: str, is_of_mailbox: bool, said: str
) -> None:
    """All else is an outage, whose words the log has without the address."""
    inbox, server = refusing
    inbox.recipient = reply
    result = send_mail(server, MAIL)
    assert result == SendResult(f"recipient refused: {reply[:3]}", is_refused=is_of_mailbox)
    assert (result.said, result.is_outage) == ((None, False) if is_of_mailbox else (said, True))


@pytest.mark.parametrize(("reply", "is_of_mailbox", "said"), cases(__file__, "replies_to_data"))
def test_content_that_is_refused_is_an_outage(reply: str, is_of_mailbox: bool, said: str) -> None:
    """Told without words of the mail, which may be a player's, or a link; unless a code names the mailbox."""
    with serving(Inbox(mail=reply)) as port:
        result = send_mail(plain(port), MAIL)
    assert result == SendResult(f"mail refused: {reply[:3]}", is_refused=is_of_mailbox)
    assert (result.said, result.is_outage) == ((None, False) if is_of_mailbox else (said, True))


@pytest.mark.parametrize("security", [Security.STARTTLS, Security.TLS])
def test_encrypted_and_logged_in(security: Security, tmp_path: Path) -> None:
    """The certificate is checked; only then the password is sent, and a wrong one is the operator's to mend."""

    def check(_server: object, _session: object, _envelope: object, _method: object, data: Any) -> AuthResult:
        return AuthResult(success=data.password == PASSWORD.encode(), handled=False, auth_data=data)

    inbox, encrypting = Inbox(), server_context("localhost", tmp_path)
    options: dict[str, Any] = {"ssl_context": encrypting, "auth_require_tls": False}
    if security is Security.STARTTLS:
        options = {"tls_context": encrypting, "require_starttls": True, "auth_required": True}
    trusting = client_context("localhost")
    with serving(inbox, authenticator=check, **options) as port:
        server = {"host": "localhost", "port": port, "security": security, "user": "reibach"}
        good, bad = (MailServer(**server, password=password) for password in (PASSWORD, "wrong"))
        assert send_mail(good, MAIL, context=trusting) == SendResult()
        assert send_mail(bad, MAIL, context=trusting) == SendResult("log-in refused: 535")
        assert send_mail(good, MAIL) == SendResult("certificate not trusted")
    assert inbox.log_ins == ["reibach"]


def test_no_mail_without_encryption_where_it_is_asked_for() -> None:
    """A server, or a machine between, that offers no STARTTLS gets nothing."""
    inbox = Inbox()
    with serving(inbox) as port:
        server = MailServer(host="127.0.0.1", port=port, security=Security.STARTTLS, user="a", password=PASSWORD)
        assert send_mail(server, MAIL) == SendResult("server lacks STARTTLS or log-in")
    assert not inbox.taken


@contextmanager
def behaving(behave: Callable[[socket.socket], None]) -> Iterator[MailServer]:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                behave(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    yield plain(listener.getsockname()[1])
    thread.join(patience(10))
    assert not thread.is_alive()


def answering(*answers: bytes) -> Callable[[socket.socket], None]:
    """Send an answer, then one after each line or mail, and close."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(answers[0])
        stream = connection.makefile("rb")
        for answer in answers[1:]:
            line = stream.readline()
            while answer.startswith(b"250 taken") and line != b".\r\n":
                line = stream.readline()
            connection.sendall(answer)
        stream.close()

    return behave


HELLO = (b"220 hi\r\n", b"250 hi\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go\r\n")


@pytest.mark.parametrize(
    ("answers", "result"),
    [
        ((*HELLO, b"250 taken\r\n"), SendResult()),
        ((*HELLO, b"250 taken\r\n", b"500 QUIT? anna@example.com\r\n"), SendResult()),
        (HELLO, SendResult("connection lost", is_unanswered=True)),
        ((b"554 not you\r\n",), SendResult("server refused: 554")),
        ((b"HTTP/1.1 400 Bad Request\r\n",), SendResult("connection lost", is_unanswered=True)),
        ((b"\xff" * 10_000,), SendResult("server refused: 500")),
        ((b"",), SendResult("connection lost", is_unanswered=True)),
        ((b"220 hi\r\n", b"250 hi\r\n", b"550 not you\r\n"), SendResult("server refused: 550")),
    ],
    ids=range(8),
)
def test_servers_that_misbehave(answers: tuple[bytes, ...], result: SendResult) -> None:
    """A mail that was taken is delivered, whatever comes then; all else is tried again."""
    with behaving(answering(*answers)) as server:
        assert send_mail(server, MAIL) == result


def test_one_deadline_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that sends a byte now and then, forever, holds a worker no longer than a silent one."""

    def drip(connection: socket.socket) -> None:
        ended = threading.Event()
        while not ended.wait(0.02):  # until the other end is closed, which raises
            connection.sendall(b"2")

    with behaving(drip) as server:
        began = time.monotonic()
        assert send_mail(server, MAIL, deadline=0.2) == SendResult("timeout", is_unanswered=True)
        assert 0.1 < time.monotonic() - began < patience(10)


def test_dead_mail_is_told_once() -> None:
    """Nobody listens, then a server wants a log-in first, and so is the end; addresses in its words stay out.

    The first mail that is taken lets those go that wait, soon after that only a later one.
    """
    noted: list[bool] = []
    gone, now = [], [0.0]
    receivers = Receivers(1, 1, noted.append, lambda: gone.append(now[0]), lambda: now[0])

    def attempt(*answers: bytes) -> None:
        with behaving(answering(*answers)) as server:
            receivers.record(EMAIL, "mail", send_mail(server, MAIL))

    unheard = send_mail(plain(free_port()), MAIL)
    assert unheard == SendResult("no connection", is_unanswered=True)
    refusal = b"530 5.7.0 Log in first, reibach@example.org\r\n"
    with capture_logs() as lines:
        receivers.record(EMAIL, "mail", SendResult())
        receivers.record(EMAIL, "mail", unheard)
        attempt(refusal)
        attempt(*HELLO[:3], b"550 no such user\r\n")
        attempt(refusal)
    assert noted == [True, False, False, True, False]
    assert gone == [0.0]
    for now[0] in (200.0, 300.0, 300.0):
        receivers.record(EMAIL, "mail", SendResult())
    assert gone == [0.0, 300.0]
    told = [(line["log_level"], line.get("reason"), line.get("said")) for line in lines]
    assert told == [
        ("warning", "no connection", None),
        ("info", None, None),
        ("warning", "server refused: 530", "5.7.0 Log in first, ..."),
    ]


def test_hosts_that_fail_are_few() -> None:
    """Players name them: a status below 500 is no outage, and of many that fail the oldest is forgotten."""
    receivers = Receivers(1, 1, lambda _is_up: pytest.fail("this is no mail"), pytest.fail)
    receivers.record(WEBHOOK, "one", SendResult("status 404"))
    assert not receivers._away
    for number in range(3 * _MOST_AWAY):
        receivers.record(WEBHOOK, f"host {number}", SendResult("status 503", is_failing=True))
    assert [*receivers._away] == [f"host {number}" for number in range(2 * _MOST_AWAY, 3 * _MOST_AWAY)]


@pytest.mark.parametrize(("url", "server"), cases(__file__, "forms_of_the_url"))
def test_forms_of_the_url(url: str, server: list[Any]) -> None:
    found = parse_smtp_url(url)
    assert [found.host, found.port, found.security.name, found.user, found.password] == server
    assert found.password not in repr(found) or not found.password


@pytest.mark.parametrize("url", cases(__file__, "bad_urls_are_refused_and_not_repeated"))
def test_bad_urls_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(BadSmtpUrl) as refused:
        parse_smtp_url(url.format(password=PASSWORD))
    assert PASSWORD not in str(refused.value)
    assert refused.value.__cause__ is None


# Addresses of mails, refused or in their one spelling.


@pytest.mark.parametrize(("text", "address"), cases(__file__, "an_address_has_one_spelling"))
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    """In ASCII, so that every mail server takes it."""
    assert check_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *cases(__file__, "a_bad_address_is_refused_and_not_repeated"),
        "\ud800@example.org",
        f"{'a' * 65}@example.org",
        f"a@{'b' * 300}.org",
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_a_bad_address_is_refused_and_not_repeated(text: str) -> None:
    """Whatever can't be an address of one mailbox; the error doesn't hold it."""
    with pytest.raises(BadMailAddress) as refused:
        check_address(text)
    assert not text or text not in str(refused.value)


@pytest.mark.parametrize("domain", ["example.test", "club.local", "LOCALHOST"])
def test_a_reserved_domain_is_named_as_the_reason(domain: str) -> None:
    for check in (check_address, parse_sender):
        with pytest.raises(BadMailAddress, match=f"reserved: .* {domain.lower().rpartition('.')[2]}$"):
            check(f"anna@{domain}")


def test_a_sender_may_have_a_name() -> None:
    assert str(parse_sender("Reibach & Co. <a@example.org>")) == '"Reibach & Co." <a@example.org>'
    assert str(parse_sender("a@example.org")) == "a@example.org"
    for bad in ("Reibach", "a@example.org, b@example.org", "Reibach <a>", "A\r\nB: c <a@example.org>", ""):
        with pytest.raises(BadMailAddress):
            parse_sender(bad)


@pytest.mark.parametrize(("name", "value"), cases(__file__, "bad_settings"))
def test_a_bad_setting_of_mail_ends_the_start(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one line, which doesn't repeat the value; a bad scheme is named before what mail needs."""
    values = {"SMTP_URL": "smtp://localhost", "MAIL_FROM": "post@example.org", "PUBLIC_URL": "https://example.org/"}
    for key, text in values.items():
        monkeypatch.setenv(f"REIBACH_{key}", text)
    assert settings_from().public_base == "https://example.org"
    assert Settings(port=7).public_base == "http://127.0.0.1:7"
    monkeypatch.setenv(f"REIBACH_{name}", value)
    if name == "SMTP_URL":
        monkeypatch.delenv("REIBACH_MAIL_FROM")
    with pytest.raises(BadUsage, match=f"REIBACH_{name}") as failed:
        settings_from()
    assert not any(word in str(failed.value) for word in ("hush", "anna"))
    assert ("must begin with smtps://" in str(failed.value)) == (name == "SMTP_URL")
