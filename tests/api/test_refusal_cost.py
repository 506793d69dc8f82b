"""What a refused request may cost: at most 8 times the processor time of an accepted action, and an answer of 8 KB."""

import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

from tests.support.cases import cases
from tests.support.stores import open_store
from tests.support.world import Process

MOST_TIMES = 8
MOST_BYTES = 8 * 1024
KIB64 = 64 * 1024
ROUNDS = 3
GAMES, ACTIONS = "/v1/games", "/actions"
BODIES, HEADERS, PATHS = (cases(__file__, name) for name in ("bodies", "headers", "paths"))
BODIES |= {
    "thirty bad seats": (GAMES, json.dumps({"seats": [{f"x{name}": 1 for name in range(30)}] * 30})),
    "five bad seats": (GAMES, json.dumps({"seats": [{f"x{name}": 1 for name in range(30)}] * 5})),
    "long bad seats": (GAMES, json.dumps({"seats": [{"\x00" * 300 + str(name): 1 for name in range(6)}] * 5})),
    "bad seats of a fork": (GAMES, json.dumps({"fork": {"game": "x", "version": 1}, "seats": [{"a" * 9: 1}] * 5})),
    "unknown members": (ACTIONS, json.dumps({f"{name}": 1 for name in range(6000)})),
    "thirty unknown members": (ACTIONS, json.dumps({"type": "draw"} | {"\x01" * 300 + str(i): 1 for i in range(30)})),
    "not UTF-8": (ACTIONS, b'{"type":"' + b"\xff" * 60_000),
}


@dataclass(frozen=True)
class Measured:
    cpu: float
    """Seconds of processor time of the thread that answers it."""
    status: int
    size: int


class Asking:
    """A service in process, on a real store. What is measured is the application: no client, no web server."""

    def __init__(self, app: Flask) -> None:
        """A game that has begun, for requests that are refused."""
        self._app = app
        self.path, self.token = self.create()

    def create(self) -> tuple[str, str]:
        made = self._app.test_client().post(GAMES, json={"seats": [{"name": "Anna"}, {"name": "Bert"}]})
        assert made.status_code == 201
        return made.headers["Location"], made.get_json()["seats"][0]["token"]

    def measure(self, method: str, path: str, token: str, data: bytes | None = None, **headers: str) -> Measured:
        place, _, query = path.partition("?")
        usual = {"Host": "reibach"} | ({"Authorization": f"Bearer {token}"} if token else {})
        usual |= {} if data is None else {"Content-Type": "application/json"}
        builder = EnvironBuilder("/", method=method, data=data, headers=usual | headers)
        environ: dict[str, Any] = builder.get_environ() | {"PATH_INFO": place, "QUERY_STRING": query}
        if data is not None:
            environ["wsgi.input"] = io.BytesIO(data)
        statuses: list[str] = []
        began = time.thread_time()
        answer = self._app(environ, lambda status, _headers: statuses.append(status))
        size = sum(map(len, answer))
        cpu = time.thread_time() - began
        return Measured(cpu, int(statuses[0].split()[0]), size)

    def accepted(self) -> float:
        """Seconds of an accepted action, the median of several."""
        found = []
        for _ in range(ROUNDS):
            path, token = self.create()
            done = self.measure("POST", path + ACTIONS, token, b'{"type": "draw"}')
            assert done.status == 201
            found.append(done.cpu)
        return median(found)

    def check(self, ask: Callable[[], Measured], answer: int = 4) -> None:
        """The request is refused (accepted: `answer` 2) at a bounded cost. A disturbed measurement is made again."""
        for last in (False, False, True):
            found = [ask() for _ in range(ROUNDS)]
            assert {one.status // 100 for one in found} == {answer}
            assert answer == 2 or max(one.size for one in found) <= MOST_BYTES
            times = median(one.cpu for one in found) / self.accepted()
            if times <= MOST_TIMES:
                return
            assert not last, f"{times:.1f} times an accepted action"


@pytest.fixture(scope="module")
def asking(valkey: str) -> Asking:
    return Asking(Process(open_store(valkey, 1)).http.application)


@pytest.mark.parametrize("name", BODIES)
def test_bodies(asking: Asking, name: str) -> None:
    """Bodies of up to 64 KiB, refused by their size, their shape or their values."""
    path, body = BODIES[name]
    raw = body if isinstance(body, bytes) else body.encode()
    assert len(raw) <= KIB64
    whole = path if path == GAMES else asking.path + path
    asking.check(lambda: asking.measure("POST", whole, asking.token, raw))


@pytest.mark.parametrize("name", HEADERS)
def test_headers(asking: Asking, name: str) -> None:
    path, headers = HEADERS[name]
    data = b'{"type": "draw"}' if path == ACTIONS else None
    method = "GET" if data is None else "POST"
    asking.check(lambda: asking.measure(method, asking.path + path, asking.token, data, **headers))


def test_accept_encoding(asking: Asking) -> None:
    """A header that is too long is no reason to refuse: the answer is sent as it is."""
    for coding in ("gzip;q=0.1", "a"):
        headers = {"Accept-Encoding": ",".join([coding] * (60_000 // (len(coding) + 1)))}
        asking.check(lambda headers=headers: asking.measure("GET", "/docs/swagger-ui-bundle.js", "", **headers), 2)


@pytest.mark.parametrize("name", PATHS)
def test_queries_that_are_ignored(asking: Asking, name: str) -> None:
    """A route without a query answers at the same cost, whatever comes after its path."""
    query = PATHS[name].lstrip("?/")
    for path in ("/docs/docs.js", "/v1/keys"):
        asking.check(lambda path=path: asking.measure("GET", f"{path}?{query}", ""), 2)


@pytest.mark.parametrize("name", PATHS)
def test_paths_and_queries(asking: Asking, name: str) -> None:
    asking.check(lambda: asking.measure("GET", asking.path + PATHS[name], asking.token))
    asking.check(lambda: asking.measure("GET", GAMES + PATHS[name] + "/x", asking.token))


def test_no_more_than_twenty_errors_are_shown(asking: Asking) -> None:
    """Contract 1; the detail says how many more there are."""
    body = {"seats": [{f"x{name}": 1 for name in range(30)}] * 5}
    answer = asking._app.test_client().post(GAMES, json=body)
    problem = answer.get_json()
    assert len(problem["errors"]) == 20
    assert problem["detail"].endswith("And 130 more.")
