"""Requests as bytes: broken framing, odd paths, floods, cut bodies. None of them appends an incomplete request."""

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import Service
from tests.support.cases import cases
from tests.support.client import Api, Table
from tests.support.waiting import patience

CLOSE = b"Host: reibach\r\nConnection: close\r\n"
JSON = CLOSE + b"Content-Type: application/json\r\n"
STAYS = b"Host: reibach\r\nContent-Type: application/json\r\n"
HEALTHZ = b"GET /healthz HTTP/1.1\r\n" + CLOSE + b"\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
DRAW = b'{"type": "draw"}'
Exchange = Callable[..., list[httpx.Response]]


def parse(received: bytes) -> list[httpx.Response]:
    """The answers of a connection, each with its headers and as much body as it announces; `100 Continue` too."""
    answers = []
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers.get("content-length", 0))
        answers.append(httpx.Response(int(first.split(" ")[1]), headers=headers, content=received[:length]))
        received = received[length:]
    return answers


@pytest.fixture
def exchange(service: Service) -> Exchange:
    """Send bytes on a new connection and read until the service closes it."""
    address = urlsplit(service.url)

    def talk(*parts: bytes, half: bool = False) -> list[httpx.Response]:
        with socket.create_connection((address.hostname, address.port or 80), timeout=patience(10)) as connection:
            received = b""
            try:
                for part in parts:
                    connection.sendall(part)
                if half:
                    connection.shutdown(socket.SHUT_WR)
                while more := connection.recv(65536):
                    received += more
            except (ConnectionResetError, BrokenPipeError):
                assert received, "the connection was reset before anything was answered"
        return parse(received)

    return talk


def act(table: Table, headers: bytes, body: bytes) -> bytes:
    """Seat 0's action, with these headers and a body in this framing."""
    begin = f"POST {table.path}/actions HTTP/1.1\r\nAuthorization: Bearer {table.tokens[0]}\r\n".encode()
    return begin + JSON + headers + b"\r\n" + body


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def code(answer: httpx.Response) -> str | None:
    """The problem's code; None in what the web server itself refuses, which has no body."""
    return str(answer.json()["type"]) if answer.content else None


@pytest.mark.parametrize(
    ("request_line", "status", "problem"),
    cases(__file__, "request_lines"),
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_request_lines(exchange: Exchange, request_line: str, status: int, problem: str) -> None:
    """Broken lines are 400, unknown paths 404, methods that aren't allowed 405 with Allow."""
    (answer,) = exchange(request_line.encode("latin-1") + b"\r\n" + CLOSE + b"\r\n")
    assert (answer.status_code, code(answer) or "") == (status, problem)
    assert ("Allow" in answer.headers) == (status == 405)
    assert (answer.headers.get("Content-Type") == "application/problem+json") == bool(problem)


def test_head(exchange: Exchange, table: Table) -> None:
    """HEAD is GET without the body, and 405 where there is no GET."""
    for path, status in (("/v1/bots", 200), (table.path, 200), (f"{table.path}/actions", 405)):
        (answer,) = exchange(f"HEAD {path} HTTP/1.1\r\n".encode() + CLOSE + b"\r\n")[:1]
        assert answer.status_code == status
        assert not answer.content


@pytest.mark.parametrize(
    ("head", "status", "problem"),
    cases(__file__, "heads"),
    ids=lambda value: ascii(value[:50]) if isinstance(value, str) else None,
)
def test_heads(exchange: Exchange, table: Table, head: str, status: int, problem: str) -> None:
    get = f"GET {table.path} HTTP/1.1\r\n"
    body = b"0\r\n\r\n" if "Transfer" in head else b""
    whole = head.format(path=table.path, get=get, close=CLOSE.decode())
    (answer,) = exchange(whole.encode("latin-1") + b"\r\n" + body)
    assert answer.status_code == status
    assert not problem or code(answer) == problem


@pytest.mark.parametrize(("headers", "body", "status"), cases(__file__, "framing"), ids=range(18))
def test_framing(exchange: Exchange, table: Table, headers: str, body: str, status: int) -> None:
    """A body that is missing, too large, or of ambiguous length is refused, and so is any in chunks.

    The web server doesn't say whether the last chunk was there: a body that was cut off could be taken for a whole one.
    """
    cut = headers.encode() == CHUNKED and len(body) < 100 and not body.endswith("0\r\n\r\n")
    answer = exchange(act(table, headers.encode(), body.encode()), half=cut)[-1]
    assert answer.status_code == status
    if status == 411:
        assert code(answer) == "/problems/length-required"
    if status == 413:
        assert code(answer) == "/problems/body-too-large"


@pytest.mark.parametrize("half", [False, True], ids=["gone", "waits for the answer"])
def test_a_body_that_is_cut_off(service: Service, exchange: Exchange, table: Table, *, half: bool) -> None:
    """A request with an incomplete body isn't executed, even if the received part is valid JSON."""
    request = act(table, b"Content-Length: 100\r\n", DRAW)
    if half:
        (answer,) = exchange(request, half=True)
        assert (answer.status_code, code(answer)) == (400, "/problems/bad-request")
        return
    address = urlsplit(service.url)
    with socket.create_connection((address.hostname, address.port or 80)) as connection:
        connection.sendall(request)
    # The table's own fixture looks at the version after this, by a request of its own.


def test_expect(api: Api, exchange: Exchange) -> None:
    table = api.create(2)
    first, second = exchange(act(table, b"Expect: 100-continue\r\nContent-Length: %d\r\n" % len(DRAW), DRAW))
    assert (first.status_code, second.status_code) == (100, 201)


def test_pipelined_requests(api: Api, exchange: Exchange) -> None:
    """Several requests at once are executed and answered in their order."""
    table = api.create(2)
    take = json.dumps({"type": "take", "slot": 0}).encode()
    one = act(table, b"Content-Length: %d\r\n" % len(take), take)
    stay = one.replace(b"Connection: close\r\n", b"")
    bad = stay.replace(b'"slot": 0', b'"slot": 3')
    answers = exchange(bad + stay + one)
    assert [answer.status_code for answer in answers] == [422, 201, 201]
    versions: list[Any] = [answer.json()["version"] for answer in answers]
    assert versions == sorted(versions)


@pytest.mark.parametrize(
    "hello",
    [b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\r\n\r\n\x00\r\n\r\n"],
    ids=["TLS", "HTTP/2", "nothing"],
)
def test_not_http(exchange: Exchange, hello: bytes) -> None:
    """A connection of another protocol is closed, with 400 or without an answer."""
    assert [answer.status_code for answer in exchange(hello, half=True)] in ([], [400])


@pytest.mark.parametrize("path", ["/v1/games/x/actions", "/v1/games/x/seats", "/v1/bots", "/v1/nothing", "/v1/games"])
@pytest.mark.parametrize("chunked", [False, True], ids=["in one", "chunked"])
def test_a_connection_outlives_refusals(exchange: Exchange, path: str, *, chunked: bool) -> None:
    """A request that is refused by its head alone is read to its end, so that the next one is answered."""
    body = b" " * 60_000
    framing = CHUNKED if chunked else b"Content-Length: 60000\r\n"
    head = f"POST {path} HTTP/1.1\r\n".encode() + STAYS + framing + b"\r\n"
    rest = chunk(body) + b"0\r\n\r\n" if chunked else body
    for _ in range(5):
        refusal, healthy = exchange(head, rest[:100], rest[100:], HEALTHZ)
        assert 400 <= refusal.status_code < 500
        assert "connection" not in refusal.headers
        assert healthy.status_code == 200


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
def test_a_connection_outlives_a_body_that_is_not_read(exchange: Exchange, method: str) -> None:
    """A body of a GET has no meaning, and doesn't keep the next request from being answered."""
    head = f"{method} /v1/bots HTTP/1.1\r\n".encode() + STAYS
    for _ in range(5):
        answers = exchange(head + b"Content-Length: 60000\r\n\r\n", b" " * 100, b" " * 59_900, HEALTHZ)
        assert [answer.status_code for answer in answers] == [200, 200]
    (answer,) = exchange(head + b"Content-Length: 65537\r\n\r\n")
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")


@pytest.mark.parametrize("headers", [b"Content-Length: 65537\r\n", b"Content-Length: 9\r\nExpect: 100-continue\r\n"])
def test_a_refusal_announces_the_end_of_the_connection(exchange: Exchange, headers: bytes) -> None:
    """Where the body is too large to be read, or hasn't been sent, the refusal announces the end."""
    (refusal,) = exchange(b"POST /v1/nothing HTTP/1.1\r\n" + STAYS + headers + b"\r\n")
    assert (refusal.status_code, refusal.headers["connection"]) == (404, "close")


def test_an_upgrade_is_no_action(exchange: Exchange, api: Api, table: Table) -> None:
    """A request to open a WebSocket gets 400 on a path that was just asked for, too; it reads and changes nothing."""
    upgrade = b"Host: reibach\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    token = f"Authorization: Bearer {table.tokens[0]}\r\n".encode()
    sent = b"Content-Type: application/json\r\nContent-Length: 16\r\n\r\n" + DRAW
    for method, path, body in (("GET", table.path, b"\r\n"), ("POST", f"{table.path}/actions", sent)):
        assert api.get(table.path).status_code == 200
        (answer,) = exchange(f"{method} {path} HTTP/1.1\r\n".encode() + upgrade + token + body)
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
