"""Pace over HTTP: deadlines in the view, a seat that a bot plays, its return, and resignation."""

from typing import Any

import pytest

from domain.clock.deadline import deadline
from domain.clock.timestamps import milliseconds
from domain.commands import Act, TimeOut
from domain.legality import legal_actions
from service.gamelog.log import GameLog
from tests.api.worlds import World
from tests.support.cases import cases
from tests.support.client import Api, Table, refused
from tests.support.world import new_log

PACE = {"turn_seconds": 3600, "reminder_seconds": 60, "on_timeout": "bot"}
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]


def opened(api: Api, pace: Any = PACE) -> Table:
    """A new game of two with a pace, seat 0 to play."""
    return api.create(PEOPLE, pace=pace)


def test_pace_and_deadline_are_shown(api: Api) -> None:
    """In GameCreated and in every view; a game without a pace has none."""
    table = opened(api, {"turn_seconds": 60})
    view, events = api.view(table), api.events(table)
    assert view["pace"] == events[0]["data"]["pace"] == {"turn_seconds": 60, "on_timeout": "bot"}
    assert milliseconds(view["turn"]["deadline"]) == milliseconds(events[-1]["at"]) + 60_000
    assert [seat["away"] for seat in view["seats"]] == [None, None]
    plain = opened(api, None)
    assert api.view(plain)["pace"] is None
    assert "deadline" not in api.view(plain)["turn"]
    assert "pace" not in api.events(plain)[0]["data"]


@pytest.mark.parametrize(
    ("pace", "field"),
    [*cases(__file__, "out_of_range"), ({"turn_seconds": 60, "reminder_seconds": None}, "pace.reminder_seconds")],
    ids=str,
)
def test_a_pace_out_of_range_is_refused(api: Api, pace: Any, field: str) -> None:
    answer = api.post("/v1/games", json={"seats": PEOPLE, "pace": pace})
    assert list(refused(answer, 422, "invalid-request")["errors"]) == [field]


def test_resigning(api: Api) -> None:
    """For good: repeated by its key alone; nothing can be done or reclaimed afterwards, and messages still can."""
    table = opened(api, None)
    key = {"Idempotency-Key": "resign once"}
    first = api.post(f"{table.path}/resign", table.tokens[0], headers=key)
    assert first.status_code == 201
    content = first.json()
    assert content.keys() == {"version", "events", "game", "receipt"}
    assert [(event["type"], event["data"]) for event in content["events"]] == [("PlayerResigned", {"seat": 0})]
    assert content["game"]["seats"][0]["away"] == "resigned"
    again = api.post(f"{table.path}/resign", table.tokens[0], headers=key, json={})
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    refused(api.post(f"{table.path}/resign", table.tokens[0]), 409, "seat-resigned")
    refused(api.post(f"{table.path}/reclaim", table.tokens[0]), 409, "seat-not-abandoned")
    assert api.legal_actions(table, 0) == []
    assert api.act(table, 0, {"type": "draw"}).status_code == 409
    assert api.post(f"{table.path}/messages", table.tokens[0], json={"text": "Bye"}).status_code == 201
    refused(api.post(f"{table.path}/resign"), 401, "missing-token")
    refused(api.post(f"{table.path}/resign", table.tokens[1], json={"why": "bored"}), 422, "invalid-request")
    waiting = api.create([{"name": "Anna"}, {}])
    for word in ("resign", "reclaim"):
        refused(api.post(f"{waiting.path}/{word}", waiting.tokens[0]), 409, "game-not-started")


def pass_turn(late: GameLog, game: str, *, by_bot: bool) -> None:
    """Play the rest of the turn; `late` is a log whose clock is at the deadline."""
    turn = late.load(game).game.turn
    while (now := late.load(game).game).turn == turn:
        action = next(legal_actions(now, now.turn_seat))
        late.handle(game, Act(seat=now.turn_seat, actions=(action,), by_bot=by_bot))


@pytest.mark.parametrize("way", ["reclaim", "action"])
def test_an_abandoned_seat_comes_back(world: World, way: str) -> None:
    """By `reclaim`, or by an action, whose answer begins with it; the rest of a late turn is the bot's."""
    made = world.ask("POST", "/v1/games", json={"seats": PEOPLE, "pace": PACE}).get_json()
    game, anna = made["game"]["id"], {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    path = f"/v1/games/{game}"
    for _ in range(2):
        until = deadline(world.log.load(game).game)
        assert until is not None
        late = new_log(world.log.store, clock=lambda now=until: now)
        turn = late.load(game).game.turn
        assert late.handle(game, TimeOut(turn=turn)).events[0]["type"] == "TurnTimedOut"
        answer = world.ask("POST", f"{path}/actions", json={"type": "draw"}, headers=anna)
        assert (answer.status_code, answer.get_json()["type"]) == (409, "/problems/not-your-turn")
        assert "bot plays the rest" in answer.get_json()["detail"]
        assert world.ask("GET", f"{path}/legal-actions", headers=anna).get_json()["actions"] == []
        pass_turn(late, game, by_bot=True)
        pass_turn(late, game, by_bot=False)
    assert world.ask("GET", path).get_json()["seats"][0]["away"] == "abandoned"
    offered = world.ask("GET", f"{path}/legal-actions", headers=anna).get_json()["actions"]
    body = {"json": offered[0]} if way == "action" else {}
    word = "actions" if way == "action" else "reclaim"
    answer = world.ask("POST", f"{path}/{word}", headers=anna, **body)
    assert answer.status_code == 201
    content = answer.get_json()
    assert (content["events"][0]["type"], content["events"][0]["data"]) == ("SeatReclaimed", {"seat": 0})
    assert content["game"]["seats"][0]["away"] is None
    assert world.ask("GET", f"{path}/audit").get_json()["ok"]
