"""Pace over HTTP: deadlines, a seat that a bot plays and its return, resignation; time banks, vacations and pauses."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from domain.clock.timestamps import milliseconds
from tests.api.worlds import World
from tests.support.absence import pass_turn, time_out
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

PACE = {"turn_seconds": 3600, "reminder_seconds": 60, "on_timeout": "bot"}


IN_FULL = {
    "turn_seconds": 3600,
    "bank_seconds": 7200,
    "bank_refill_seconds": 60,
    "hours": {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"},
    "on_timeout": "bot",
}
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]


def opened(api: Api, pace: Any = PACE) -> Table:
    """A new game of two with a pace, seat 0 to play."""
    return api.create(PEOPLE, pace=pace)


def test_pace_and_deadline_are_shown(api: Api) -> None:
    """In GameCreated and in every view, with bank and hours, which the deadline counts; without a pace none is."""
    table = opened(api, {"turn_seconds": 60})
    view, events = api.view(table), api.events(table)
    assert view["pace"] == events[0]["data"]["pace"] == {"turn_seconds": 60, "on_timeout": "bot"}
    assert milliseconds(view["turn"]["deadline"]) == milliseconds(events[-1]["at"]) + 60_000
    assert [seat["away"] for seat in view["seats"]] == [None, None]
    plain = opened(api, None)
    assert api.view(plain)["pace"] is None
    assert "deadline" not in api.view(plain)["turn"]
    assert "pace" not in api.events(plain)[0]["data"]
    full = opened(api, IN_FULL)
    view, events = api.view(full), api.events(full)
    assert view["pace"] == events[0]["data"]["pace"] == IN_FULL
    assert [seat["bank_seconds"] for seat in view["seats"]] == [7200, 7200]
    until = milliseconds(view["turn"]["deadline"]) - milliseconds(events[-1]["at"])
    assert 3 * 3600 * 1000 <= until <= 14 * 3600 * 1000
    assert api.get(f"{full.path}/audit").json()["ok"]


@pytest.mark.parametrize(
    ("pace", "field"),
    [
        *cases(__file__, "out_of_range"),
        *(({"turn_seconds": 60, name: None}, f"pace.{name}") for name in ("reminder_seconds", "bank_seconds", "hours")),
        ({"turn_seconds": 60, "hours": {"from": "08:00", "to": "22:00", "zone": "a" * 5000}}, "pace.hours.zone"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_pace_out_of_range_is_refused(api: Api, pace: Any, field: str) -> None:
    answer = api.post("/v1/games", json={"seats": PEOPLE, "pace": pace})
    errors = refused(answer, 422, "invalid-request")["errors"]
    assert field in errors
    assert all(name.startswith("pace.hours.") for name in errors.keys() - {field})


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


@pytest.mark.parametrize("way", ["reclaim", "action"])
def test_an_abandoned_seat_comes_back(world: World, way: str) -> None:
    """By `reclaim`, or by an action, whose answer begins with it; the rest of a late turn is the bot's."""
    made = world.ask("POST", "/v1/games", json={"seats": PEOPLE, "pace": PACE}).get_json()
    game, anna = made["game"]["id"], {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    path = f"/v1/games/{game}"
    for _ in range(2):
        late = time_out(world.log, game)
        answer = world.ask("POST", f"{path}/actions", json={"type": "draw"}, headers=anna)
        assert (answer.status_code, answer.get_json()["type"]) == (409, "/problems/not-your-turn")
        assert "bot plays the rest" in answer.get_json()["detail"]
        assert world.ask("GET", f"{path}/legal-actions", headers=anna).get_json()["actions"] == []
        pass_turn(late, game, by_bot=True)
        pass_turn(late, game)
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


def ask(api: Api, table: Table, method: str, word: str, seat: int, **more: Any) -> Any:
    return api.request(method, f"{table.path}/{word}", table.tokens[seat], **more)


def test_a_vacation(api: Api) -> None:
    """It is told to all, moves the deadline, and ends at its owner's word; a repeat by its key does nothing."""
    table = api.create(PEOPLE, pace={"turn_seconds": 3600})
    start, day = datetime.fromisoformat(api.events(table)[0]["at"]), timedelta(days=1)
    refused(ask(api, table, "DELETE", "vacation", 0), 409, "not-on-vacation")
    body, key = {"until": (start + 20 * day).isoformat()}, {"Idempotency-Key": "off I go"}
    answer = ask(api, table, "POST", "vacation", 0, json=body, headers=key)
    assert answer.status_code == 201
    content = answer.json()
    (event,) = content["events"]
    assert (event["type"], event["data"]["seat"]) == ("VacationTaken", 0)
    assert milliseconds(event["data"]["until"]) == milliseconds(body["until"])
    view = api.view(table)
    assert view["seats"][0]["vacations"] == [{"from": event["at"], "until": event["data"]["until"]}]
    assert milliseconds(view["turn"]["deadline"]) > milliseconds(body["until"])
    again = ask(api, table, "POST", "vacation", 0, json=body, headers=key)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    refused(ask(api, table, "POST", "vacation", 0, json=body), 409, "vacation-refused")
    ended = ask(api, table, "DELETE", "vacation", 0)
    assert (ended.status_code, ended.json()["events"][0]["type"]) == (200, "VacationEnded")
    after = api.view(table)
    assert milliseconds(after["turn"]["deadline"]) < milliseconds(body["until"])
    for days, said in ((31, "30"), (-1, "")):
        asked = ask(api, table, "POST", "vacation", 0, json={"until": (start + days * day).isoformat()})
        assert said in refused(asked, 409, "vacation-refused")["detail"]
    assert api.get(f"{table.path}/audit").json()["ok"]


@pytest.mark.parametrize(
    "until", [None, 5, "", "tomorrow", "2026-08-15", "2026-08-15T12:00:00", "2026-13-15T12:00:00Z", "9" * 3000], ids=str
)
def test_a_time_that_is_none_is_refused(api: Api, until: Any) -> None:
    table = api.create(PEOPLE)
    answer = ask(api, table, "POST", "vacation", 0, json={"until": until})
    assert list(refused(answer, 422, "invalid-request")["errors"]) == ["until"]


def test_a_pause(api: Api) -> None:
    """All agree, one resumes; meanwhile there is no deadline, and all can act."""
    table = api.create(PEOPLE, pace={"turn_seconds": 3600})
    before = api.view(table)["turn"]["deadline"]
    refused(ask(api, table, "POST", "resume", 0), 409, "game-not-paused")
    assert ask(api, table, "POST", "pause", 0).status_code == 201
    assert api.view(table)["consents"] == {"pause": [0]}
    assert ask(api, table, "DELETE", "pause", 0).json()["events"][0]["type"] == "ConsentWithdrawn"
    assert ask(api, table, "POST", "pause", 0).status_code == 201
    agreed = ask(api, table, "POST", "pause", 1).json()
    assert [event["type"] for event in agreed["events"]] == ["ConsentGiven", "GamePaused"]
    view = api.view(table)
    assert (view["turn"]["deadline"], view["paused_since"]) == (None, agreed["events"][0]["at"])
    refused(ask(api, table, "POST", "pause", 1), 409, "game-paused")
    assert api.act(table, 0, {"type": "draw"}).status_code == 201
    assert ask(api, table, "POST", "resume", 1).json()["events"][-1]["type"] == "GameResumed"
    view = api.view(table)
    assert "paused_since" not in view
    assert milliseconds(view["turn"]["deadline"]) >= milliseconds(before)
    assert api.get(f"{table.path}/audit").json()["ok"]


def test_only_who_plays_stops_the_clock(api: Api) -> None:
    """With a token, of a game that has started, by one who has not resigned."""
    table, waiting = api.create(PEOPLE), api.create([{"name": "Anna"}, {}])
    body = {"json": {"until": "2030-01-01T00:00:00Z"}}
    words = (("POST", "vacation", body), ("DELETE", "vacation", {}), ("POST", "pause", {}), ("POST", "resume", {}))
    ask(api, table, "POST", "resign", 1)
    for method, word, more in words:
        refused(api.request(method, f"{table.path}/{word}", **more), 401, "missing-token")
        refused(ask(api, waiting, method, word, 0, **more), 409, "game-not-started")
        refused(ask(api, table, method, word, 1, **more), 409, "seat-resigned")
