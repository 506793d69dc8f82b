"""One client against all others on a running service: thousands of streams, and of bodies that never end.

The short forms, in process and with smaller limits, are in test_limits.py.
"""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.faults.served import Served, served
from tests.support.client import Api
from tests.support.shell import COMMAND
from tests.support.waiting import patience, wait_until

pytestmark = pytest.mark.nightly

DEFAULTS: Final = {"REIBACH_RATE_LIMIT": "1000", "REIBACH_WEB_THREADS": "384", "REIBACH_POLL_LIMIT": "512"}
STREAMS: Final = 1400
BODIES: Final = 1300
SHARE: Final = 64


@pytest.fixture
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served([*COMMAND, "serve"], tmp_path_factory.mktemp("starved") / "games", **DEFAULTS) as service:
        yield service


@pytest.fixture
def other(serving: Served) -> Iterator[Api]:
    """Another client: it sends from another loopback address."""
    transport = httpx.HTTPTransport(local_address="127.0.0.2")
    with httpx.Client(base_url=serving.url, timeout=patience(10), transport=transport) as http:
        yield Api(http)


def send(serving: Served, opened: ExitStack, request: str) -> socket.socket:
    """Send on a new connection from 127.0.0.1, which stays open."""
    address = urlsplit(serving.url)
    connection = socket.create_connection((address.hostname, address.port or 80), timeout=patience(30))
    opened.enter_context(closing(connection))
    connection.sendall(request.replace("\n", "\r\n").encode())
    return connection


def test_streams(serving: Served, other: Api) -> None:
    """1,400 streams asked for by one client: it gets its share, another client's stream and long poll are served."""
    table = other.create(2, seed=None)
    request = f"GET {table.path}/events HTTP/1.1\nHost: reibach\nAccept: text/event-stream\n\n"
    with ExitStack() as opened:
        connections = [send(serving, opened, request) for _ in range(STREAMS)]
        heads = [connection.recv(4096) for connection in connections]
        statuses = [int(head.split()[1]) for head in heads]
        assert set(statuses) <= {200, 429, 503}  # 503: too many at once are being opened
        assert statuses.count(200) <= 2 * SHARE  # in each of two processes
        assert statuses.count(429) > STREAMS / 2
        tag = {"If-None-Match": f'"{other.version(table)}"'}
        assert other.get(table.path, headers=tag, params={"wait": 0.1}).status_code == 304
        with other.http.stream("GET", f"{table.path}/events", headers={"Accept": "text/event-stream"}) as stream:
            assert stream.status_code == 200
            assert next(stream.iter_lines()) == ":"


def test_bodies(serving: Served, other: Api) -> None:
    """1,300 bodies of which one byte is sent: another client is served, with and without a body."""
    table = other.create(2, seed=None)
    request = "POST /v1/games HTTP/1.1\nHost: reibach\nContent-Type: application/json\nContent-Length: 1000\n\n{"
    with ExitStack() as opened:
        for _ in range(BODIES):
            send(serving, opened, request)
        wait_until(lambda: other.get("/healthz").status_code == 200)
        for _ in range(20):
            assert other.get("/healthz").status_code == 200
            assert other.post("/v1/games", json={"seats": [{}, {}]}).status_code == 201
        assert other.act(table, 0, {"type": "draw"}).status_code == 201


def test_games_that_their_people_have_left(tmp_path_factory: pytest.TempPathFactory) -> None:
    """160 of them, of four bots that think for long: a bot in another game answers within its delay and a second."""
    sharks = {"seats": [{"name": "x"}, *[{"bot": "shark"}] * 4]}
    folder = tmp_path_factory.mktemp("left") / "games"
    with (
        served([*COMMAND, "serve"], folder, REIBACH_RATE_LIMIT="0", REIBACH_BOT_DELAY="1") as service,
        httpx.Client(base_url=service.url, timeout=patience(10)) as http,
    ):
        honest = Api(http)
        for _ in range(160):
            made = http.post("/v1/games", json=sharks).json()
            honest.post(f"/v1/games/{made['game']['id']}/resign", made["seats"][0]["token"])
        table, waits = honest.create([{"name": "Anna"}, {"bot": "greedy"}], seed=None, starting_seat=0), []
        while len(waits) < 10:
            view = honest.view(table)
            assert view["status"] != "over"
            if view["status"] == "scoring":
                continue
            if view["turn"]["seat"] == 0:
                assert honest.act(table, 0, honest.legal_actions(table, 0)[-1]).status_code == 201
                continue
            began = monotonic()
            wait_until(lambda: honest.view(table)["turn"]["seat"] == 0, 60)
            waits.append(monotonic() - began)
        print("seconds until the bot had played:", [round(wait, 2) for wait in sorted(waits)])
        assert min(waits) > 0.5
        assert max(waits) < 1 + patience(0.5)
