"""Round trips to the store of each route, in a process with the game in its cache and in one without."""

from functools import cache
from typing import Any

import fakeredis
import pytest
from werkzeug.test import TestResponse

from service.api.routes.people.notifications import _EXAMPLE_KEYS
from service.app import all_routes
from service.signing.deployment import Deployment
from tests.gamelog.ledger import finish
from tests.support.counting import CountingClient
from tests.support.world import Process

SHARDS = 2
DEPLOYMENT = Deployment.new(SHARDS)
SECRET = {"Idempotency-Key": "a key that nobody can guess"}
BOTS = [{"bot": "greedy"}, {"bot": "random"}]
TAKE = {"json": {"type": "take", "slot": 0}}
ORDERS = {"json": {"steps": [[{"type": "draw"}]]}}
STREAM = {"headers": {"Accept": "text/event-stream"}}
NDJSON = {"headers": {"Accept": "application/x-ndjson"}}
DEVICE = {"endpoint": "https://1.1.1.1/", "keys": _EXAMPLE_KEYS}
PREFLIGHT = {"headers": {"Origin": "https://ui.example", "Access-Control-Request-Method": "GET"}}
Row = tuple[str, str, str, dict[str, Any], int, int]


class Counting(Process):
    def __init__(self, server: fakeredis.FakeServer) -> None:
        self.store = CountingClient(fakeredis.FakeRedis(server=server))
        super().__init__(self.store, shards=SHARDS, services={"deployment": DEPLOYMENT})
        self.services.clock.measure()  # as a web process does before its first request


class Games:
    """A game that is open, one that is played and one that is over, each with the token of seat 0."""

    def __init__(self, *, only: str = "") -> None:
        """`only`: the name of the one game that is asked about; without it all are."""
        self.server = fakeredis.FakeServer()
        process = self.process = Counting(self.server)
        self.paths: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        for name, seats in {"open": [{"name": "Anna"}, {}], "played": [{"name": "Anna"}, {"name": "Bert"}]}.items():
            self._keep(name, process.http.post("/v1/games", json={"seats": seats}))
        assert self.ask(process, "PUT", "played", "/v1/games/<game>/orders", ORDERS).status_code == 200
        if only in ("open", "played"):
            return
        self._keep("over", process.http.post("/v1/games", json={"seats": [{"name": "Anna"}, *BOTS]}))
        finish(process.log, self.paths["over"].rpartition("/")[2])

    def _keep(self, name: str, made: TestResponse) -> None:
        assert made.status_code == 201
        self.paths[name] = made.headers["Location"]
        self.tokens[name] = made.get_json()["seats"][0]["token"]

    def ask(self, process: Counting, method: str, name: str, path: str, more: dict[str, Any]) -> TestResponse:
        """One request about the game of that name; `{id}` in the body stands for its id."""
        more = dict(more)
        headers = dict(more.pop("headers", {}))
        if name:
            headers["Authorization"] = f"Bearer {self.tokens[name]}"
        if "fork" in more.get("json", {}):
            game = self.paths[name].rpartition("/")[2]
            more["json"] = more["json"] | {"fork": more["json"]["fork"] | {"game": game}}
        target = path.replace("<game>", self.paths[name].rpartition("/")[2]) if name else path
        return process.http.open(target, method=method, headers=headers, **more)


FIXED = (
    *("/", "/lobby", "/games", "/check", "/post", "/privacy", "/rules", "/manifest.webmanifest", "/service-worker.js"),
    *("/api", "/by-post", "/league", "/protocol", "/protocol/vectors.json", "/favicon.ico", "/robots.txt"),
)
"""Pages that are the same for all."""

# Method, game, path, what comes with it; round trips without and with the game in the cache.
ACCEPTED: list[Row] = [
    ("GET", "played", "/v1/games/<game>", {}, 1, 1),
    ("GET", "played", "/v1/games/<game>?at=2", {}, 1, 1),
    ("OPTIONS", "played", "/v1/games/<game>", PREFLIGHT, 0, 0),
    ("GET", "over", "/v1/games/<game>", {"headers": {"If-None-Match": '"5"'}}, 1, 1),
    ("GET", "played", "/v1/games/<game>/events", {}, 1, 1),
    ("GET", "played", "/v1/games/<game>/events?after=5", {}, 1, 1),
    ("GET", "over", "/v1/games/<game>/events", NDJSON, 1, 1),
    # HEAD opens no stream: behind a stream the hub reads on in a thread of its own.
    ("HEAD", "played", "/v1/games/<game>/events", STREAM, 1, 1),
    ("HEAD", "over", "/v1/games/<game>/events", STREAM, 1, 1),
    # The history, and which of its actions the seat's orders took.
    ("GET", "over", "/v1/games/<game>/recap", {}, 2, 2),
    ("GET", "over", "/v1/games/<game>/recap?since=3", {}, 2, 2),
    ("GET", "over", "/v1/games/<game>/replay", {}, 1, 1),
    ("GET", "over", "/v1/games/<game>/scores", {}, 1, 1),
    ("GET", "over", "/v1/games/<game>/scores", {"headers": {"Accept": "text/csv"}}, 1, 1),
    ("GET", "played", "/v1/games/<game>/scores/now", {}, 1, 1),
    ("GET", "played", "/v1/games/<game>/scores/now?at=2", {}, 1, 1),
    ("GET", "over", "/v1/games/<game>/receipt", {}, 1, 1),
    ("GET", "over", "/v1/games/<game>/receipt?at=7", {}, 1, 1),
    ("GET", "played", "/v1/games/<game>/legal-actions", {}, 1, 1),
    # The game as served, and also the log as stored.
    ("GET", "over", "/v1/games/<game>/audit", {}, 2, 2),
    # The append; without the game in the cache also a read.
    ("POST", "played", "/v1/games/<game>/actions", TAKE, 2, 1),
    ("POST", "played", "/v1/games/<game>/actions", {**TAKE, "headers": {"If-Match": "*", **SECRET}}, 2, 1),
    ("POST", "played", "/v1/games/<game>/messages", {"json": {"text": "Well …"}}, 2, 1),
    ("POST", "open", "/v1/games/<game>/seats", {"json": {"name": "Bert"}, "headers": SECRET}, 2, 1),
    ("POST", "", "/v1/games", {"json": {"seats": [{"name": "Anna"}, {}]}}, 1, 1),
    ("POST", "", "/v1/games", {"json": {"seats": [{"name": "Anna"}, {}]}, "headers": SECRET}, 1, 1),
    # A fork: its parent, and the new log; with a key also whether it has opened a game before.
    ("POST", "over", "/v1/games", {"json": {"fork": {"version": 9}, "seats": [{"name": "A"}, *BOTS]}}, 2, 2),
    ("POST", "played", "/v1/games", {"json": {"fork": {"version": 5}, "seats": BOTS}, "headers": SECRET}, 3, 3),
    # The game, and the orders; then the write, after what was there before.
    ("GET", "played", "/v1/games/<game>/orders", {}, 2, 2),
    ("PUT", "played", "/v1/games/<game>/orders", ORDERS, 3, 3),
    ("DELETE", "played", "/v1/games/<game>/orders", {}, 3, 3),
    ("POST", "played", "/v1/games/<game>/resign", {}, 2, 1),
    ("POST", "played", "/v1/games/<game>/cancel", {}, 2, 1),
    ("POST", "played", "/v1/games/<game>/pause", {}, 2, 1),
    ("POST", "played", "/v1/games/<game>/seats/0/handover", {}, 2, 2),
    ("PUT", "played", "/v1/games/<game>/notifications", {"json": {"webhook": {"url": "https://1.1.1.1/"}}}, 5, 5),
    ("DELETE", "played", "/v1/games/<game>/notifications", {}, 3, 3),
    ("POST", "played", "/v1/games/<game>/notifications/push", {"json": DEVICE}, 5, 5),
    ("DELETE", "played", "/v1/games/<game>/notifications/push", {"json": {"endpoint": "https://1.1.1.1/"}}, 2, 2),
    ("GET", "played", "/v1/games/<game>/notifications/deliveries", {}, 2, 2),
    ("GET", "", "/by-post", {}, 0, 0),
    # The lists, and the summaries of the games in the page.
    ("GET", "", "/v1/games?listed=true", {}, 1, 1),
    ("GET", "", "/v1/bots", {}, 0, 0),
    ("GET", "", "/v1/keys", {}, 0, 0),
    ("GET", "", "/v1/push", {}, 0, 0),
    ("GET", "", "/v1/openapi.json", {}, 0, 0),
    ("GET", "", "/healthz", {}, 0, 0),
    # The deployment's lists and counts, and the server's state; the queue isn't in the store of this test.
    ("GET", "", "/metrics", {}, 2, 2),
    *(("GET", "", path, {}, 0, 0) for path in FIXED),
    *(("GET", "played", f"/g/<game>{page}", {}, 0, 0) for page in ("", "/check", "/replay")),
    ("GET", "played", "/g/<game>/sheet", {}, 1, 1),
    ("GET", "", "/docs", {}, 0, 0),
    ("GET", "", "/docs/docs.js", {}, 0, 0),
    ("GET", "", "/problems/game-over", {}, 0, 0),
]
# With the status. The version in the problem costs one read, or none if the request has read the game.
REFUSED: list[tuple[int, Row]] = [
    (406, ("GET", "played", "/v1/games/<game>", {"headers": {"Accept": "text/html"}}, 1, 1)),
    (422, ("GET", "played", "/v1/games/<game>/events?after=x", {}, 1, 1)),
    (404, ("GET", "played", "/v1/games/<game>?at=6", {}, 1, 1)),
    (404, ("GET", "played", "/v1/games/<game>/events?after=6", {}, 1, 1)),
    (404, ("HEAD", "played", "/v1/games/<game>/events?after=6", STREAM, 1, 1)),
    (404, ("GET", "played", "/v1/games/<game>/recap?since=6", {}, 1, 1)),
    (404, ("GET", "played", "/v1/games/<game>/replay?after=6", {}, 1, 1)),
    (400, ("POST", "played", "/v1/games/<game>/actions", {"data": "{", "content_type": "application/json"}, 1, 1)),
    (415, ("POST", "played", "/v1/games/<game>/actions", {"data": "{"}, 1, 1)),
    (422, ("POST", "played", "/v1/games/<game>/actions", {"json": {"type": "pass"}}, 1, 1)),
    # A refusal by a cached state is checked against the store, once.
    (412, ("POST", "played", "/v1/games/<game>/actions", {**TAKE, "headers": {"If-Match": '"4"'}}, 2, 1)),
    (409, ("POST", "over", "/v1/games/<game>/actions", TAKE, 2, 1)),
    (409, ("POST", "played", "/v1/games/<game>/seats", {"json": {"name": "Carla"}}, 2, 1)),
    (405, ("DELETE", "played", "/v1/games/<game>", {}, 0, 0)),
    (409, ("POST", "played", "/v1/games/<game>/vacation", {"json": {"until": "2100-01-01T00:00:00.000Z"}}, 2, 1)),
    (409, ("POST", "played", "/v1/games/<game>/reclaim", {}, 2, 1)),
    (409, ("POST", "played", "/v1/games/<game>/resume", {}, 2, 1)),
    (409, ("DELETE", "played", "/v1/games/<game>/cancel", {}, 2, 1)),
    (409, ("POST", "played", "/v1/games/<game>/seats/0/release", {}, 2, 1)),
    (409, ("DELETE", "played", "/v1/games/<game>/seats/0/release", {}, 2, 1)),
    (409, ("DELETE", "played", "/v1/games/<game>/pause", {}, 2, 1)),
    (409, ("DELETE", "played", "/v1/games/<game>/vacation", {}, 2, 1)),
    (404, ("GET", "played", "/v1/games/<game>/notifications", {}, 2, 2)),
    (422, ("POST", "played", "/v1/games/<game>/lost-token", {"json": {"email": "anna@example.org"}}, 1, 1)),
    *(
        (404, (method, "", f"/{page}/x", {}, 0, 0))
        for page in ("confirm", "unsubscribe", "token")
        for method in ("GET", "POST")
    ),
    (404, ("POST", "", "/g/nowhere", {"data": {"token": ""}}, 1, 1)),
    (400, ("POST", "played", "/g/<game>", {}, 1, 1)),
    (404, ("GET", "", "/v1/games/nowhere", {}, 1, 1)),
    (404, ("GET", "", "/v1/games/nowhere/events?after=x", {}, 1, 1)),
    (401, ("GET", "", "/v1/games/nowhere/legal-actions", {}, 0, 0)),
]


@cache
def unchanged_games() -> Games:
    return Games()


def trips(row: Row, status: int | None = None) -> tuple[int, int]:
    """The round trips of a request to a new process, and to one that has loaded the game already."""
    method, name, path, more, *_ = row
    changes = method in {"POST", "PUT", "DELETE"} and status is None
    games = Games(only=name) if changes else unchanged_games()
    process = Counting(games.server)
    counts = []
    for cached in (False, True) if name or changes else (False,):
        if cached and changes:
            games = Games(only=name)
            process = games.process
        if cached and name:
            assert process.http.get(games.paths[name]).status_code == 200
        process.store.trips = 0
        answer = games.ask(process, method, name, path, more)
        assert answer.status_code == status if status else answer.status_code < 300, answer.text
        counts.append(process.store.trips)
    return counts[0], counts[-1]


def name_of(row: Any) -> str:
    return f"{row[0]} {row[2]}" if isinstance(row, tuple) else str(row)


@pytest.mark.parametrize("row", ACCEPTED, ids=name_of)
def test_round_trips_of_accepted_requests(row: Row) -> None:
    """A GET reads the store once; an action makes one append, and one read where the game isn't in the cache."""
    assert trips(row) == row[4:]


@pytest.mark.parametrize(("status", "row"), REFUSED, ids=name_of)
def test_round_trips_of_refused_requests(status: int, row: Row) -> None:
    """The present version in the problem costs at most one read; a refusal that needs no game reads nothing."""
    assert trips(row, status) == row[4:]


def test_every_route_has_its_round_trips_measured() -> None:
    """Every declared route is in the table above; only /readyz checks the store's health."""
    rows = [*ACCEPTED, *(row for _, row in REFUSED)]
    counted = {(row[0].replace("HEAD", "GET"), row[2].partition("?")[0]) for row in rows}
    named = {"/seats/0/": "/seats/<seat>/", "/x": "/<token>", "/g/nowhere": "/g/<game>"}
    for plain, name in named.items():
        counted = {(method, path.replace(plain, name)) for method, path in counted}
    counted |= {
        ("GET", "/docs/<name>"),
        ("GET", "/problems/<code>"),
        ("GET", "/readyz"),
        ("GET", "/static/<digest>/<name>"),
    }
    assert {(route.method, route.path) for route in all_routes()} <= counted
