"""Round trips to the store of each route, in a process with the game in its cache and in one without."""

from functools import cache
from typing import Any

import fakeredis
import pytest
from werkzeug.test import TestResponse

from domain.commands import SeatPlan
from service.app import all_routes
from service.gamelog.history import History
from service.signing.deployment import Deployment
from tests.gamelog.ledger import finish, import_game, new_game, open_games
from tests.support.cases import cases
from tests.support.counting import CountingClient
from tests.support.samples import with_nightly
from tests.support.world import Process, new_client

SHARDS = 2
DEPLOYMENT = Deployment.new(SHARDS)
ORDERS = {"json": {"steps": [[{"type": "draw"}]]}}
Row = list[Any]


class Counting(Process):
    def __init__(self, server: fakeredis.FakeServer) -> None:
        self.store = CountingClient(fakeredis.FakeRedis(server=server))
        super().__init__(self.store, shards=SHARDS, services={"deployment": DEPLOYMENT})
        self.services.clock.measure()  # as a web process does before its first request


@cache
def finished_game() -> History:
    """Of a person and two bots; played once."""
    log = open_games(new_client())
    log.create(new_game("over", (SeatPlan(name="Anna"), SeatPlan(bot="greedy"), SeatPlan(bot="random"))))
    finish(log, "over")
    return log.load_history("over")


class Games:
    """A game that is open, one that is played and one that is over, each with the token of seat 0."""

    def __init__(self, *, only: str = "") -> None:
        """`only`: the name of the one game that is asked about; without it all are."""
        self.server = fakeredis.FakeServer()
        process = self.process = Counting(self.server)
        self.paths: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        for name, seats in {"open": [{"name": "Anna"}, {}], "played": [{"name": "Anna"}, {"name": "Bert"}]}.items():
            self._keep(name, process.http.post("/v1/games", json={"seats": seats, "listed": True}))
        assert self.ask(process, "PUT", "played", "/v1/games/<game>/orders", ORDERS).status_code == 200
        if only in ("open", "played"):
            return
        assert import_game(process.log.store, finished_game())
        self.paths["over"], self.tokens["over"] = "/v1/games/over", process.services.tokens.issue("over", 0)

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


ACCEPTED: list[Row] = cases(__file__, "accepted")
REFUSED: list[tuple[int, Row]] = cases(__file__, "refused")


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
    return f"{row[0]} {row[2]}" if isinstance(row, list) else str(row)


@pytest.mark.parametrize("row", with_nightly(ACCEPTED, 2), ids=name_of)
def test_round_trips_of_accepted_requests(row: Row) -> None:
    """A GET reads the store once; an action makes one append, and one read where the game isn't in the cache."""
    assert trips(row) == tuple(row[4:])


@pytest.mark.parametrize(("status", "row"), REFUSED, ids=name_of)
def test_round_trips_of_refused_requests(status: int, row: Row) -> None:
    """The present version in the problem costs at most one read; a refusal that needs no game reads nothing."""
    assert trips(row, status) == tuple(row[4:])


def test_every_route_has_its_round_trips_measured() -> None:
    """Every declared route is in the table above; only /readyz checks the store's health."""
    rows = [*ACCEPTED, *(row for _, row in REFUSED)]
    counted = {(row[0].replace("HEAD", "GET"), row[2].partition("?")[0]) for row in rows}
    named = {"/seats/0/": "/seats/<seat>/", "/invitations/0": "/invitations/<seat>"}
    for plain, name in (named | {"/x": "/<token>", "/g/nowhere": "/g/<game>"}).items():
        counted = {(method, path.replace(plain, name)) for method, path in counted}
    files = {("GET", path) for path in ("/docs/<name>", "/problems/<code>", "/static/<digest>/<name>")}
    assert {(route.method, route.path) for route in all_routes()} <= counted | files | {("GET", "/readyz")}
