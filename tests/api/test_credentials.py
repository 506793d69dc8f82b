"""Credentials over HTTP: what needs a token, and what may be stored."""

import pytest

from tests.api.test_conditions import DRAW, code_of
from tests.support.client import Api, Table

READS = ["", "/events", "/scores", "/scores/now", "/receipt", "/legal-actions"]


@pytest.mark.parametrize("path", READS)
def test_reading_with_a_wrong_token(api: Api, game: Table, path: str) -> None:
    """An invalid token is 401 and another game's token 403, also for an unknown game."""
    foreign = api.create(2).tokens[0]
    good = game.tokens[0]
    headers = ["", "Bearer", f"Basic {good}", good, f"Bearer {good}x", f"Bearer {good[:-1]}", f"Bearer {good} x"]
    for where in (game.path, "/v1/games/nosuchgame"):
        for header in headers:
            answer = api.get(where + path, headers={"Authorization": header})
            assert (answer.status_code, code_of(answer)) == (401, "invalid-token"), header
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
            assert "version" not in answer.json()
        answer = api.get(where + path, foreign)
        assert (answer.status_code, code_of(answer)) == (403, "not-your-game")
    assert api.get(game.path + path, headers={"Authorization": f"bearer {good}"}).status_code == 200


def test_resources_that_need_a_token(api: Api, game: Table) -> None:
    """Legal actions and acting need a token; spectators may read the other resources."""
    for where in (game.path, "/v1/games/nosuchgame"):
        for answer in (api.get(f"{where}/legal-actions"), api.post(f"{where}/actions", json=DRAW)):
            assert (answer.status_code, code_of(answer)) == (401, "missing-token")
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert {api.get(game.path + path).status_code for path in READS if path != "/legal-actions"} == {200}


def test_every_answer_is_private(api: Api, game: Table) -> None:
    """Refusals too; an answer with a token is not to be stored at all."""
    answers = [
        api.get(game.path),
        api.get(f"{game.path}/events", headers={"Accept": "application/x-ndjson"}),
        api.get("/v1/games/nosuchgame"),
        api.get(f"{game.path}/nothing"),
        api.request("DELETE", game.path),
        api.get(game.path, "nonsense"),
        api.act(game, 1, DRAW),
        api.act(game, 0, {"type": "pass"}),
        api.act(game, 0, DRAW),
        api.post("/v1/games", json={}),
    ]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"private, no-cache"}
    created = api.post("/v1/games", json={"seats": [{}, {}]})
    assert created.headers["Cache-Control"] == "no-store"
    assert all("Authorization, Accept" in answer.headers.get_list("Vary") for answer in [*answers, created])


def test_bots_are_listed(api: Api) -> None:
    """At least the two bots of the contract, each with a description; each can take a seat."""
    bots = api.get("/v1/bots").json()["bots"]
    assert {bot["name"] for bot in bots} >= {"random", "greedy"}
    assert all(bot.keys() == {"name", "about"} and bot["about"] for bot in bots)
    game = api.create([{"bot": bot["name"]} for bot in bots] + [{}])
    assert [(seat["name"], seat["bot"]) for seat in api.view(game)["seats"]] == [
        (b["name"], b["name"]) for b in bots
    ] + [(None, None)]
    unknown = api.post("/v1/games", json={"seats": [{"bot": "nobody"}, {}]})
    assert (unknown.status_code, code_of(unknown)) == (422, "invalid-request")
