"""What receivers of webhooks answer, good and broken ones."""

import contextlib
import socket
import threading
import time

import pytest

from service.post.channels.connection import MAX_ANSWER, Fault
from service.post.channels.webhook import Delivered, Failed, Gone
from tests.support.receivers import Answer, Connection, answer
from tests.support.waiting import patience
from tests.support.webhooks import SHORT, deliver, fault_of, message, now, sender


@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "429 Slow", "500 Error", "503 Busy"])
def test_an_answer_that_is_not_2xx_is_tried_again(status: str) -> None:
    """After about 5 s at first; the player sees the status."""
    outcome = deliver(answer(status), clock=lambda: 1_000_000)
    assert isinstance(outcome, Failed)
    assert (outcome.fault, outcome.status) == (Fault.STATUS, int(status[:3]))
    assert outcome.retry_at is not None
    assert 4_500 <= outcome.retry_at - 1_000_000 <= 5_500


def test_gone() -> None:
    """410 ends the webhook, whatever else the answer says."""
    assert deliver(answer("410 Gone", "Retry-After: 5")) == Gone()


def test_retry_after_is_honoured() -> None:
    """If it asks for more than the next delay."""
    outcome = deliver(answer("503 Busy", "Retry-After: 120"), clock=lambda: 1_000_000)
    assert outcome == Failed(Fault.STATUS, 503, 1_120_000)


def reset(connection: Connection) -> None:
    """End the connection with RST."""
    linger = b"\1\0\0\0\0\0\0\0"
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def head(connection: Connection) -> None:
    """The head of an answer that has a long body."""
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")


BROKEN: dict[str, tuple[Answer, Fault]] = {
    "hangs": (Connection.hang, Fault.TIMEOUT),
    "dribbles": (lambda connection: connection.repeat(b"H", 0.01), Fault.TIMEOUT),
    "dribbles headers": (
        lambda connection: (connection.send(b"HTTP/1.1 200 OK\r\n"), connection.repeat(b"a", 0.01)),
        Fault.TIMEOUT,
    ),
    "endless header": (
        lambda connection: (connection.send(b"HTTP/1.1 200 OK\r\nA: "), connection.repeat(b"a" * 9000)),
        Fault.ANSWER,
    ),
    "endless headers": (
        lambda connection: (connection.send(b"HTTP/1.1 200 OK\r\n"), connection.repeat(b"A: a\r\n" * 900)),
        Fault.ANSWER,
    ),
    "endless interim answers": (
        lambda connection: connection.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 900),
        Fault.ANSWER,
    ),
    "endless status line": (lambda connection: connection.repeat(b"HTTP/1.1 200 " * 900), Fault.ANSWER),
    "resets": (reset, Fault.CONNECTION),
    "closes": (lambda _: None, Fault.CONNECTION),
    "closes in the head": (lambda connection: connection.send(b"HTTP/1.1 200 OK\r\nA: a"), Fault.CONNECTION),
    "speaks another protocol": (lambda connection: connection.send(b"SSH-2.0-OpenSSH_9.2\r\n"), Fault.ANSWER),
    "no number": (lambda connection: connection.send(b"HTTP/1.1 two hundred\r\n\r\n"), Fault.ANSWER),
    "a number of 5 digits": (lambda connection: connection.send(b"HTTP/1.1 20000 OK\r\n\r\n"), Fault.ANSWER),
    "not text": (lambda connection: connection.send(bytes(range(128, 256)) + b"\r\n\r\n"), Fault.ANSWER),
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
        outcome = sender(timeout=SHORT).send(message(server.getsockname()[1], body=body), 1, now())
        pause.set()
        reader.join(patience(20))
    assert fault_of(outcome) is Fault.TIMEOUT
    assert sum(read) < len(body)


@pytest.mark.parametrize("body", [b"a" * 10_000_000, b""])
def test_the_body_of_an_answer_is_not_read(body: bytes) -> None:
    """10 MB, or one that never comes: the status has said it all, and the connection is closed."""

    def behave(connection: Connection) -> None:
        head(connection)
        connection.send(body)
        connection.hang()

    assert deliver(behave) == Delivered(200)


def test_no_receiver_listens() -> None:
    """The connection is refused."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert fault_of(sender().send(message(port), 1, now())) is Fault.CONNECTION


def test_a_handshake_that_hangs() -> None:
    """TLS that is never answered ends with the time, like an answer that never comes."""
    spent = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for scheme in ("http", "https"):
            began = time.monotonic()
            outcome = sender(timeout=SHORT).send(message(silent.getsockname()[1], scheme), 1, now())
            spent.append(time.monotonic() - began)
            assert fault_of(outcome) is Fault.TIMEOUT
    assert spent[1] < 20 * spent[0]


def test_a_limit_of_the_answer_is_exact() -> None:
    """An answer whose head has the most bytes that are read counts."""
    begin, line = b"HTTP/1.1 200 OK\r\n", b"A: " + b"a" * 995 + b"\r\n"
    lines = line * ((MAX_ANSWER - len(begin)) // len(line))
    assert deliver(lambda connection: connection.send(begin + lines + b"\r\n")) == Delivered(200)
    assert fault_of(deliver(lambda connection: connection.send(begin + lines + line + b"\r\n"))) is Fault.ANSWER
