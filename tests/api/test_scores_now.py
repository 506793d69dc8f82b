"""`…/scores/now`: what the next scoring round would bring if it came now."""

from typing import Any

import pytest

from tests.api.worlds import World, told
from tests.support.client import Api, refused
from tests.support.standings import check_announced

PLAYED = [(2, 10_000, ()), (4, 90, ("staggered_start",)), (3, 150, ("expensive_specials", "staggered_start"))]


@pytest.fixture(scope="module", params=PLAYED, ids=str)
def played(request: pytest.FixtureRequest) -> World:
    """A finished game and two running ones, with the variants."""
    seats, commands, variants = request.param
    world = told(seats, "now", commands, variants)
    assert world.game.rounds
    return world


def ask(world: World, query: str = "", seat: int | None = None) -> dict[str, Any]:
    answer = world.ask("GET", f"{world.path}/scores/now{query}", seat)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.get_json()
    return content


def test_each_round_was_told(played: World) -> None:
    """At the versions right before a round was announced, and right before it was scored."""
    events = [(event["version"], event["type"], event["data"]) for event in played.history()]
    rounds = {data["round"]: data for _, kind, data in events if kind == "RoundScored"}
    moments = [(version, data["round"]) for version, kind, data in events if kind in {"ScoringStarted", "RoundScored"}]
    assert moments
    for version, number in moments:
        if number in rounds:
            now = ask(played, f"?at={version - 1}")
            assert now["version"] == version - 1
            check_announced(now, rounds[number])


def test_all_are_told_the_same(played: World) -> None:
    """Seats and spectators, now and at the present version; it belongs to the view of that version."""
    now = ask(played)
    view = played.ask("GET", played.path).get_json()
    assert now["version"] == view["version"]
    assert [seat["total"] - seat["income"] for seat in now["seats"]] == [seat["total"] for seat in view["seats"]]
    assert (now["round"] is None) == (view["status"] == "over")
    assert ask(played, f"?at={now['version']}") == now
    for seat in played.tokens:
        assert ask(played, seat=seat) == now


def test_an_unchanged_answer_is_not_sent_again(played: World) -> None:
    tag = played.ask("GET", f"{played.path}/scores/now").headers["ETag"]
    for seat in (None, 0):
        again = played.ask("GET", f"{played.path}/scores/now", seat, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")


def test_an_open_game_has_no_race_yet(api: Api) -> None:
    """The first round comes next, and nobody gets anything; a version that isn't there is refused."""
    table = api.create([{"name": "Anna"}, {}], variants={"staggered_start": True})
    now = api.get(f"{table.path}/scores/now").json()
    assert (now["round"], now["businesses"]) == (1, [])
    totals = [seat["total"] for seat in api.view(table)["seats"]]
    assert [(seat["income"], seat["total"]) for seat in now["seats"]] == [(0, total) for total in totals]
    version = api.version(table)
    refused(api.get(f"{table.path}/scores/now?at={version + 1}"), 404, "no-such-version", version)
    refused(api.get(f"{table.path}/scores/now?at=x"), 422, "invalid-request")
