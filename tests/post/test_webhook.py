"""What a webhook sends, and where to, against real receivers; what good and broken ones answer."""

import contextlib
import json
import random
import socket
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from service.post.channels.address import AddressCheck
from service.post.channels.connection import MAX_ANSWER, Fault
from service.post.channels.results import MAX_RETRY_AFTER_S, RETRY_DELAYS_S, RETRY_PERIOD_S, SendResult, next_attempt
from tests.support.cases import cases
from tests.support.ports import free_port
from tests.support.receivers import Answer, Connection, answer, client_context, receiver, server_context
from tests.support.waiting import patience
from tests.support.webhooks import BODY, SECRET, SHORT, deliver, fault_of, message, resolve_to, sender


@pytest.fixture(autouse=True)
def _no_other_resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the resolver that was handed in resolves a name."""
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **kw: real(host, *rest, **kw) if host == "127.0.0.1" else 1 / 0
    )


# What is sent


def test_the_receiver_can_check_the_signature() -> None:
    """With the standard's own library; a changed body fails."""
    with receiver(answer()) as found:
        assert sender().send(message(found.port)) == SendResult()
    [(line, headers, body)] = found.requests
    assert line == "POST /hook?a=b HTTP/1.1"
    assert Webhook(SECRET).verify(body, headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body + b" ", headers)
    assert headers["host"] == f"example.org:{found.port}"
    assert headers["content-type"] == "application/json"
    assert (headers["webhook-id"], headers["connection"]) == ("g7.57.1.webhook", "close")


def test_a_message_shows_no_secret() -> None:
    """What a logger may print of it has no key, no path of a chat service's URL and nothing of a view."""
    assert repr(message(1)) == "Message(id='g7.57.1.webhook')"
    target = AddressCheck(resolve_host=resolve_to(), allow_private=True).parse(message(1).url)
    assert "hook" not in repr(target)


# Where it is sent


def test_tls_asks_for_the_name_and_checks_it(tmp_path: Path) -> None:
    """The connection goes to an address, SNI and certificate are those of the URL's host."""
    with receiver(answer(), server_context("example.org", tmp_path)) as found:
        assert sender().send(message(found.port, "https")) == SendResult()
    assert found.names == ["example.org"]
    assert Webhook(SECRET).verify(found.requests[0][2], found.headers)


@pytest.mark.parametrize("trusted", ["example.org", "other.example"])
def test_a_wrong_certificate(trusted: str, tmp_path: Path) -> None:
    """Of another host, or by an issuer that isn't known: nothing is sent."""
    host = {"example.org": "other.example", "other.example": "example.org"}[trusted]
    with receiver(answer(), server_context(host, tmp_path)) as found:
        outcome = sender(context=client_context(trusted)).send(message(found.port, "https"))
    assert fault_of(outcome) is Fault.TLS
    assert not found.requests


def test_a_receiver_without_tls() -> None:
    with receiver(answer("400 Bad Request")) as found:
        outcome = sender(timeout=SHORT).send(message(found.port, "https"))
    assert fault_of(outcome) in {Fault.TLS, Fault.TIMEOUT}
    assert BODY not in [body for _, _, body in found.requests]


def test_an_answer_of_the_resolver_that_flips() -> None:
    """The name is resolved once, and the connection goes to that answer: a second one would lead inside."""
    answers = iter(["127.0.0.1", "127.0.0.2"])

    def resolve(host: str, port: int) -> list[Any]:
        return resolve_to(next(answers))(host, port)

    with receiver(answer()) as found:
        check = AddressCheck(resolve_host=resolve, allow_private=True)
        assert sender(check=check).send(message(found.port)) == SendResult()
    assert found.connections == 1
    assert list(answers) == ["127.0.0.2"]


def test_a_name_that_has_become_private_is_not_called() -> None:
    """The check is made at each delivery, not only at the registration."""
    answers = iter(["8.8.8.8", "127.0.0.1"])

    def resolve(host: str, port: int) -> list[Any]:
        return resolve_to(next(answers))(host, port)

    check = AddressCheck(resolve_host=resolve)
    url = "https://example.org:8443/"
    assert check.check(url, patience(5)).addresses[0].sockaddr == ("8.8.8.8", 8443)
    outcome = sender(check=check).send(message(1, url=url))
    assert fault_of(outcome) is Fault.ADDRESS
    assert next(answers, None) is None


def test_the_next_address_is_called() -> None:
    check = AddressCheck(resolve_host=resolve_to("127.0.0.9", "127.0.0.1"), allow_private=True)
    with receiver(answer()) as found:
        assert sender(check=check).send(message(found.port)) == SendResult()


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert deliver(answer()) == SendResult()


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_inward_is_a_failure(status: str) -> None:
    with receiver(answer()) as inner:
        outcome = deliver(answer(status, f"Location: http://127.0.0.1:{inner.port}/"))
        assert fault_of(outcome) is Fault.REDIRECT
        assert inner.connections == 0


@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "429 Slow", "500 Error", "503 Busy"])
def test_an_answer_that_is_not_2xx_is_tried_again(status: str) -> None:
    """After the pause that it asks for; but 410 ends the webhook."""
    expected = SendResult(f"status {status[:3]}", is_failing=status[0] == "5", retry_after="9")
    assert deliver(answer(status, "Retry-After: 9")) == expected
    assert deliver(answer("410 Gone")) == SendResult("status 410", is_refused=True)


def reset(connection: Connection) -> None:
    linger = b"\1\0\0\0\0\0\0\0"
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def head(connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")


def behaving(begins: str, repeats: str, times: int) -> Answer:
    """Sends, in Latin-1, what an answer begins with, then one thing again and again; `times`: at once, 0: slowly."""

    def behave(connection: Connection) -> None:
        connection.send(begins.encode("latin-1"))
        if repeats:
            connection.repeat(repeats.encode("latin-1") * max(times, 1), 0 if times else 0.01)

    return behave


BROKEN: dict[str, tuple[Answer, Fault]] = {
    "hangs": (Connection.hang, Fault.TIMEOUT),
    "resets": (reset, Fault.CONNECTION),
    **{name: (behaving(*sent), Fault[fault]) for name, (fault, *sent) in cases(__file__, "broken").items()},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_receiver(name: str) -> None:
    """The attempt fails, in time, and is tried again; the connection is closed, or the receiver would go on."""
    behave, fault = BROKEN[name]
    seconds = SHORT if fault is Fault.TIMEOUT else patience(5)
    assert fault_of(deliver(behave, timeout=seconds)) is fault


def test_a_receiver_that_reads_slowly() -> None:
    """It takes a little of a long body at a time; the attempt still ends with its own time."""
    body = b" " * 16_000_000

    def read_slowly() -> None:
        connection, _ = server.accept()
        with connection, contextlib.suppress(ConnectionError):
            while count := len(connection.recv(65_536)):
                read.append(count)
                pause.wait(0.01)

    pause, read = threading.Event(), []
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        server.bind(("127.0.0.1", 0))
        server.listen()
        reader = threading.Thread(target=read_slowly)
        reader.start()
        outcome = sender(timeout=SHORT).send(message(server.getsockname()[1], body=body))
        pause.set()
        reader.join(patience(20))
    assert fault_of(outcome) is Fault.TIMEOUT
    assert sum(read) < len(body)
    assert fault_of(sender().send(message(free_port()))) is Fault.CONNECTION  # nobody listens


@pytest.mark.parametrize("body", [b"a" * 10_000_000, b""])
def test_the_body_of_an_answer_is_not_read(body: bytes) -> None:
    """10 MB, or one that never comes: the status has said it all, and the connection is closed."""

    def behave(connection: Connection) -> None:
        head(connection)
        connection.send(body)
        connection.hang()

    assert deliver(behave) == SendResult()


def test_a_handshake_that_hangs() -> None:
    """TLS that is never answered ends with the time, like an answer that never comes."""
    spent = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for scheme in ("http", "https"):
            began = time.monotonic()
            outcome = sender(timeout=SHORT).send(message(silent.getsockname()[1], scheme))
            spent.append(time.monotonic() - began)
            assert fault_of(outcome) is Fault.TIMEOUT
    assert spent[1] < 20 * spent[0]


def test_a_limit_of_the_answer_is_exact() -> None:
    """An answer whose head has the most bytes that are read counts."""
    begin, line = b"HTTP/1.1 200 OK\r\n", b"A: " + b"a" * 995 + b"\r\n"
    lines = line * ((MAX_ANSWER - len(begin)) // len(line))
    assert deliver(lambda connection: connection.send(begin + lines + b"\r\n")) == SendResult()
    assert fault_of(deliver(lambda connection: connection.send(begin + lines + line + b"\r\n"))) is Fault.ANSWER


# When a failed delivery is tried again.


def test_the_delays() -> None:
    """About 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then daily to three days."""
    chance, first, at, attempt, delays = random.Random(2), 1_000_000, 1_000_000, 1, []
    while (following := next_attempt(attempt, first, at, None, chance)) is not None:
        delays.append((following - at) / 1000)
        at, attempt = following, attempt + 1
    assert [round(delay / about) for delay, about in zip(delays, RETRY_DELAYS_S, strict=True)] == [1] * 8
    assert len({round(delay / about, 6) for delay, about in zip(delays, RETRY_DELAYS_S, strict=True)}) == 8, "no jitter"
    assert at - first <= 1000 * RETRY_PERIOD_S


@pytest.mark.parametrize(
    ("header", "seconds"), [*cases(__file__, "retry_after"), ("9" * 5000, MAX_RETRY_AFTER_S), (None, 0)]
)
def test_retry_after(header: str | None, seconds: int) -> None:
    """Seconds or a date, up to a day; what is shorter than the delay, or no such header, changes nothing."""
    at = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    following = next_attempt(1, at, at, header, random.Random(3))
    assert following is not None
    assert following - at == 1000 * seconds if seconds else 4_500 <= following - at <= 5_500


@given(st.integers(1, 12), st.integers(0, 4 * 86_400), st.none() | st.text() | st.integers().map(str), st.randoms())
def test_attempts_end_after_three_days(attempt: int, age: int, header: str | None, chance: random.Random) -> None:
    """However many they are, early ones too: a receiver puts each off by a day at most, and not beyond the third."""
    at = 1_800_000_000_000
    following = next_attempt(attempt, at, at + 1000 * age, header, chance)
    if following is None:
        assert 1000 * age + 1100 * MAX_RETRY_AFTER_S > 1000 * RETRY_PERIOD_S
    else:
        assert 0 < following - (at + 1000 * age) <= 1100 * MAX_RETRY_AFTER_S
        assert following - at <= 1000 * RETRY_PERIOD_S
