"""What-if over HTTP: forks of finished and of running games, and refusals."""

import json
from random import Random
from typing import Any

import httpx
import pytest

from tests.oracle.answers import events_as_seen, scores_at, view_at
from tests.oracle.oracle import OracleGame
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

NDJSON = {"Accept": "application/x-ndjson"}
BOTS = [{"bot": "greedy"}, {"bot": "random"}]
PLACES = cases(__file__, "places")
KEY = "a key that nobody can guess"


def ask_fork(api: Api, parent: Table, version: int, token: str | None = None, **body: Any) -> httpx.Response:
    """The answer to a request for a fork, accepted or refused."""
    headers = body.pop("headers", None)
    asked = {"fork": {"game": parent.id, "version": version}, "seats": BOTS, **body}
    return api.post("/v1/games", token, json=asked, headers=headers)


def table_of(answer: httpx.Response) -> Table:
    assert answer.status_code == 201, answer.text
    content = answer.json()
    assert answer.headers["Location"] == f"/v1/games/{content['game']['id']}"
    assert answer.headers["Cache-Control"] == "no-store"
    return Table(content["game"]["id"], {seat["seat"]: seat["token"] for seat in content["seats"]}, content)


def log_of(api: Api, table: Table, token: str | None = None) -> list[dict[str, Any]]:
    lines = api.get(f"{table.path}/events", token, headers=NDJSON).text.splitlines()
    return [json.loads(line) for line in lines]


def all_of(api: Api, table: Table) -> list[tuple[bytes, str | None]]:
    answers = [api.get(table.path + place) for place in PLACES]
    assert {answer.status_code for answer in answers} == {200}
    return [(answer.content, answer.headers.get("ETag")) for answer in answers]


@pytest.fixture(scope="module")
def finished(api: Api) -> Table:
    table = api.create(BOTS, variants={"expensive_specials": True, "staggered_start": True}, starting_seat=1)
    api.await_end(table)
    return table


@pytest.fixture(scope="module")
def running(api: Api) -> Table:
    """A game of two people after some actions; no test plays it on."""
    table = api.create(2, starting_seat=1)
    chance = Random("running")
    for _ in range(25):
        view = api.view(table)
        seat = view["turn"]["seat"]
        assert api.act(table, seat, chance.choice(api.legal_actions(table, seat))).status_code == 201
        assert api.view(table)["status"] == "playing"
    return table


# From a finished game


@pytest.mark.parametrize("part", [slice(2), pytest.param(slice(2, 12), marks=pytest.mark.nightly)], ids=str)
def test_a_fork_of_a_finished_game_is_played_to_its_end(api: Api, finished: Table, part: slice) -> None:
    """A fork at any version is played to its end by bots, both audits pass, and the parent is unchanged."""
    before = all_of(api, finished)
    parent = log_of(api, finished)
    for version in Random(1).sample(range(5, len(parent)), 12)[part]:
        made = ask_fork(api, finished, version)
        fork = table_of(made)
        first = fork.answer["game"]["version"]
        assert first >= version
        assert fork.answer["game"]["open_information"] is True
        assert fork.answer["seats"] == []
        api.await_end(fork)
        log = log_of(api, fork)
        judged = OracleGame(log)
        created = parent[0]["data"] | {"game": fork.id, "parent": finished.id, "from": version}
        assert log[0]["data"] == created
        assert [event | {"hash": 0} for event in log[3:first]] == [event | {"hash": 0} for event in parent[3:first]]
        assert api.view(fork) == view_at(log, len(log), None, len(log))
        assert api.view(fork, at=first) == view_at(log, first, None, len(log))
        assert api.get(f"{fork.path}/scores").json() == scores_at(log)
        assert judged.winners == api.view(fork)["winners"]
        audit = api.get(f"{fork.path}/audit").json()
        assert {check["ok"] for check in audit["checks"]} == {True}, audit
        all_of(api, fork)
        stream = api.get(f"{fork.path}/events", headers={"Accept": "text/event-stream"}).text
        ids = [line for line in stream.splitlines() if line.startswith("id:")]
        assert ids == [f"id: {event['version']}" for event in log]
    assert all_of(api, finished) == before
    assert "open_information" not in api.view(finished)


def test_a_table_has_a_name(api: Api, finished: Table, running: Table) -> None:
    """Everyone sees it, in the log, too; a fork has its own or none."""
    named = api.create(2, name="Stammtisch Nr. 4")
    assert api.view(named)["name"] == api.view(named, 0)["name"] == "Stammtisch Nr. 4"
    assert log_of(api, named)[0]["data"]["name"] == "Stammtisch Nr. 4"
    assert api.view(finished)["name"] is None
    assert "name" not in log_of(api, finished)[0]["data"]
    forks = [
        ask_fork(api, finished, 40, name="x" * 60),
        ask_fork(api, running, api.version(running), running.tokens[0], name="x" * 60),
        ask_fork(api, named, api.version(named), named.tokens[0]),
    ]
    assert [fork.json()["game"]["name"] for fork in forks] == ["x" * 60, "x" * 60, None]


def test_people_join_a_fork(api: Api, finished: Table) -> None:
    """Players get tokens of their own, the version asked for, and the hands of the finished parent."""
    log = log_of(api, finished)
    version = next(
        event["version"] for event in log[30:] if event["type"] == "TurnStarted" and event["data"]["seat"] == 0
    )
    fork = table_of(ask_fork(api, finished, version, seats=[{"name": "Anna"}, {"name": "Bert"}]))
    assert fork.answer["game"]["version"] == version
    assert fork.tokens.keys() == {0, 1}
    own = log_of(api, fork, fork.tokens[0])
    assert own == events_as_seen(
        [*(event | {"data": event["data"] | {"server_seed": log[0]["data"]["server_seed"]}} for event in own[:1]),
         *own[1:3], *(event | {"hash": mine["hash"]} for event, mine in zip(log[3:version], own[3:], strict=True))],
        0, version,
    )  # fmt: skip
    dealt = {name: api.view(fork, 0)[name] for name in ("display", "draw_pile", "reibach", "turn")}
    then = api.view(finished, at=version)
    assert dealt == {name: then[name] for name in dealt}
    assert api.act(fork, 0, {"type": "draw"}).status_code == 201


def test_a_fork_from_before_the_first_turn(api: Api, finished: Table) -> None:
    """The game starts at once, as its parent did."""
    copied = log_of(api, finished)
    for version in (1, 2, 3, 4, 5):
        fork = table_of(ask_fork(api, finished, version))
        assert fork.answer["game"]["version"] == 5
        events = api.events(fork)[:5]  # the bots play on at once
        assert events[0]["data"]["from"] == version
        assert [(one["type"], one["at"]) for one in events] == [(one["type"], one["at"]) for one in copied[:5]]
        assert events[3]["data"]["display"] == copied[3]["data"]["display"]


def test_order_of_refusals(api: Api) -> None:
    """An invalid token is refused before the media type, and the media type before the body and its size."""
    table = api.create(2)
    html = {"Accept": "text/html"}
    refused(ask_fork(api, table, 5, "nonsense", headers=html), 401, "invalid-token")
    refused(ask_fork(api, table, 5, headers=html), 401, "missing-token")
    refused(ask_fork(api, table, 5, table.tokens[0], headers=html), 406, "not-acceptable", 5)
    for wrong in (None, {"version": 1}, {"game": 7, "version": 1}):
        body = {"fork": wrong, "seats": BOTS}
        refused(api.post("/v1/games", "nonsense", json=body), 401, "invalid-token")
        refused(api.post("/v1/games", json=body), 422, "invalid-request")
    for content in (b"{", b"{" * 70_000):
        headers = html | {"Content-Type": "application/json"}
        refused(api.post("/v1/games", content=content, headers=headers), 406, "not-acceptable")


def test_invalid_forks_of_a_finished_game(api: Api, finished: Table) -> None:
    """The end's version, later and unknown versions, and another number of seats are refused."""
    over = api.version(finished)
    refused(ask_fork(api, finished, over), 409, "game-over", over)
    refused(ask_fork(api, finished, over + 1), 404, "no-such-version", over)
    refused(ask_fork(api, finished, 10**30), 404, "no-such-version", over)
    problem = refused(ask_fork(api, finished, 9, seats=[*BOTS, {"name": "Carla"}]), 422, "invalid-request", over)
    assert "as many as the parent" in problem["errors"]["seats"][0]
    refused(ask_fork(api, finished, 9, listed=True), 422, "invalid-request", over)
    refused(ask_fork(api, finished, 9, "no token"), 401, "invalid-token")


def test_a_repeated_fork_gets_the_first_answer(api: Api, finished: Table, running: Table) -> None:
    """The same fork and the same tokens, from either kind of parent; another body is refused.

    No bot has a seat: after its turn the repeat would hide a businessmaker that the first answer shows (contract 2).
    """
    seats = [{"name": "Anna"}, {"name": "Ben"}]
    head = api.version(running)
    for parent, version, token in ((finished, 50, None), (running, head, running.tokens[0])):
        key = {"Idempotency-Key": f"{KEY} {parent.id}"}
        first = ask_fork(api, parent, version, token, seats=seats, headers=key)
        again = ask_fork(api, parent, version, token, seats=seats, headers=key)
        assert "Idempotency-Replayed" not in first.headers
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.content == first.content
        assert again.headers["ETag"] == first.headers["ETag"]
        table_of(again)
        refused(ask_fork(api, parent, version, token, headers=key), 422, "idempotency-key-reused")
        refused(ask_fork(api, parent, version - 1, token, seats=seats, headers=key), 422, "idempotency-key-reused")
        plain = api.post("/v1/games", json={"seats": seats}, headers=key)
        refused(plain, 422, "idempotency-key-reused")
        refused(ask_fork(api, parent, version, token, headers={"Idempotency-Key": "k" * 21}), 422, "invalid-request")
    key = {"Idempotency-Key": f"{KEY} plain"}
    assert api.post("/v1/games", json={"seats": seats}, headers=key).status_code == 201
    refused(ask_fork(api, finished, 50, headers=key), 422, "idempotency-key-reused")


def test_a_repeated_fork_after_the_parent_was_played_on(api: Api) -> None:
    """A repeat still gets the first answer, while a new request, and the other seat's under its key, is refused."""
    table = api.create(2)
    version, token = api.version(table), table.tokens[1]
    key = {"Idempotency-Key": f"{KEY} gone on"}
    seats = [{"name": "Anna"}, {"name": "Bert"}]
    first = ask_fork(api, table, version, token, seats=seats, headers=key)
    other = ask_fork(api, table, version, table.tokens[0], seats=seats, headers=key)
    refused(other, 422, "idempotency-key-reused")  # the first fork shows the other hand
    fork = table_of(first)
    for one in (table, fork):
        assert api.act(one, 0, {"type": "draw"}).status_code == 201
    again = ask_fork(api, table, version, token, seats=seats, headers=key)
    assert again.content == first.content
    refused(ask_fork(api, table, version, token), 412, "stale-version", version + 2)
    refused(ask_fork(api, table, version, headers=key), 401, "missing-token")


# From a running game


@pytest.mark.slow
@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.nightly), 1])
def test_a_fork_of_a_running_game_keeps_what_the_seat_sees(api: Api, running: Table, seat: int) -> None:
    """What the seat knows is kept, bots play to the end, both audits pass, and the parent is unchanged."""
    before = all_of(api, running)
    version = api.version(running)
    fork = table_of(ask_fork(api, running, version, running.tokens[seat], seats=[{"name": "Anna"}, {"name": "B"}]))
    assert "open_information" not in fork.answer["game"]
    theirs, ours = api.view(running, seat), api.view(fork, seat)
    for name in ("status", "variants", "display", "draw_pile", "reibach", "turn", "you", "winners"):
        assert ours[name] == theirs[name]
    for mine, old in zip(ours["seats"], theirs["seats"], strict=True):
        assert mine | {"name": 0} == old | {"name": 0}
    assert api.legal_actions(fork, seat) == api.legal_actions(running, seat)
    assert ours["fairness"]["entropy"] == ["", ""]
    assert ours["fairness"]["commitment"] != theirs["fairness"]["commitment"]
    log = log_of(api, fork, fork.tokens[seat])
    assert [event["type"] for event in log] == ["GameCreated", "PlayerJoined", "PlayerJoined", "PositionSet"]
    assert (log[0]["data"]["parent"], log[0]["data"]["from"]) == (running.id, version)
    position = log[3]["data"]
    assert position["hands"][seat] == theirs["you"]["hand"]
    assert (position["hands"][1 - seat], position["draw_pile"]) == (None, None)
    all_of(api, fork)
    played = table_of(ask_fork(api, running, version, running.tokens[seat]))
    api.await_end(played)
    whole = log_of(api, played)
    OracleGame(whole)
    audit = api.get(f"{played.path}/audit").json()
    assert {check["ok"] for check in audit["checks"]} == {True}, audit
    assert api.view(played) == view_at(whole, len(whole), None, len(whole))
    # A finished fork can be forked again, with all cards open.
    copy = table_of(ask_fork(api, played, len(whole) - 20))
    assert copy.answer["game"]["open_information"] is True
    for early in (1, 3, 4):
        assert table_of(ask_fork(api, played, early)).answer["game"]["version"] == 4
    assert all_of(api, running) == before


def test_invalid_forks_of_a_running_game(api: Api, running: Table) -> None:
    """Spectators, foreign tokens, and every version but the head are refused."""
    version = api.version(running)
    refused(ask_fork(api, running, version), 401, "missing-token", version)
    refused(ask_fork(api, running, version, api.create(2).tokens[0]), 403, "not-your-game")
    token = running.tokens[1]
    for other in (1, 6, version - 1, version + 1):
        refused(ask_fork(api, running, other, token), 412, "stale-version", version)
    refused(ask_fork(api, running, version, token, listed=True), 422, "invalid-request", version)
    refused(ask_fork(api, running, version, token, seats=[*BOTS, *BOTS]), 422, "invalid-request", version)
    table = api.create([{"name": "Anna"}, {}])  # has not started
    refused(ask_fork(api, table, 2, table.tokens[0]), 409, "game-not-started", 2)
    for other in (1, 3):
        refused(ask_fork(api, table, other, table.tokens[0]), 412, "stale-version", 2)
    refused(ask_fork(api, table, 2), 401, "missing-token", 2)


def test_an_unknown_game(api: Api) -> None:
    """404; a foreign token doesn't learn whether the game exists."""
    foreign = api.create(2).tokens[0]
    for game in ("nosuchgame", "../x", "\u2028", "ä", " "):
        unknown = Table(game, {}, {})
        refused(ask_fork(api, unknown, 9), 404, "no-such-game")
        refused(ask_fork(api, unknown, 9, foreign), 403, "not-your-game")


@pytest.mark.parametrize(("text", "field"), cases(__file__, "invalid_bodies"))
def test_invalid_bodies(api: Api, finished: Table, text: str, field: str) -> None:
    """422 with the field, or 404 where that can't be a game's id."""
    body = json.loads(text)
    fork: dict[str, Any] = {"game": finished.id, "version": 9}
    fork |= {name: body[name] for name in body.keys() & {"version", "more"}}
    asked = {"fork": fork, "seats": BOTS} | {name: body[name] for name in body.keys() - {"version", "more"}}
    answer = api.post("/v1/games", json=asked)
    if not field:
        refused(answer, 404, "no-such-game")
    else:
        assert field in refused(answer, 422, "invalid-request")["errors"]
