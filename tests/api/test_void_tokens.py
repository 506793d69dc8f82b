"""A revoked token at another process than the one that revoked it: it writes nothing and reads nothing, by no route."""

import re
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import pytest

from service.api.docs.members import TEXTS
from service.api.docs.operations import operation_id
from service.api.protocol.routing import Asker, Route
from service.app import all_routes
from service.gamelog.store.generations import rotate_token
from tests.api.desks import MAIL, PEOPLE, SHARDS, URL, House, house_on
from tests.api.test_pace import PACE
from tests.support.absence import abandon, pass_hour
from tests.support.client import Table, refused
from tests.support.stores import open_store
from tests.support.waiting import patience, wait_until

KEY = {"Idempotency-Key": "a key of at least 22 characters"}
LATER_KEY = {"Idempotency-Key": "another one of 22 characters"}
OF_GAMES = [route for route in all_routes() if route.path.startswith("/v1/games/<game>")]
WRITES = [route for route in OF_GAMES if route.method != "GET"]
READS = [route for route in OF_GAMES if route.method == "GET"]


class Pair(NamedTuple):
    first: House
    second: House

    def stored(self) -> dict[bytes, Any]:
        client = self.first.log.store.client
        return {key: client.dump(key) for key in client.scan_iter()}


@pytest.fixture
def pair(server: Any) -> Pair:
    first = house_on(server("valkey"), delivers=True)
    return Pair(first, House(open_store(server("valkey"), SHARDS), delivers=True))


def hand_over(house: House, table: Table) -> str:
    answer = house.api.post(f"{table.path}/seats/0/handover", table.tokens[0], headers=KEY)
    token: str = answer.json()["token"]
    return token


def renew(house: House, table: Table) -> str:
    """By the button of the page to which the mail for a lost token leads."""
    nonce, until = house.subscription(table).nonce, house.services.outside.clock() + 60_000
    shown = house.api.post(f"/token/{house.services.links.token(table.id, 0, nonce, 0, until)}")
    (token,) = re.findall(r"<pre><code>([^<]*)</code></pre>", shown.text)
    return str(token)


def rotate(house: House, table: Table) -> str:
    """As `reibach rotate-tokens` does."""
    return house.services.tokens.issue(table.id, 0, rotate_token(house.log.store, table.id, 0).generation)


def replace_person(house: House, table: Table) -> str:
    token: str = house.api.post(f"{table.path}/seats", json={"name": "Cleo"}, headers=KEY).json()["token"]
    return token


CHANGES = [hand_over, renew, rotate, replace_person]


def opened(pair: Pair, change: Callable[[House, Table], str]) -> Table:
    """A game that both processes know, whose first seat has a subscription, orders, a note and a message."""
    table = pair.first.api.create(PEOPLE, pace=PACE, replaceable=True)
    if change is replace_person:
        pass_hour(abandon(pair.first.log, table.id), table.id)
    assert pair.first.put(table, email=MAIL, webhook={"url": URL}).status_code == 200
    pair.first.confirm(table)
    orders = {"steps": [[{"type": "draw"}]]}
    assert pair.second.api.request("PUT", f"{table.path}/orders", table.tokens[0], json=orders).status_code == 200
    note = {"json": {"text": "Hm."}}
    assert pair.second.api.request("PUT", f"{table.path}/note", table.tokens[0], **note).status_code == 204
    assert say(pair.second, table, table.tokens[0]).status_code == 201
    assert pair.second.api.get(table.path, table.tokens[0]).status_code == 200
    return table


def say(house: House, table: Table, token: str) -> httpx.Response:
    return house.api.post(f"{table.path}/messages", token, json={"text": "Bye!"}, headers=KEY)


def ask(house: House, route: Route, table: Table, token: str, headers: dict[str, str]) -> httpx.Response:
    path = route.path.replace("<game>", table.id).replace("<seat>", "0")
    body = {"json": TEXTS["examples"][operation_id(route)]} if route.operation.body else {}
    return house.api.request(route.method, path, token, headers=headers, **body)


@pytest.mark.parametrize("change", CHANGES)
def test_a_void_token_writes_nothing_at_any_process(pair: Pair, change: Callable[[House, Table], str]) -> None:
    """Each route that isn't a GET refuses it from the moment the change is answered, repeats of its keys as well."""
    table = opened(pair, change)
    old, new = table.tokens[0], change(pair.first, table)
    version, before = pair.first.api.version(table), pair.stored()
    assert sum(route.operation.asker is Asker.SEAT for route in WRITES) > 12
    for route in WRITES:
        for headers in ({}, LATER_KEY) if route.operation.shortest_key else ({},):
            refused(ask(pair.second, route, table, old, headers), 401, "invalid-token")
    refused(say(pair.second, table, old), 401, "invalid-token")
    assert pair.stored() == before
    view = pair.second.api.get(table.path, new)
    assert (view.status_code, view.headers["ETag"]) == (200, f'"{version}"')
    assert pair.second.api.get(f"{table.path}/orders", new).status_code == 404
    assert pair.second.api.get(f"{table.path}/note", new).json() == {"text": ""}
    kept = pair.second.api.get(f"{table.path}/notifications", new)
    if change is renew:
        content = kept.json()
        assert (content["email"], content["confirmed"], content["webhook"]) == (MAIL, True, None)
    else:
        assert kept.status_code == 404
    said = say(pair.second, table, new)  # by the key of the former person's message, as clients count
    assert (said.status_code, "Idempotency-Replayed" in said.headers) == (201, False)


@pytest.mark.parametrize("change", CHANGES)
def test_a_void_token_reads_nothing_at_any_process(pair: Pair, change: Callable[[House, Table], str]) -> None:
    """At once, also what the client or the process has already; the new one reads all, and a spectator what is open."""
    table = opened(pair, change)
    old = table.tokens[0]
    tags = {route.path: ask(pair.second, route, table, old, {}).headers.get("ETag", "*") for route in READS}
    new = change(pair.first, table)
    for route in READS:
        for headers in ({}, {"If-None-Match": tags[route.path]}, {"Accept": "text/event-stream, */*;q=0.5"}):
            refused(ask(pair.second, route, table, old, headers), 401, "invalid-token")
        assert ask(pair.second, route, table, new, {}).status_code in {200, 404, 409}
    refused(pair.second.api.get(f"{table.path}/events?after=9999", old), 401, "invalid-token")
    fork = {"seats": PEOPLE, "fork": {"game": table.id, "version": pair.first.api.version(table)}}
    refused(pair.second.api.post("/v1/games", old, json=fork), 401, "invalid-token")
    page = pair.second.api.post(f"/g/{table.id}", data={"token": old})
    assert (page.status_code, old in page.text) == (403, False)
    assert pair.second.api.post(f"/g/{table.id}", data={"token": new}).status_code == 200


@pytest.mark.parametrize("change", CHANGES)
def test_those_who_wait_with_a_void_token_are_told(pair: Pair, change: Callable[[House, Table], str]) -> None:
    """Without a further event of the game: a poll is refused, a stream ends."""
    table = opened(pair, change)
    version, answers = pair.first.api.version(table), []
    tag, stream = {"If-None-Match": f'"{version}"'}, {"Accept": "text/event-stream"}

    def read(path: str, headers: dict[str, str]) -> None:
        answers.append(pair.second.api.get(table.path + path, table.tokens[0], headers=headers))

    waiting = [
        threading.Thread(target=read, args=arguments)
        for arguments in (("?wait=30", tag), (f"/events?after={version}", stream))
    ]
    for thread in waiting:
        thread.start()
    watched = pair.second.web.services.hub._watched
    wait_until(lambda: sum(len(game._changed._waiters) for game in watched.values()) == 2)  # type: ignore[attr-defined]
    change(pair.first, table)
    for thread in waiting:
        thread.join(patience(30))
    assert sorted(answer.status_code for answer in answers) == [200, 401]
    assert not any("data:" in answer.text for answer in answers)


def test_an_address_that_is_confirmed_too_late_stays_without_mails(pair: Pair) -> None:
    """The link of a former holder leads nowhere; neither does that to a new token."""
    table = pair.first.api.create(PEOPLE)
    assert pair.first.put(table, email=MAIL).status_code == 200
    kept = pair.first.subscription(table)
    assert kept.generation == 0
    links = pair.first.services.links
    hand_over(pair.first, table)
    until = pair.first.services.outside.clock() + 60_000
    for path in (
        f"/confirm/{links.confirm(table.id, 0, kept.nonce, until=until)}",
        f"/token/{links.token(table.id, 0, kept.nonce, 0, until)}",
    ):
        for method in ("GET", "POST"):
            assert pair.second.api.request(method, path).status_code == 404
    pair.first.services.subscriptions.save(table.id, 0, kept)  # whatever had written it
    assert pair.second.api.post(f"/confirm/{links.confirm(table.id, 0, kept.nonce, until=until)}").status_code == 404
    assert not pair.first.subscription(table).is_confirmed
