"""Conditions and repeats, over HTTP."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from random import Random
from typing import Any

import httpx
import pytest

from tests.oracle.fairness import deal
from tests.oracle.play import choose
from tests.support.client import SEED, Api, Table
from tests.support.waiting import patience

CROWD = 50
NUMBERS = count(1)
HAND = deal(SEED, ["", ""])["hands"][0]
"""The hand of seat 0 after the deal."""
DRAW = {"type": "draw"}
LAY = {"type": "lay_businessmaker", "card": HAND[0]}
TAKE = {"type": "take", "slot": 0}
TURN = (DRAW, TAKE)
"""Three action points, always allowed where no scoring comes between."""


def key() -> dict[str, str]:
    """A header with an idempotency key that was never used."""
    return {"Idempotency-Key": f"key number {next(NUMBERS)} of these tests"}


def code_of(answer: httpx.Response) -> str:
    """The problem's code; the rest of the problem is checked here."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["title"]
    assert problem["detail"]
    return str(problem["type"]).removeprefix("/problems/")


def replayed(answer: httpx.Response) -> bool:
    """Whether an accepted answer says that it is a repeat."""
    assert answer.status_code == 201, answer.text
    assert answer.headers.get("Idempotency-Replayed") in {None, "true"}
    return "Idempotency-Replayed" in answer.headers


def crowd(api: Api, ask: Callable[[Api, int], httpx.Response]) -> list[httpx.Response]:
    """`ask` by many clients at once, each over a connection of its own, so that both web processes are asked."""

    def one(number: int) -> httpx.Response:
        with httpx.Client(base_url=api.http.base_url, timeout=patience(35)) as http:
            return ask(Api(http), number)

    with ThreadPoolExecutor(CROWD) as pool:
        return list(pool.map(one, range(CROWD)))


@pytest.fixture(scope="module")
def over(api: Api) -> tuple[Table, dict[str, str], dict[str, Any], bytes]:
    """A finished game with the first action's key, body and answer."""
    game = api.create(2)
    header = key()
    first = api.act(game, 0, LAY, headers=header)
    play_to_the_end(api, game)
    return game, header, LAY, first.content


def play_to_the_end(api: Api, game: Table) -> None:
    """The game is played to its end by the service's legal actions."""
    chance = Random(1)
    while (view := api.view(game))["status"] != "over":
        if view["status"] == "scoring":
            tag = {"If-None-Match": f'"{view["version"]}"'}
            assert api.get(game.path, params={"wait": 20}, headers=tag).status_code == 200
            continue
        seat = view["turn"]["seat"]
        legal = api.legal_actions(game, seat)
        if legal:
            api.act(game, seat, choose(chance, legal, 0.1), DRAW)


# If-Match and If-None-Match


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ('"{v}"', 201),
        ('"1", "{v}" ,"999"', 201),
        ("*", 201),
        ('"4"', 412),
        ('"999"', 412),
        ('"-1"', 412),
        (f'"{"9" * 5000}"', 412),
        ('"4", "999"', 412),
        ('W/"{v}"', 412),
        ('"4", W/"{v}"', 412),
        ("{v}", 412),
        ('"{v}', 412),
        ('"0{v}"', 412),
        ('"{v} "', 412),
        ("what?", 412),
        ('"*"', 412),
        ("", 412),
    ],
)
def test_if_match(api: Api, game: Table, condition: str, status: int) -> None:
    """Only a strong tag of the present version, or a star, lets an action through; a refusal leaves the key free."""
    version = api.version(game)
    headers = key()
    answer = api.act(game, 0, DRAW, headers={**headers, "If-Match": condition.format(v=version)})
    assert answer.status_code == status
    if status == 412:
        assert (code_of(answer), answer.json()["version"], api.version(game)) == ("stale-version", version, version)
        assert not replayed(api.act(game, 0, DRAW, headers=headers))


def test_if_match_on_joining(api: Api) -> None:
    """Taking a seat may be conditional too."""
    game = api.create([{}, {"name": "B"}])
    stale = api.post(f"{game.path}/seats", json={"name": "A"}, headers={"If-Match": '"1"'})
    assert (stale.status_code, code_of(stale)) == (412, "stale-version")
    assert api.join(game, "A", headers={"If-Match": '"2"'}) == 0


@pytest.mark.parametrize(
    ("condition", "status"),
    [('"{v}"', 304), ('W/"{v}"', 304), ('"1", "{v}"', 304), ("*", 304), ('"4"', 200), ("what?", 200)],
)
def test_if_none_match(api: Api, game: Table, condition: str, status: int) -> None:
    """A view that the client has is not sent again; the headers are the same."""
    version = api.version(game)
    answer = api.get(game.path, headers={"If-None-Match": condition.format(v=version)})
    assert answer.status_code == status
    assert answer.headers["ETag"] == f'"{version}"'
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Vary"] == "Authorization, Accept"
    assert (answer.content == b"") == (status == 304)


def test_earlier_versions_have_no_tag(api: Api, game: Table) -> None:
    """`?at=` is answered whole, whatever the client has, and at once, however long it would wait."""
    version = api.version(game)
    for query in ({"at": version}, {"at": 2, "wait": 30}):
        answer = api.get(game.path, params=query, headers={"If-None-Match": f'"{version}", "2"'})
        assert answer.status_code == 200
        assert "ETag" not in answer.headers
        assert answer.json()["version"] == query["at"]
    for wrong in (0, version + 1, 10**30):
        answer = api.get(game.path, params={"at": wrong})
        assert (answer.status_code, code_of(answer), answer.json()["version"]) == (404, "no-such-version", version)


# Idempotency-Key


def test_a_repeated_request_gets_the_first_answer(api: Api, game: Table) -> None:
    """The same bytes, from either process, after later events and with any If-Match; nothing is appended."""
    headers = key()
    first = api.act(game, 0, {"type": "take", "slot": 1}, headers={**headers, "If-Match": '"5"'})
    assert not replayed(first)
    assert first.headers["ETag"] == f'"{first.json()["version"]}"'
    api.act(game, 0, DRAW)
    version = api.act(game, 1, *TURN).json()["version"]
    for number in range(6):
        with httpx.Client(base_url=api.http.base_url, timeout=patience(35)) as http:
            again = Api(http).act(
                game, 0, {"slot": 1 if number % 2 else 1.0, "type": "take"}, headers={**headers, "If-Match": '"5"'}
            )
        assert replayed(again)
        assert again.content == first.content
        assert again.headers["ETag"] == first.headers["ETag"]
    assert api.version(game) == version


@pytest.mark.parametrize(
    "body",
    [{"type": "take", "slot": 0}, {"actions": [{"type": "take", "slot": 1}]}, DRAW],
    ids=["other value", "a list of it", "other action"],
)
def test_a_key_serves_one_body(api: Api, game: Table, body: dict[str, Any]) -> None:
    """The same key with another body is refused, even where the rules or a condition would refuse it as well."""
    headers = key()
    assert not replayed(api.act(game, 0, {"type": "take", "slot": 1}, headers=headers))
    for more in ({}, {"If-Match": '"1"'}):
        answer = api.post(f"{game.path}/actions", game.tokens[0], json=body, headers={**headers, **more})
        assert (answer.status_code, code_of(answer)) == (422, "idempotency-key-reused")
        assert answer.json()["version"] == api.version(game)
    broken = api.post(f"{game.path}/actions", game.tokens[0], json={"type": "nothing"}, headers=headers)
    assert (broken.status_code, code_of(broken)) == (422, "invalid-request")


def test_a_key_belongs_to_seat_and_resource(api: Api) -> None:
    """Two seats, two games and two resources may use the same key for different things."""
    headers = key()
    game = api.create([{"name": "A"}, {}], key=headers["Idempotency-Key"])
    assert api.join(game, "B", headers=headers) == 1
    for table in (game, api.create(2)):
        assert not replayed(api.act(table, 0, *TURN, headers=headers))
        assert not replayed(api.act(table, 1, *TURN, headers=headers))


def test_a_repeat_hides_what_was_hidden_since(api: Api, game: Table) -> None:
    """A repeat names a businessmaker only while it may be seen; all else is as in the first answer."""
    headers = key()
    first = api.act(game, 0, LAY, headers=headers)
    api.act(game, 0, DRAW)
    assert api.act(game, 0, LAY, headers=headers).content == first.content
    api.act(game, 1, *TURN)
    assert api.view(game)["turn"]["number"] == 3
    expected = first.json()
    expected["events"][0]["data"]["card"] = None
    expected["game"]["seats"][0]["rows"][0]["businessmaker"] = None
    again = api.act(game, 0, LAY, headers=headers)
    assert replayed(again)
    assert again.json() == expected


def test_a_repeat_after_the_end(api: Api, over: tuple[Table, dict[str, str], dict[str, Any], bytes]) -> None:
    """When the game is over a repeat still says what the first answer said, and shows no seed or foreign card."""
    game, headers, body, content = over
    again = api.act(game, 0, body, headers=headers)
    assert replayed(again)
    assert again.content == content
    refused = api.act(game, 0, body)
    assert (refused.status_code, code_of(refused), refused.json()["version"]) == (409, "game-over", api.version(game))


def test_a_repeat_hides_what_the_first_answer_hid(api: Api) -> None:
    """A businessmaker that the first answer hid is hidden in its repeat after the end."""
    game = api.create(2)
    api.act(game, 0, LAY, DRAW)
    api.act(game, 1, *TURN)
    headers = key()
    first = api.act(game, 0, DRAW, headers=headers)
    assert first.json()["game"]["seats"][0]["rows"][0]["businessmaker"] is None
    play_to_the_end(api, game)
    assert api.view(game)["seats"][0]["rows"][0]["businessmaker"] == HAND[0]
    assert api.act(game, 0, DRAW, headers=headers).content == first.content


def test_a_repeat_of_a_partly_applied_list(api: Api, game: Table) -> None:
    """The same number of applied actions and the same problem, though the game has later events."""
    headers = key()
    body = (TAKE, {"type": "append", "card": "gold", "row": 9}, DRAW)
    first = api.act(game, 0, *body, headers=headers)
    assert (first.json()["applied"], first.json()["problem"]["status"]) == (1, 409)
    api.act(game, 0, DRAW)
    again = api.act(game, 0, *body, headers=headers)
    assert replayed(again)
    assert again.content == first.content


def test_a_refused_request_leaves_its_key_free(api: Api, game: Table) -> None:
    """Refused out of turn, then accepted under the same key."""
    headers = key()
    refused = api.act(game, 1, *TURN, headers=headers)
    assert (refused.status_code, code_of(refused)) == (409, "not-your-turn")
    api.act(game, 0, *TURN)
    assert not replayed(api.act(game, 1, *TURN, headers=headers))


def test_repeated_creation(api: Api) -> None:
    """A repeated creation gives the same game, tokens and address; no cache may store the answer."""
    headers = key()
    body = {"seats": [{"name": "A", "entropy": "e"}, {}, {"bot": "random"}], "starting_seat": 1}
    first = api.post("/v1/games", json=body, headers=headers)
    assert not replayed(first)
    game = Table(first.json()["game"]["id"], {0: first.json()["seats"][0]["token"]}, first.json())
    assert first.headers["Location"] == game.path
    api.join(game, "B")
    again = api.post("/v1/games", json={**body, "starting_seat": 1.0}, headers=headers)
    assert replayed(again)
    assert again.content == first.content
    assert again.headers["Location"] == game.path
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "no-store"
    other = api.post("/v1/games", json={**body, "starting_seat": 0}, headers=headers)
    assert (other.status_code, code_of(other)) == (422, "idempotency-key-reused")


def test_repeated_joining(api: Api) -> None:
    """A repeated joining gives the same seat and token, even when the table is full."""
    game = api.create([{"name": "A"}, {}])
    headers = key()
    first = api.post(f"{game.path}/seats", json={"name": "B"}, headers=headers)
    assert not replayed(first)
    again = api.post(f"{game.path}/seats", json={"name": "B"}, headers=headers)
    assert replayed(again)
    assert again.content == first.content
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "no-store"
    full = api.post(f"{game.path}/seats", json={"name": "B"}, headers=key())
    assert (full.status_code, code_of(full)) == (409, "no-open-seat")


@pytest.mark.parametrize("path", ["/v1/games", "/seats"])
def test_an_idempotency_key_that_returns_tokens_has_a_minimum_length(api: Api, path: str) -> None:
    """At least 22 characters."""
    game = api.create([{"name": "A"}, {}])
    body: dict[str, Any] = {"name": "B"} if path == "/seats" else {"seats": [{}, {}]}
    path = game.path + path if path == "/seats" else path
    short = api.post(path, json=body, headers={"Idempotency-Key": f"{next(NUMBERS):021}"})
    assert (short.status_code, code_of(short)) == (422, "invalid-request")
    assert not replayed(api.post(path, json=body, headers={"Idempotency-Key": f"{next(NUMBERS):022}"}))


# Many at once


def test_one_key_many_senders(api: Api, game: Table) -> None:
    """The action is applied once; every client gets the same answer, and one answer only isn't marked as a repeat."""
    headers = key()
    answers = crowd(api, lambda client, _: client.act(game, 0, TAKE, headers=headers))
    assert [replayed(answer) for answer in answers].count(False) == 1
    assert len({answer.content for answer in answers}) == 1
    assert sum(event["type"] == "CardTaken" for event in api.events(game)) == 1


def test_one_version_many_senders(api: Api, game: Table) -> None:
    """Of all actions with If-Match for one version, one is accepted."""
    tag = {"If-Match": f'"{api.version(game)}"'}
    answers = crowd(api, lambda client, _: client.act(game, 0, TAKE, headers=tag))
    assert sorted(answer.status_code for answer in answers) == [201] + [412] * (CROWD - 1)
    assert sum(event["type"] == "CardTaken" for event in api.events(game)) == 1


def test_many_joins_for_two_seats(api: Api) -> None:
    """Two of many joins get the two open seats."""
    game = api.create([{}, {"name": "B"}, {}])
    answers = crowd(api, lambda client, number: client.post(f"{game.path}/seats", json={"name": f"P{number}"}))
    taken = [answer.json() for answer in answers if answer.status_code == 201]
    assert sorted(one["seat"] for one in taken) == [0, 2]
    assert {code_of(answer) for answer in answers if answer.status_code != 201} == {"no-open-seat"}
    names = [seat["name"] for seat in api.view(game)["seats"]]
    for one in taken:
        assert one["game"]["seats"][one["seat"]]["name"] == names[one["seat"]]
        assert api.get(game.path, one["token"]).json()["you"]["seat"] == one["seat"]


def test_one_key_many_creators(api: Api) -> None:
    """One game is created."""
    headers = key()
    answers = crowd(
        api, lambda client, _: client.post("/v1/games", json={"seats": [{"name": "A"}, {}]}, headers=headers)
    )
    assert [replayed(answer) for answer in answers].count(False) == 1
    assert len({answer.content for answer in answers}) == 1


def test_many_actions_without_conditions(api: Api, game: Table) -> None:
    """Three of many single takes fit into the turn; the log has no gap and no more than that."""
    answers = crowd(api, lambda client, _: client.act(game, 0, TAKE))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * (CROWD - 3)
    assert {code_of(answer) for answer in answers if answer.status_code == 409} == {"not-your-turn"}
    versions = [event["version"] for event in api.events(game)]
    assert versions == list(range(1, len(versions) + 1))
