"""The list of games over HTTP."""

from typing import Any

import pytest

from tests.api.worlds import World
from tests.gamelog.ledger import finish
from tests.support.cases import cases
from tests.support.client import Api, refused

OPEN: list[dict[str, Any]] = [{"name": "Anna"}, {"bot": "greedy"}, {}]


def opened(world: World, *, listed: bool = True) -> str:
    made = world.ask("POST", "/v1/games", json={"seats": OPEN, "listed": listed, "name": "Stammtisch Nr. 4"})
    game: str = made.get_json()["game"]["id"]
    return game


def test_listed_games_are_found(world: World) -> None:
    """Newest first, with names, version and time; an unlisted one never."""
    first, second, hidden = opened(world), opened(world), opened(world, listed=False)
    answer = world.ask("GET", "/v1/games?listed=true")
    content = answer.get_json()
    assert content.keys() == {"games", "next"}
    assert ([game["id"] for game in content["games"]], content["next"]) == ([second, first], None)
    view = world.ask("GET", f"/v1/games/{first}").get_json()
    events = world.ask("GET", f"/v1/games/{first}/events").get_json()["events"]
    assert content["games"][1] == {
        "id": first,
        "name": "Stammtisch Nr. 4",
        "status": "open",
        "seats": ["Anna", "greedy", None],
        "bots": [None, "greedy", None],
        "version": view["version"],
        "updated_at": events[-1]["at"],
    }
    assert hidden not in answer.text
    assert world.ask("POST", f"/v1/games/{first}/seats", json={"name": "Carla"}).status_code == 201
    for status, games in {"open": [second], "playing": [first], "over": []}.items():
        page = world.ask("GET", f"/v1/games?listed=true&status={status}").get_json()
        assert [game["id"] for game in page["games"]] == games


def test_pages_and_tags(world: World) -> None:
    """`next` leads on; nothing has changed: 304; games opened meanwhile change no later page."""
    games = [opened(world) for _ in range(5)][::-1]
    path, found = "/v1/games?listed=true&limit=2", []
    page = world.ask("GET", path)
    tag = {"If-None-Match": page.headers["ETag"]}
    assert page.headers["Cache-Control"] == "private, no-cache"
    assert world.ask("GET", path, headers=tag).status_code == 304
    opened(world)
    assert world.ask("GET", path, headers=tag).status_code == 200
    while True:
        content = page.get_json()
        found += [game["id"] for game in content["games"]]
        if content["next"] is None:
            break
        page = world.ask("GET", f"{path}&after={content['next']}")
    assert found == games


@pytest.mark.parametrize(
    ("query", "field"), [*cases(__file__, "invalid_queries"), (f"ids={','.join(map(str, range(101)))}", "ids")]
)
def test_a_query_that_is_not_valid(api: Api, query: str, field: str) -> None:
    """Other games are never listed, so `listed=true` must be there, or ids of games, at most 100."""
    assert list(refused(api.get(f"/v1/games?{query}"), 422, "invalid-request")["errors"]) == [field]


def test_games_are_found_by_their_ids(world: World) -> None:
    """Unlisted ones, too, in that order and once each, with totals and winners; what there isn't is left out."""
    waiting = opened(world, listed=False)
    finish(world.log, over := world.open([{"name": "Anna"}, {"name": "Bert"}]).game.id)
    answer = world.ask("GET", f"/v1/games?ids={over},nobody,{waiting},%25,,{over},{'a' * 3000}")
    first, second = answer.get_json()["games"]
    view = world.ask("GET", f"/v1/games/{over}").get_json()
    del first["updated_at"]
    seats = {"seats": ["Anna", "Bert"], "bots": [None, None]}
    same = {"id": over, "name": None, **seats, **{name: view[name] for name in ("status", "version")}}
    assert first == {**same, "totals": [seat["total"] for seat in view["seats"]], "winners": view["winners"]}
    assert (second["id"], second["status"], second["totals"], second["winners"]) == (waiting, "open", [0, 0, 0], None)
