"""Cancelling a game over HTTP: consents, and everything that asks whether a game is over, and who has won."""

import json

import pytest

from domain.audit.checks import audit
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

PEOPLE = [{"name": "Anna"}, {"name": "Bert"}, {"bot": "greedy"}]


@pytest.fixture(scope="module")
def cancelled(api: Api) -> Table:
    """A game that both of its people have cancelled after an action."""
    table = api.create(PEOPLE)
    assert api.act(table, 0, {"type": "draw"}).status_code == 201
    first = api.post(f"{table.path}/cancel", table.tokens[0])
    assert first.status_code == 201
    assert first.json()["game"]["consents"] == {"cancel": [0]}
    last = api.post(f"{table.path}/cancel", table.tokens[1])
    assert [event["type"] for event in last.json()["events"]] == ["ConsentGiven", "GameCancelled"]
    return table


def test_a_consent_is_given_and_withdrawn(api: Api) -> None:
    """Each at most once in a row, by a seat alone; a repeat by its key is answered as the first was."""
    table = api.create(PEOPLE)
    path, key = f"{table.path}/cancel", {"Idempotency-Key": "once"}
    refused(api.post(path), 401, "missing-token")
    refused(api.request("DELETE", path, table.tokens[0]), 409, "consent-unchanged")
    first = api.post(path, table.tokens[0], headers=key)
    assert (first.status_code, first.json().keys()) == (201, {"version", "events", "game", "receipt"})
    again = api.post(path, table.tokens[0], headers=key)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    refused(api.post(path, table.tokens[0]), 409, "consent-unchanged")
    back = api.request("DELETE", path, table.tokens[0])
    assert (back.status_code, back.json()["events"][0]["type"]) == (200, "ConsentWithdrawn")
    assert "consents" not in api.view(table)
    stale = {"If-Match": '"1"'}
    refused(api.post(path, table.tokens[0], headers=stale), 412, "stale-version")
    waiting = api.create([{"name": "Anna"}, {}])
    refused(api.post(f"{waiting.path}/cancel", waiting.tokens[0]), 409, "game-not-started")


def test_a_cancelled_game_is_over(api: Api, cancelled: Table) -> None:
    """Without a winner, for everyone who asks; nobody acts in it any more, and all of it can be seen."""
    view = api.view(cancelled)
    assert (view["status"], view["winners"], view["turn"]) == ("over", [], None)
    assert view["fairness"]["server_seed"]
    assert api.get(f"{cancelled.path}/scores").json()["winners"] == []
    assert api.legal_actions(cancelled, 0) == []
    problem = refused(api.act(cancelled, 0, {"type": "draw"}), 409, "game-over")
    assert problem["detail"] == "The game was cancelled: nobody has won."
    for word in ("resign", "reclaim", "cancel"):
        refused(api.post(f"{cancelled.path}/{word}", cancelled.tokens[0]), 409, "game-over")
    refused(api.post(f"{cancelled.path}/seats", json={"name": "Cleo"}), 409, "no-open-seat")
    sheet = api.get(f"{cancelled.path}/scores", headers={"Accept": "text/html"})
    assert (sheet.status_code, 'class="result"' in sheet.text) == (200, False)
    assert api.get(f"{cancelled.path}/scores", headers={"Accept": "text/csv"}).status_code == 200


def test_its_log_is_whole(api: Api, cancelled: Table) -> None:
    """The export passes the audit with all checks shown, the service's own audit agrees, and the stream ends."""
    checks = api.get(f"{cancelled.path}/audit").json()
    assert [check["ok"] for check in checks["checks"]] == [True] * 6
    export = api.get(f"{cancelled.path}/events", headers={"Accept": "application/x-ndjson"})
    events = [json.loads(line) for line in export.content.splitlines()]
    assert all(check.ok for check in audit(events).checks)
    end = next(event["version"] for event in events if event["type"] == "GameCancelled")
    stream = api.get(f"{cancelled.path}/events", headers={"Accept": "text/event-stream"})
    assert "event: GameCancelled" in stream.text
    after = {"Accept": "text/event-stream", "Last-Event-ID": str(end)}
    assert api.get(f"{cancelled.path}/events", headers=after).status_code == 204
    replay = api.get(f"{cancelled.path}/replay", params={"limit": 1000})
    assert '"status":"over"' in replay.text


@pytest.mark.parametrize(("language", "sentence"), cases(__file__, "recaps"))
def test_its_recap_says_so(api: Api, cancelled: Table, language: str, sentence: str) -> None:
    items = api.get(f"{cancelled.path}/recap", params={"language": language, "since": 0}).json()["items"]
    assert (items[-1]["type"], items[-1]["text"]) == ("GameCancelled", sentence)


def test_it_can_be_forked_up_to_its_end(api: Api, cancelled: Table) -> None:
    """As a finished game: at any version before; the people's consents are history in the copy."""
    view = api.view(cancelled)
    seats = [{"name": "Cleo"}, {"name": "Dora"}, {"name": "Emil"}]
    body = {"fork": {"game": cancelled.id, "version": view["version"] - 1}, "seats": seats}
    made = api.post("/v1/games", json=body)
    assert made.status_code == 201, made.text
    fork = made.json()["game"]
    assert (fork["status"], fork["open_information"], "consents" in fork) == ("playing", True, False)
    assert api.get(f"/v1/games/{fork['id']}/audit").json()["ok"]
    body["fork"]["version"] += 1
    refused(api.post("/v1/games", json=body), 409, "game-over")
