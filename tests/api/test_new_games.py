"""New games that are refused for all clients alike, and /readyz, in a process with a store of its own."""

from typing import Any

from werkzeug.test import TestResponse

from service.connections.clients import Client
from service.gamelog.admission import Admission
from service.gamelog.store.health.heartbeat import POST, WORKER, Readiness, send_heartbeat
from service.gamelog.store.health.memory import MemoryGauge
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import finished
from tests.support.counting import CountingClient
from tests.support.waiting import patience
from tests.support.world import Process, new_client

SHARDS = 2
BOTS = [{"bot": "greedy"}, {"bot": "random"}]
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]
KEY = {"Idempotency-Key": "a key that nobody can guess"}


class Service(Process):
    """A web process that admits one game between bots, without any limit per client."""

    def __init__(self) -> None:
        store = Store(new_client(), SHARDS)
        self.gauge = MemoryGauge(store.client, 0)
        super().__init__(store, admit=Admission(store, 1, self.gauge).admit)

    def post(self, seats: list[dict[str, Any]], **more: Any) -> TestResponse:
        headers = more.pop("headers", {})
        return self.http.post("/v1/games", json={"seats": seats, **more}, headers=headers)


def refuses(answer: TestResponse, status: int, code: str) -> None:
    assert (answer.status_code, answer.get_json()["type"]) == (status, f"/problems/{code}")
    assert int(answer.headers["Retry-After"]) > 0


def test_too_many_games_between_bots() -> None:
    """429, forks included; a repeat is answered, and games with a named or open seat are opened."""
    service_alone = Service()
    first = service_alone.post(BOTS, headers=KEY)
    assert first.status_code == 201
    for headers in ({}, {"Idempotency-Key": "another key, just as secret"}):
        refuses(service_alone.post(BOTS, headers=headers), 429, "too-many-requests")
    service_alone.log.import_game(finished("parent"))
    fork = {"game": "parent", "version": 20}
    refuses(service_alone.post(BOTS, fork=fork), 429, "too-many-requests")
    again = service_alone.post(BOTS, headers=KEY)
    assert (again.status_code, again.get_json()["game"]["id"]) == (201, first.get_json()["game"]["id"])
    for seats in (PEOPLE, [*BOTS, {}]):
        assert service_alone.post(seats).status_code == 201
    assert service_alone.post(PEOPLE, fork=fork).status_code == 201


def test_a_store_that_is_nearly_full() -> None:
    """503 for every new game; joins and messages go on."""
    service_alone = Service()
    made = service_alone.post([{"name": "Anna"}, {}]).get_json()
    service_alone.log.import_game(finished("parent"))
    service_alone.gauge.is_full = True
    refuses(service_alone.post(PEOPLE), 503, "store-unavailable")
    refuses(service_alone.post(PEOPLE, fork={"game": "parent", "version": 20}), 503, "store-unavailable")
    path = f"/v1/games/{made['game']['id']}"
    assert service_alone.http.post(f"{path}/seats", json={"name": "Bert"}).status_code == 201
    headers = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    assert service_alone.http.post(f"{path}/messages", json={"text": "Hello"}, headers=headers).status_code == 201


def test_readiness_is_asked_once_a_second(real_client: Client) -> None:
    """A thousand requests write once; what isn't ready is asked again sooner."""
    now, client = [0.0], CountingClient(real_client)
    store = Store(client, SHARDS, patience(1))
    ready = Readiness(store, clock=lambda: now[0])
    assert {ready.status() for _ in range(100)} == {"no-worker"}
    assert client.trips == 2
    send_heartbeat(store, WORKER)
    now[0], client.trips = 0.2, 0
    assert {ready.status() for _ in range(1000)} == {"ready"}
    assert client.trips == 2
    client.delete("reibach:worker")
    now[0] = 1.1
    assert ready.status() == "ready"
    now[0] = 1.3
    assert ready.status() == "no-worker"
    assert not ready.has_post()
    send_heartbeat(store, POST)
    now[0] = 1.5
    assert ready.has_post()
