"""Conditions and repeats, over HTTP."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest

from service.gamelog.log import GameLog
from tests.gamelog.ledger import finish
from tests.oracle.fairness import deal
from tests.support.cases import cases
from tests.support.client import SEED, Api, Table, refused
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
    return {"Idempotency-Key": f"key number {next(NUMBERS)} of these tests"}


def replayed(answer: httpx.Response) -> bool:
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


# If-Match and If-None-Match


@pytest.mark.parametrize(("condition", "status"), [*cases(__file__, "if_match"), (f'"{"9" * 5000}"', 412)])
def test_if_match(api: Api, game: Table, condition: str, status: int) -> None:
    """Only a strong tag of the present version, or a star, lets an action through; a refusal leaves the key free."""
    version = api.version(game)
    headers = key()
    answer = api.act(game, 0, DRAW, headers={**headers, "If-Match": condition.format(v=version)})
    assert answer.status_code == status
    if status == 412:
        refused(answer, 412, "stale-version", version)
        assert api.version(game) == version
        assert not replayed(api.act(game, 0, DRAW, headers=headers))


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
        refused(answer, 422, "idempotency-key-reused", api.version(game))
    broken = api.post(f"{game.path}/actions", game.tokens[0], json={"type": "nothing"}, headers=headers)
    refused(broken, 422, "invalid-request")


def test_a_key_belongs_to_seat_and_resource(api: Api) -> None:
    """Two seats, two games and two resources may use the same key for different things."""
    headers = key()
    game = api.create([{"name": "A"}, {}], key=headers["Idempotency-Key"])
    assert api.join(game, "B", headers=headers) == 1
    for table in (game, api.create(2)):
        assert not replayed(api.act(table, 0, *TURN, headers=headers))
        assert not replayed(api.act(table, 1, *TURN, headers=headers))


def test_a_repeat_hides_what_the_first_answer_hid(api: Api, service_log: GameLog) -> None:
    """After the end a repeat shows a businessmaker as the first answer did, and no seed or foreign card."""
    game = api.create(2)
    headers, laying = key(), key()
    laid = api.act(game, 0, LAY, DRAW, headers=laying)
    api.act(game, 1, *TURN)
    first = api.act(game, 0, DRAW, headers=headers)
    assert first.json()["game"]["seats"][0]["rows"][0]["businessmaker"] is None
    finish(service_log, game.id)
    assert api.view(game)["seats"][0]["rows"][0]["businessmaker"] == HAND[0]
    for again, before in (
        (api.act(game, 0, DRAW, headers=headers), first),
        (api.act(game, 0, LAY, DRAW, headers=laying), laid),
    ):
        assert replayed(again)
        assert again.content == before.content


@pytest.mark.parametrize("path", ["/v1/games", "/seats"])
def test_an_idempotency_key_that_returns_tokens_has_a_minimum_length(api: Api, path: str) -> None:
    game = api.create([{"name": "A"}, {}])
    body: dict[str, Any] = {"name": "B"} if path == "/seats" else {"seats": [{}, {}]}
    path = game.path + path if path == "/seats" else path
    short = api.post(path, json=body, headers={"Idempotency-Key": f"{next(NUMBERS):021}"})
    refused(short, 422, "invalid-request")
    assert not replayed(api.post(path, json=body, headers={"Idempotency-Key": f"{next(NUMBERS):022}"}))


# Many at once


def test_many_joins_for_two_seats(api: Api) -> None:
    game = api.create([{}, {"name": "B"}, {}])
    answers = crowd(api, lambda client, number: client.post(f"{game.path}/seats", json={"name": f"P{number}"}))
    taken = [answer.json() for answer in answers if answer.status_code == 201]
    assert sorted(one["seat"] for one in taken) == [0, 2]
    for answer in answers:
        assert answer.status_code == 201 or refused(answer, 409, "no-open-seat")
    names = [seat["name"] for seat in api.view(game)["seats"]]
    for one in taken:
        assert one["game"]["seats"][one["seat"]]["name"] == names[one["seat"]]
        assert api.get(game.path, one["token"]).json()["you"]["seat"] == one["seat"]


def test_one_key_many_creators(api: Api) -> None:
    headers = key()
    answers = crowd(
        api, lambda client, _: client.post("/v1/games", json={"seats": [{"name": "A"}, {}]}, headers=headers)
    )
    assert [replayed(answer) for answer in answers].count(False) == 1
    assert len({answer.content for answer in answers}) == 1


def timed(ask: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    began = time.monotonic()
    return ask(), time.monotonic() - began


@pytest.mark.parametrize(
    ("query", "tag", "status"),
    [
        ({"wait": 20}, '"1"', 200),
        ({"wait": 20}, None, 200),
        ({"wait": 20, "at": 1}, '"5"', 200),
        ({"wait": 20, "at": 5}, '"5"', 200),
        ({"wait": 0}, '"5"', 304),
    ],
    ids=["newer", "no tag", "earlier version", "present version", "no time"],
)
def test_a_poll_with_news_is_answered_at_once(
    api: Api, game: Table, query: dict[str, int], tag: str | None, status: int
) -> None:
    assert api.version(game) == 5
    headers = {"If-None-Match": tag} if tag else {}
    answer, seconds = timed(lambda: api.get(game.path, params=query, headers=headers))
    assert answer.status_code == status
    assert seconds < patience(1)


def test_an_action_wakes_all_polls(api: Api, game: Table) -> None:
    """The polls of spectators and seats, at both processes, are answered within a fraction of a second."""

    def wait(number: int) -> tuple[httpx.Response, float]:
        token = (None, *game.tokens.values())[number % 3]
        with httpx.Client(base_url=api.http.base_url, timeout=patience(35)) as http:
            answer = Api(http).get(game.path, token, params={"wait": 20}, headers={"If-None-Match": '"5"'})
        return answer, time.monotonic()

    with ThreadPoolExecutor(12) as pool:
        waiting = [pool.submit(wait, number) for number in range(12)]
        end = time.monotonic() + patience(10)
        while open_polls(api) < 12:  # one that a test before has left behind ends at any time
            assert time.monotonic() < end, "they don't all wait"
        acted = time.monotonic()
        version = api.act(game, 0, TAKE).json()["version"]
        for number, poll in enumerate(waiting):
            answer, when = poll.result(patience(25))
            assert (answer.status_code, answer.json()["version"]) == (200, version)
            assert answer.json()["you"] == (None if number % 3 == 0 else api.view(game, number % 3 - 1)["you"])
            assert when - acted < patience(0.75)


def open_polls(api: Api) -> int:
    lines = api.get("/metrics").text.splitlines()
    return round(sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("reibach_polls_open")))
