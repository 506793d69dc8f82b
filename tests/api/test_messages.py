"""Messages over HTTP: when, by which seat and how often, and what they don't change."""

import json
import re
from itertools import count
from random import Random
from typing import Any

import httpx
import pytest
from werkzeug.test import TestResponse

from domain.commands import CompleteScoring
from service.gamelog.log import GameLog
from tests.api.test_streams import act_at_random, listening
from tests.api.worlds import told
from tests.gamelog.ledger import finish
from tests.oracle.oracle import OracleGame
from tests.support.client import Api, Table, refused
from tests.support.play import play_until

NDJSON = {"Accept": "application/x-ndjson"}


def say(api: Api, table: Table, seat: int, text: Any, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.post(f"{table.path}/messages", table.tokens[seat], json={"text": text}, headers=named)


@pytest.fixture
def table(api: Api) -> Table:
    return api.create(2)


@pytest.fixture(scope="module")
def over(api: Api, service_log: GameLog) -> tuple[Table, int]:
    """A finished game with messages before and after its end, and the version of that end."""
    table, chance = api.create(2), Random("talk")
    for _ in range(10):
        assert act_at_random(api, table, chance)
        if chance.random() < 0.3:
            assert say(api, table, chance.randrange(2), "Hm.\nWell …").status_code == 201
    finish(service_log, table.id)
    end = api.version(table)
    for seat in (1, 0):
        assert say(api, table, seat, "Good game!").status_code == 201
    return table, end


def test_a_message_is_an_event(api: Api, table: Table) -> None:
    """Every viewer gets the same event at once; the view has the new version and is otherwise unchanged."""
    before = api.view(table, 1)
    answer = say(api, table, 1, "Good luck!\n\tYours, Bert")
    content = answer.json()
    version = before["version"] + 1
    assert answer.status_code == 201
    assert answer.headers["ETag"] == f'"{version}"'
    assert "Idempotency-Replayed" not in answer.headers
    assert content.keys() == {"version", "events", "game", "receipt"}
    assert content["version"] == content["receipt"]["version"] == version
    [event] = content["events"]
    salt = event["data"]["salt"]
    assert re.fullmatch("[0-9a-f]{32}", salt)
    assert event["data"] == {"seat": 1, "text": "Good luck!\n\tYours, Bert", "salt": salt}
    assert event["hash"] == content["receipt"]["hash"]
    receipt = {"version": version, "hash": event["hash"]}
    assert content["game"] == api.view(table, 1) == before | {"version": version, "receipt": receipt}
    assert [api.events(table, seat, after=version - 1) for seat in (None, 0, 1)] == [[event]] * 3


def test_a_message_with_a_token_is_refused(api: Api, table: Table) -> None:
    """Also where it is broken in lines; a game's own link alone isn't secret."""
    for token in (table.tokens[0], f"{table.tokens[0][:40]}\n> {table.tokens[0][40:]}"):
        problem = refused(say(api, table, 1, f"Hello\n{token}!"), 422, "invalid-request")
        assert "link" in problem["errors"]["text"][0]
    assert say(api, table, 0, f"https://reibach.example/g/{table.id}#turn. token=?").status_code == 201


@pytest.mark.parametrize("text", ["x", "\U0001f3b2" * 2000, "\x00\x1b[2J", "\n", " e\u0301 \u2028 \u202e ", "<b>{0}%s"])
def test_texts_are_stored_as_sent(api: Api, table: Table, text: str) -> None:
    """Up to 2,000 code points of any kind; nothing is trimmed, normalised or escaped."""
    assert say(api, table, 0, text).status_code == 201
    data = api.events(table)[-1]["data"]
    assert data == {"seat": 0, "text": text, "salt": data["salt"]}


@pytest.mark.parametrize(
    "body",
    [{"text": text} for text in ("", "x" * 2001, "\U0001f3b2" * 2001, None, 1, True, ["x"], {})]
    + [{}, {"Text": "x"}, {"text": "x", "seat": 1}, {"text": "x", "to": 1}],
    ids=lambda body: json.dumps(body)[:30],
)
def test_invalid_texts(api: Api, table: Table, body: dict[str, Any]) -> None:
    """A text that is empty, too long or no text, or a body with other members, is 422, and nothing is appended."""
    version = api.version(table)
    refused(api.post(f"{table.path}/messages", table.tokens[0], json=body), 422, "invalid-request", version)
    assert api.version(table) == version


def test_if_match(api: Api, table: Table) -> None:
    """A message makes an earlier tag stale, for messages and for actions; the present one lets it through."""
    tag = f'"{api.version(table)}"'
    version = say(api, table, 1, "First!", If_Match=tag).json()["version"]
    refused(say(api, table, 0, "Me too", If_Match=tag), 412, "stale-version", version)
    refused(api.act(table, 0, {"type": "draw"}, headers={"If-Match": tag}), 412, "stale-version", version)
    assert api.act(table, 0, {"type": "draw"}, headers={"If-Match": f'"{version}"'}).status_code == 201


def test_messages_after_the_end(api: Api, over: tuple[Table, int]) -> None:
    """The message is in pages, lines, replay and recap; totals, winners and audit are unchanged."""
    table, end = over
    version = api.version(table)
    events = api.events(table, limit=1000)
    assert [event["version"] for event in events] == [*range(1, version + 1)]
    assert events[end - 1]["type"] == "GameEnded"
    assert {event["type"] for event in events[end:]} == {"MessagePosted"}
    lines = api.get(f"{table.path}/events", headers=NDJSON).content.split(b"\n")[:-1]
    assert [json.loads(line) for line in lines] == events
    assert OracleGame(events).winners == api.view(table)["winners"]
    replayed = [json.loads(line) for line in api.get(f"{table.path}/replay").content.splitlines()]
    assert [line["event"] for line in replayed] == events
    assert replayed[-1]["view"] == api.view(table)
    recap = api.get(f"{table.path}/recap", params={"since": end, "language": "de"}).json()
    assert [item["text"] for item in recap["items"]][:2] == [f"player {seat} schreibt: „Good game!“" for seat in (1, 0)]
    with listening(api, table) as listener:  # a stream ends with the game
        assert list(listener.events()) == api.events(table, limit=end)
    for after in (end, end + 1, version):
        answer = api.get(f"{table.path}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": str(after)})
        assert (answer.status_code, answer.content) == (204, b"")
    audit = api.get(f"{table.path}/audit").json()
    assert (audit["ok"], audit["version"]) == (True, version)
    assert [check["ok"] for check in audit["checks"]] == [True] * 6


def test_messages_are_streamed_live(api: Api, table: Table) -> None:
    """Streams and polls deliver messages; an open stream closes at the end, even if a message follows at once."""
    chance = Random("heard")
    with listening(api, table, 0) as listener:
        heard = listener.events()
        said = say(api, table, 1, "Hello?").json()["events"]
        assert [next(heard) for _ in range(said[0]["version"])][-1:] == said
        while act_at_random(api, table, chance):
            pass
        end = api.version(table)
        assert say(api, table, 0, "Oh no!").status_code == 201
        assert [event["version"] for event in heard] == [*range(said[0]["version"] + 1, end + 1)]
    tag = {"If-None-Match": f'"{end}"'}
    assert api.get(table.path, headers=tag, params={"wait": 10}).json()["version"] == end + 1


def test_a_game_full_of_messages_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is the game's, whichever seat writes; a repeat is still answered, and a round is still scored."""
    monkeypatch.setattr("domain.legality.MOST_MESSAGES", 2)
    world = told(3, "waits", next(number for number in count(5) if play_until(3, "waits", number)[0].scoring))

    def write(seat: int, number: int) -> TestResponse:
        header = {"Idempotency-Key": f"said {number}"}
        return world.ask("POST", f"{world.path}/messages", seat, json={"text": "\U0001f3b2"}, headers=header)

    first = [write(seat, seat) for seat in (0, 1)]
    version = world.game.version
    for seat in (0, 1, 2):
        problem = write(seat, 9)
        assert (problem.status_code, problem.content_type) == (409, "application/problem+json")
        assert (problem.get_json()["type"], problem.get_json()["version"]) == ("/problems/too-many-messages", version)
    assert write(0, 0).data == first[0].data
    assert world.game.version == version
    assert world.log.handle(world.game.id, CompleteScoring(round=1)).events[0]["type"] == "RoundScored"
