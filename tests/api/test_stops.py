"""Time banks, allowed hours, vacations and pauses over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.clock.timestamps import milliseconds
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]
PACE = {
    "turn_seconds": 3600,
    "bank_seconds": 7200,
    "bank_refill_seconds": 60,
    "hours": {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"},
    "on_timeout": "bot",
}
DAY = timedelta(days=1)


def text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def began(api: Api, table: Table) -> datetime:
    return datetime.fromisoformat(api.events(table)[0]["at"])


def ask(api: Api, table: Table, method: str, word: str, seat: int, **more: Any) -> Any:
    return api.request(method, f"{table.path}/{word}", table.tokens[seat], **more)


def test_a_pace_in_full(api: Api) -> None:
    """Bank and hours are shown as they were given; the deadline counts both."""
    table = api.create(PEOPLE, pace=PACE)
    view, events = api.view(table), api.events(table)
    assert view["pace"] == events[0]["data"]["pace"] == PACE
    assert [seat["bank_seconds"] for seat in view["seats"]] == [7200, 7200]
    until = milliseconds(view["turn"]["deadline"]) - milliseconds(events[-1]["at"])
    assert 3 * 3600 * 1000 <= until <= 14 * 3600 * 1000
    assert api.get(f"{table.path}/audit").json()["ok"]


@pytest.mark.parametrize(
    ("more", "field"),
    [
        *cases(__file__, "a_pace_that_cannot_be_is_refused"),
        ({"bank_seconds": None}, "pace.bank_seconds"),
        ({"hours": None}, "pace.hours"),
        ({"hours": {"from": "08:00", "to": "22:00", "zone": "a" * 5000}}, "pace.hours.zone"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_pace_that_cannot_be_is_refused(api: Api, more: Any, field: str) -> None:
    answer = api.post("/v1/games", json={"seats": PEOPLE, "pace": {"turn_seconds": 60} | more})
    assert field in refused(answer, 422, "invalid-request")["errors"]


def test_a_vacation(api: Api) -> None:
    """It is told to all, moves the deadline, and ends at its owner's word; a repeat by its key does nothing."""
    table = api.create(PEOPLE, pace={"turn_seconds": 3600})
    start = began(api, table)
    refused(ask(api, table, "DELETE", "vacation", 0), 409, "not-on-vacation")
    body, key = {"until": text(start + 20 * DAY)}, {"Idempotency-Key": "off I go"}
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
    far = {"until": text(start + 31 * DAY)}
    assert "30" in refused(ask(api, table, "POST", "vacation", 0, json=far), 409, "vacation-refused")["detail"]
    past = {"until": text(start - DAY)}
    refused(ask(api, table, "POST", "vacation", 0, json=past), 409, "vacation-refused")
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
