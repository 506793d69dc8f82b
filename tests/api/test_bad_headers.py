"""Bad paths, queries and headers, and which refusal comes first where several apply."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.gamelog.log import GameLog
from tests.gamelog.ledger import finish
from tests.support.client import Api, Table, refused

DRAW = {"type": "draw"}
STALE = {"If-Match": '"4"'}
UNKNOWN = "aaaaaaaaaaaaaaaaaaaaaaaa"
VERSION = 5


@pytest.fixture
def table(api: Api) -> Iterator[Table]:
    """A game with seat 0 on turn, which the test must not change."""
    table = api.create(2)
    yield table
    assert api.version(table) == VERSION


@pytest.fixture(scope="module")
def over(api: Api, service_log: GameLog) -> Table:
    """A game that has ended, with a token."""
    table = api.create([{"name": "Anna"}, {"bot": "greedy"}])
    finish(service_log, table.id)
    return table


@pytest.fixture(scope="module")
def foreign(api: Api) -> str:
    """A good token of another game."""
    return api.create(2).tokens[0]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *(
            (f"at={wrong}", "at")
            for wrong in ("", "-1", "1.0", "x", "1_0", "+1", "%201", "%D9%A1", "1e1", "NaN", "0x1", "1%00")
        ),
        *((f"wait={wrong}", "wait") for wrong in ("", "-1", "30.1", "31", "NaN", "inf", "-inf", "1e400", "x", "true")),
        ("at=1&at=2", "at"),
        ("at=" + "1" * 4400, "at"),
    ],
)
def test_queries_of_the_view(api: Api, table: Table, query: str, field: str) -> None:
    """A parameter that is not a number, out of range, or given twice is 422."""
    problem = refused(api.get(f"{table.path}?{query}"), 422, "invalid-request", VERSION)
    assert list(problem["errors"]) == [field]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *((f"after={wrong}", "after") for wrong in ("", "-1", "1.0", "x", "%EF%BC%91", "%FF", "null")),
        *((f"limit={wrong}", "limit") for wrong in ("", "0", "-1", "1001", "1000000000", "1.0", "x")),
        ("limit=1&limit=1", "limit"),
    ],
)
def test_queries_of_events(api: Api, table: Table, query: str, field: str) -> None:
    """The same for pages of events."""
    problem = refused(api.get(f"{table.path}/events?{query}"), 422, "invalid-request", VERSION)
    assert list(problem["errors"]) == [field]


@pytest.mark.parametrize(
    "path", ["?at=0", "?at=6", "?at=" + "9" * 999, "/receipt?at=0", "/receipt?at=6", "/events?after=6"]
)
def test_unknown_versions(api: Api, table: Table, path: str) -> None:
    """A version before the first or after the present one is 404."""
    refused(api.get(table.path + path), 404, "no-such-version", VERSION)


@pytest.mark.parametrize(
    "path",
    [
        "x",
        UNKNOWN,
        "A" * 24,
        "%00",
        "a%00b",
        "%ff%fe",
        "%ed%a0%80",
        "..",
        "a" * 20_000,
        "{s07}",
        "*",
        "%20",
        "%F0%9F%83%8F",
    ],
)
def test_unknown_game_ids(api: Api, path: str) -> None:
    """A malformed id gets the same answer as an unknown id."""
    path = path.replace("..", "%2e%2e%20")
    problem = refused(api.get(f"/v1/games/{path}"), 404, "no-such-game")
    assert "version" not in problem


def test_ids_are_exact(api: Api, table: Table) -> None:
    """An id in another case, or with spaces around it, is unknown."""
    for other in (table.id.upper(), f"{table.id}%20", f"%20{table.id}", f"{table.id}%00", table.id[:-1]):
        refused(api.get(f"/v1/games/{other}"), 404, "no-such-game")


@pytest.mark.parametrize(
    "path",
    ["/v1", "/v1/", "/v2/games", "/v1/games/", "/v1//games", "/v1/keys/", "/v1/game", "/V1/keys", "/v1/games/x/y"],
)
def test_unknown_routes(api: Api, path: str) -> None:
    """An unknown path is 404, for every method and with any token."""
    for method in ("GET", "POST", "DELETE"):
        refused(api.request(method, path, "bad"), 404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "", "GET"),
        ("POST", "", "GET"),
        ("PATCH", "/actions", "POST"),
        ("DELETE", "/seats", "POST"),
        ("GET", "/actions", "POST"),
        ("TRACE", "/events", "GET"),
        ("QUERY", "/scores", "GET"),
        ("POST", "/legal-actions", "GET"),
    ],
)
def test_methods_that_are_not_allowed(api: Api, table: Table, method: str, path: str, allowed: str) -> None:
    """Another method is 405, and Allow names the right ones."""
    answer = api.request(method, table.path + path, "bad")
    refused(answer, 405, "method-not-allowed")
    assert allowed in answer.headers["Allow"].split(", ")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer x",
        "Bearer " + "x" * 5000,
        "Bearer eyJhbGciOiJub25lIn0.e30.",
        "Basic dTpw",
        "Token {token}",
        "{token}",
        "Bearer {token}x",
        "Bearer {token} {token}",
        "Bearer {cut}",
        "Bearer {lower}",
    ],
)
def test_bad_tokens(api: Api, table: Table, header: str) -> None:
    """An invalid token is 401 on every route, and the answer doesn't repeat it."""
    token = table.tokens[0]
    headers = {"Authorization": header.format(token=token, cut=token[:-1], lower=token.lower())}
    for method, path in (
        ("GET", ""),
        ("GET", "/events"),
        ("GET", "/legal-actions"),
        ("POST", "/actions"),
        ("POST", "/seats"),
    ):
        answer = api.request(method, table.path + path, headers=headers, json=DRAW)
        refused(answer, 401, "invalid-token")
        assert token not in answer.text
        assert "xxxx" not in answer.text


def test_tokens_outside_the_authorization_header_are_ignored(api: Api, table: Table) -> None:
    """A token in the query or in a cookie is ignored."""
    token = table.tokens[0]
    for more in ({"params": {"token": token, "access_token": token}}, {"headers": {"Cookie": f"token={token}"}}):
        answer: Any = api.get(f"{table.path}/legal-actions", **more)
        refused(answer, 401, "missing-token")
        assert api.get(table.path, **more).json()["you"] is None


@pytest.mark.parametrize("key", ["", "a" * 201, "a\tb", "\x80", "caf\u00e9", "a" * 10_000])
def test_bad_keys(api: Api, table: Table, key: str) -> None:
    """An idempotency key is 1 to 200 printable ASCII characters."""
    answer = api.act(table, 0, DRAW, headers={"Idempotency-Key": key.encode("latin-1")})  # type: ignore[dict-item]
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == ["Idempotency-Key"]
    assert "aaaa" not in answer.text


def test_the_longest_key(api: Api) -> None:
    """200 characters are taken."""
    assert api.act(api.create(2), 0, DRAW, headers={"Idempotency-Key": "~" * 200}).status_code == 201


@pytest.mark.parametrize(
    "accept", ["text/plain", "application/xml", "application/problem+json", "application/json;q=0", "x/*"]
)
def test_unacceptable_media_types(api: Api, table: Table, accept: str) -> None:
    """A resource without an acceptable media type is 406; a write is refused before it changes anything."""
    headers = {"Accept": accept}
    refused(api.act(table, 0, DRAW, headers=headers), 406, "not-acceptable", VERSION)
    for path in ("", "/events", "/scores", "/receipt", "/recap"):
        refused(api.get(table.path + path, headers=headers), 406, "not-acceptable", VERSION)
    refused(api.post("/v1/games", headers=headers, json={}), 406, "not-acceptable")


@pytest.mark.parametrize(
    ("accept", "given"),
    [
        ("application/json; charset=utf-8", "application/json"),
        ("APPLICATION/JSON;charset=UTF-8;q=0.1", "application/json"),
        (
            "text/html;level=1;q=0.2, application/x-ndjson; charset=utf-8; q=0.7, application/json;q=0.5",
            "application/x-ndjson",
        ),
        ("application/json;charset=utf-8;q=0.5, application/x-ndjson;q=0.2", "application/json"),
    ],
)
def test_parameters_of_accepted_media_types_are_ignored(api: Api, table: Table, accept: str, given: str) -> None:
    """Clients may ask for `charset=utf-8`, which every answer has; weights count as without it."""
    answer = api.get(f"{table.path}/events", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, given)


JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
HTML = {"Accept": "text/html"}
BAD_KEY = {"Idempotency-Key": "k" * 201}


@pytest.mark.parametrize(
    ("method", "path", "who", "headers", "body", "status", "code"),
    [
        ("POST", "/v1/nothing", "bad", TEXT | HTML, "{", 404, "not-found"),
        ("PUT", f"/v1/games/{UNKNOWN}/actions", "bad", TEXT | HTML, "{", 405, "method-not-allowed"),
        ("POST", f"/v1/games/{UNKNOWN}/actions", "bad", TEXT | HTML, "{", 401, "invalid-token"),
        ("POST", f"/v1/games/{UNKNOWN}/actions", None, TEXT | HTML, "{", 401, "missing-token"),
        ("POST", f"/v1/games/{UNKNOWN}/actions", "foreign", TEXT | HTML, "{", 403, "not-your-game"),
        ("GET", f"/v1/games/{UNKNOWN}", "foreign", HTML, "", 403, "not-your-game"),
        ("POST", f"/v1/games/{UNKNOWN}/seats", None, TEXT | HTML, "{", 404, "no-such-game"),
        ("GET", f"/v1/games/{UNKNOWN}?at=x", None, HTML, "", 404, "no-such-game"),
        ("POST", "{game}/actions", "own", TEXT | STALE, "{", 415, "unsupported-media-type"),
        ("POST", "{game}/actions", "own", JSON | HTML | STALE, "{", 406, "not-acceptable"),
        ("POST", "{game}/actions", "own", JSON | STALE, "{" * 70_000, 413, "body-too-large"),
        ("GET", "{game}?at=x", None, HTML, "", 406, "not-acceptable"),
        ("GET", "{game}/events?limit=0&after=99", None, {}, "", 422, "invalid-request"),
        ("POST", "{game}/actions", "own", JSON | STALE | BAD_KEY, "{", 400, "malformed-json"),
        ("POST", "{game}/actions", "own", JSON | STALE, '{"type": "take", "slot": 3}', 422, "invalid-request"),
        ("POST", "{game}/actions", "other", JSON | STALE, '{"type": "pass"}', 422, "invalid-request"),
        ("POST", "{game}/actions", "own", JSON | STALE | BAD_KEY, '{"type": "draw"}', 422, "invalid-request"),
        ("POST", "{game}/actions", "other", JSON | STALE, '{"type": "draw"}', 412, "stale-version"),
        ("POST", "{game}/seats", None, JSON | STALE, '{"name": "Carla"}', 412, "stale-version"),
        ("POST", "{game}/seats", None, JSON, '{"name": "Carla"}', 409, "no-open-seat"),
        ("POST", "{game}/actions", "other", JSON, '{"type": "append", "card": "oil", "row": 9}', 409, "not-your-turn"),
    ],
)
def test_order_of_refusals(
    api: Api,
    table: Table,
    foreign: str,
    method: str,
    path: str,
    who: str | None,
    headers: dict[str, str],
    body: str,
    status: int,
    code: str,
) -> None:
    """Where several refusals apply, the contract's order decides which one is sent."""
    tokens = {"bad": "bad", None: None, "foreign": foreign, "own": table.tokens[0], "other": table.tokens[1]}
    content = body.encode() if method != "GET" else None
    answer = api.request(method, path.format(game=table.path), tokens[who], headers=headers, content=content)
    at_game = "{game}" in path and status not in (401, 403, 404, 405)
    problem = refused(answer, status, code, VERSION if at_game else None)
    assert at_game or "version" not in problem
    for token in table.tokens.values():
        assert token not in answer.text


def test_the_state_comes_before_the_turn(api: Api, over: Table) -> None:
    """Before the start and after the end it doesn't matter whose turn it was, and If-Match is looked at first."""
    waiting = api.create([{"name": "Anna"}, {"name": "Bert"}, {}])
    for seat in (0, 1):
        refused(api.act(waiting, seat, DRAW), 409, "game-not-started", 3)
    refused(api.act(waiting, 0, DRAW, headers={"If-Match": '"9"'}), 412, "stale-version", 3)
    end = api.version(over)
    refused(api.act(over, 0, {"type": "append", "card": "oil", "row": 9}), 409, "game-over", end)
    refused(api.act(over, 0, DRAW, headers=STALE), 412, "stale-version", end)
    refused(api.post(f"{over.path}/seats", json={"name": "Carla"}), 409, "no-open-seat", end)


def test_a_repeat_comes_before_the_version(api: Api) -> None:
    """A key that was used answers, or refuses another body, before If-Match and the turn are looked at."""
    table = api.create(2)
    first = api.act(table, 0, DRAW, headers={"Idempotency-Key": "k", "If-Match": '"5"'})
    again = api.act(table, 0, DRAW, headers={"Idempotency-Key": "k", "If-Match": '"5"'})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = api.act(table, 0, {"type": "take", "slot": 0}, headers={"Idempotency-Key": "k", "If-Match": '"5"'})
    refused(other, 422, "idempotency-key-reused", 7)


def test_a_repeated_bad_request_gets_the_same_refusal(api: Api, table: Table) -> None:
    """A refusal changes nothing: the same request gets the same answer, byte by byte."""
    for action in ({"type": "append", "card": "oil", "row": 7}, {"type": "take", "slot": 7}):
        first, second = (api.act(table, 0, action, headers={"Idempotency-Key": "again"}) for _ in range(2))
        assert first.status_code in (409, 422)
        assert (first.status_code, first.content) == (second.status_code, second.content)
