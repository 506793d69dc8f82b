"""Long polls over HTTP: when they are answered."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.api.test_conditions import TAKE
from tests.support.client import Api, Table
from tests.support.waiting import patience


def timed(ask: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
    began = time.monotonic()
    return ask(), time.monotonic() - began


@pytest.mark.parametrize(
    ("query", "tag", "status"),
    [
        ({"wait": 20}, '"1"', 200),
        ({"wait": 20}, None, 200),
        ({"wait": 20, "at": 1}, '"5"', 200),
        ({"wait": 0}, '"5"', 304),
    ],
    ids=["newer", "no tag", "earlier version", "no time"],
)
def test_a_poll_with_news_is_answered_at_once(
    api: Api, game: Table, query: dict[str, int], tag: str | None, status: int
) -> None:
    assert api.version(game) == 5
    headers = {"If-None-Match": tag} if tag else {}
    answer, seconds = timed(lambda: api.get(game.path, params=query, headers=headers))
    assert answer.status_code == status
    assert seconds < patience(1)


def test_a_poll_without_news_times_out(api: Api, game: Table) -> None:
    answer, seconds = timed(lambda: api.get(game.path, params={"wait": 0.6}, headers={"If-None-Match": '"5"'}))
    assert (answer.status_code, answer.headers["ETag"], answer.content) == (304, '"5"', b"")
    assert 0.6 <= seconds < patience(1.25)


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
