"""Bad requests: each kind gets its own refusal, nothing is appended, and no secret comes back.

Bodies, queries, ids, headers and tokens, and which refusal comes first where several apply.
"""

import gzip
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.commands import Action
from domain.orders.wishes import action_of
from service.api.problems.problem import InvalidRequest
from service.api.protocol.validation import validate_body
from service.api.routes.playing.actions import _read_actions
from service.api.schemas.requests import ActionListSchema, ActionSchema
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

DRAW = {"type": "draw"}
TAKE = {"type": "take", "slot": 0}
LAY = {"type": "lay_businessmaker", "card": "oil"}
APPEND = {"type": "append", "card": "oil", "row": 0}
SEATS = [{"name": "Anna"}, {"name": "Bert"}]
VERSION = 5
"""The version of a game of two after the deal."""
KIB64 = 64 * 1024
MISSING: Any = object()
NUMBERS = ["1", True, None, 1.5, -0.5, [], {}]
"""Values that are not whole numbers, though some look like one."""
TEXTS = [None, 1, True, [], {}, ["a"]]
INVISIBLE = [" ", "\u00a0\u2028", "\u200b\u200d", "\u115f\u1160\u3164\uffa0\u2800", "\u0301"]
"""Names that show nothing."""
CONTROLS = ["a\x00b", "a\nb", "a\rb", "\x1b[2J", "a\x7f", "a\x85b"]
UNKNOWN = "aaaaaaaaaaaaaaaaaaaaaaaa"
STALE = {"If-Match": '"4"'}
HEADERS = {
    "json": {"Content-Type": "application/json"},
    "text": {"Content-Type": "text/plain"},
    "html": {"Accept": "text/html"},
    "stale": STALE,
    "bad-key": {"Idempotency-Key": "k" * 201},
}
READS = ["", "/events", "/scores", "/scores/now", "/receipt", "/recap", "/replay", "/audit", "/legal-actions"]
WRITES = ["/actions", "/messages", "/seats"]


def changed(body: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The body with other fields, or without those that are MISSING."""
    return {name: value for name, value in (body | fields).items() if value is not MISSING}


def send(api: Api, table: Table, raw: bytes, seat: int = 0, **headers: str) -> Any:
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return api.post(f"{table.path}/actions", table.tokens[seat], content=raw, headers=sent)


@pytest.fixture(scope="module")
def foreign(api: Api) -> str:
    return api.create(2).tokens[0]


# Bodies


NOT_JSON = {
    **{name: text.encode("latin-1") for name, text in cases(__file__, "not_json").items()},
    "utf-16": '{"type": "draw"}'.encode("utf-16"),
}


@pytest.mark.parametrize("raw", NOT_JSON.values(), ids=NOT_JSON)
def test_not_json(api: Api, table: Table, raw: bytes) -> None:
    refused(send(api, table, raw), 400, "malformed-json", VERSION)


@pytest.mark.parametrize("raw", [b"[" * KIB64, b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b"," * 4_097])
def test_too_many_signs(api: Api, table: Table, raw: bytes) -> None:
    """A body with more lists, objects and items than any request needs isn't even parsed."""
    assert list(refused(send(api, table, raw), 422, "invalid-request", VERSION)["errors"]) == [""]


@pytest.mark.parametrize("body", [[], [DRAW], "draw", None, 1, 1.5, True])
@pytest.mark.parametrize("path", ["/v1/games", "{game}/seats", "{game}/actions"])
def test_not_an_object(api: Api, table: Table, path: str, body: Any) -> None:
    raw, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    answer = api.post(path.format(game=table.path), table.tokens[0], content=raw, headers=headers)
    assert list(refused(answer, 422, "invalid-request")["errors"]) == [""]


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        *((b'{"type": "draw"}', {"Content_Type": kind}) for kind in cases(__file__, "other_media_types")),
        *(
            (gzip.compress(b'{"type": "draw"}', mtime=0), {"Content_Encoding": way})
            for way in ("gzip", "br", "identity", "x")
        ),
        (gzip.compress(b" " * 10_000_000, mtime=0), {"Content_Encoding": "gzip"}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_other_media_types_and_encodings(api: Api, table: Table, raw: bytes, headers: dict[str, str]) -> None:
    """A compressed body is refused, with any Content-Encoding and any size."""
    refused(send(api, table, raw, **headers), 415, "unsupported-media-type", VERSION)


def test_the_largest_body(api: Api) -> None:
    """64 KiB are taken, one byte more is 413, and so are many more."""
    for size, status in ((KIB64 - 1, 201), (KIB64, 201), (KIB64 + 1, 413), (10_000_000, 413)):
        raw = json.dumps({"seats": SEATS}).encode().ljust(size)
        answer = api.post("/v1/games", content=raw, headers={"Content-Type": "application/json"})
        assert answer.status_code == status
    refused(answer, 413, "body-too-large")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("seats", wrong) for wrong in (MISSING, *TEXTS, "ab", {}, SEATS[:1], SEATS * 3)),
        *(("seats.1", wrong) for wrong in (None, 1, "Bert", [], True)),
        *(("seats.1.name", wrong) for wrong in (*TEXTS, "", "a" * 41, "\U0001f0cf" * 41, *CONTROLS, *INVISIBLE)),
        *(("seats.1.bot", wrong) for wrong in (*TEXTS, "", "Greedy", "../greedy", "a" * 1000)),
        *(("seats.1.entropy", wrong) for wrong in (*TEXTS, "a" * 201, *CONTROLS)),
        *(("seats.1.token", wrong) for wrong in ("x", None)),
        *(("variants", wrong) for wrong in (*TEXTS[:-2], "staggered_start", ["staggered_start"])),
        *(("variants.staggered_start", wrong) for wrong in (None, 1, 0, "true", "", [], {})),
        *(("variants.expensive_specials", wrong) for wrong in (None, 1.0, "false")),
        *(("variants.faster", wrong) for wrong in (True, False)),
        *(("starting_seat", wrong) for wrong in (*NUMBERS, -1, 2, 5, 2**31, 2**53 + 1, 2**63, 2**64, 1e300, -1e300)),
        *(("name", wrong) for wrong in (*TEXTS, "", "a" * 61, *CONTROLS, *INVISIBLE)),
        *(("listed", wrong) for wrong in (None, 0, 1, "true", "", [], {})),
        *(("server_seed", wrong) for wrong in (*TEXTS, "", "5" * 63, "5" * 65, "5" * 64 + "\n", "g" * 64, "A" * 64)),
        *(
            (name, 1)
            for name in ("version", "id", "draw_pile", "commitment", "at", "events", "type", "", "Seats", "x.y")
        ),
    ],
)
def test_fields_of_a_new_game(api: Api, field: str, wrong: Any) -> None:
    """A field that is missing, unknown, null or of another kind is 422, and `errors` says which."""
    body: dict[str, Any] = {"seats": [dict(seat) for seat in SEATS], "variants": {}}
    inside: Any = body
    *way, last = field.split(".") if field != "x.y" else [field]
    for step in way:
        inside = inside[int(step)] if isinstance(inside, list) else inside[step]
    if last == "bot":
        inside.clear()
    inside[int(last) if isinstance(inside, list) else last] = wrong
    problem = refused(api.post("/v1/games", json=changed(body)), 422, "invalid-request")
    assert any(name == field or name.startswith(f"{field}.") for name in problem["errors"]), problem["errors"]


def test_numbers_beyond_floats(api: Api, table: Table) -> None:
    """1e400 is JSON and no whole number; a thousand digits are one, and out of range."""
    for number in ("1e400", "-1e400", "1" * 1000, "-" + "9" * 4000):
        raw = f'{{"type": "take", "slot": {number}}}'.encode()
        assert "slot" in refused(send(api, table, raw), 422, "invalid-request", VERSION)["errors"]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("name", wrong) for wrong in (MISSING, *TEXTS, "", "a" * 41, *CONTROLS, *INVISIBLE)),
        *(("entropy", wrong) for wrong in (*TEXTS, "a" * 201, *CONTROLS)),
        *((name, 0) for name in ("seat", "bot", "token", "version")),
    ],
)
def test_fields_of_joining(api: Api, table: Table, field: str, wrong: Any) -> None:
    """The same, for joining; 422 comes before it is said that there is no open seat."""
    answer = api.post(f"{table.path}/seats", json=changed({"name": "Carla"}, **{field: wrong}))
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == [field]


@pytest.mark.parametrize("listed", [False, True], ids=["alone", "in a list"])
@pytest.mark.parametrize(
    ("action", "field", "wrong"),
    [
        *((TAKE, "type", wrong) for wrong in (MISSING, *TEXTS, "", "Take", "pass", "CardTaken", "RoundScored")),
        *((TAKE, "slot", wrong) for wrong in (MISSING, *NUMBERS, -1, 3, 2**31, 2**53 + 1, 2**63, 2**64)),
        *((LAY, "card", wrong) for wrong in (MISSING, *TEXTS, "", "Oil", "oil\n", "unknown")),
        *((APPEND, "card", wrong) for wrong in (MISSING, *TEXTS, "jewelry")),
        *((APPEND, "row", wrong) for wrong in (MISSING, *NUMBERS, -1, -(2**63), -1e300)),
        *((DRAW, name, 1) for name in ("slot", "card", "seat", "version", "at", "hash", "cost", "")),
        *((TAKE, name, "oil") for name in ("card", "row")),
    ],
)
def test_fields_of_an_action(
    api: Api, table: Table, action: dict[str, Any], field: str, wrong: Any, *, listed: bool
) -> None:
    """The same, for each action; in a list the valid action before it isn't executed either."""
    sent = changed(action, **{field: wrong})
    answer = api.act(table, 0, DRAW, sent) if listed else api.act(table, 0, sent)
    problem = refused(answer, 422, "invalid-request", VERSION)
    assert list(problem["errors"]) == [f"actions.1.{field}".rstrip(".") if listed else field]


@pytest.mark.parametrize(("body", "field"), cases(__file__, "lists_of_actions"), ids=lambda text: text[:40])
def test_lists_of_actions(api: Api, table: Table, body: str, field: str) -> None:
    problem = refused(send(api, table, body.encode()), 422, "invalid-request", VERSION)
    assert all(name.startswith(field) for name in problem["errors"]), problem["errors"]


ANYTHING = st.sampled_from([0, 2, 3, 9, 10, -1, True, 1.0, None, [], {}, "", "gold", "risk", "reibach", "2"])


JSON = st.recursive(
    ANYTHING | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NEARLY_ACTIONS = st.one_of(
    st.fixed_dictionaries({"type": st.just(kind), **dict.fromkeys(names, ANYTHING)})
    for kind, names in {"take": ["slot"], "lay_businessmaker": ["card"], "append": ["card", "row"]}.items()
) | st.fixed_dictionaries(
    {"type": st.sampled_from(["take", "draw", "lay_businessmaker", "append", "skip"]) | JSON},
    optional=dict.fromkeys(("slot", "card", "row", "business", "more"), ANYTHING | JSON),
)
BODIES = (
    NEARLY_ACTIONS
    | st.fixed_dictionaries({"actions": st.lists(NEARLY_ACTIONS, max_size=4) | JSON}, optional={"more": JSON})
    | JSON
)


def read_by_schemas(body: Any) -> tuple[Action, ...]:
    if isinstance(body, dict) and "actions" in body:
        return tuple(map(action_of, validate_body(ActionListSchema(), body)["actions"]))
    return (action_of(validate_body(ActionSchema(), body)),)


@given(BODIES)
@example({"type": "take", "slot": 1.0})
@example({"type": "take", "slot": True})
@example({"actions": [DRAW] * 3})
@example({"actions": [DRAW] * 4})
@example({"actions": [DRAW], "more": 1})
@example({"type": "append", "card": [], "row": 0})
def test_both_readings_of_actions_agree(body: Any) -> None:
    """Whatever JSON is sent: the route reads valid actions by hand, and else leaves it to the schemas."""
    outcomes: list[object] = []
    for read in (_read_actions, read_by_schemas):
        try:
            outcomes.append(read(body))
        except InvalidRequest as refusal:
            outcomes.append(refusal.errors)
    assert outcomes[0] == outcomes[1]


def test_whole_numbers_may_have_a_point_and_keys_200_characters(api: Api) -> None:
    table = api.create(2, starting_seat=1.0)
    assert api.view(table)["turn"]["seat"] == 1
    for number in ("1.0", "-0.0", "1e0"):
        answer = send(api, table, f'{{"type": "take", "slot": {number}}}'.encode(), seat=1)
        assert answer.status_code == 201, answer.text
    longest = {"Idempotency-Key": "~" * 200}
    assert api.act(api.create(2), 0, DRAW, headers=longest).status_code == 201


def test_texts_are_stored_as_sent(api: Api) -> None:
    """Lengths count code points, and nothing is trimmed, normalised or escaped."""
    names = [
        "\U0001f0cf" * 40,
        "<script>alert(1)</script>",
        "{} %s ${a} ../..",
        " e\u0301 is not \u00e9 ",
        "\u202eright to left\u2028",
    ]
    entropies = ["\U0001f0cf" * 200, "", " ", "\u2029", "' OR 1=1 --"]
    seats = [{"name": name, "entropy": entropy} for name, entropy in zip(names, entropies, strict=True)]
    table = api.create(seats)
    view = api.view(table)
    assert [seat["name"] for seat in view["seats"]] == names
    assert view["fairness"]["entropy"] == entropies
    assert [event["data"]["name"] for event in api.events(table) if event["type"] == "PlayerJoined"] == names


def test_a_post_ignores_its_query(api: Api, table: Table) -> None:
    answer = api.post(f"{table.path}/actions?slot=1&version=9&at=1", table.tokens[0], json={"type": "take"})
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == ["slot"]


# Queries and paths


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (f"{'' if field in ('at', 'wait') else '/events'}?{field}={wrong}", field)
        for field, values in cases(__file__, "wrong_values_of_a_query").items()
        for wrong in values
    ],
)
def test_queries(api: Api, table: Table, query: str, field: str) -> None:
    """A parameter that is not a number, out of range, or given twice is 422."""
    problem = refused(api.get(table.path + query), 422, "invalid-request", VERSION)
    assert list(problem["errors"]) == [field]


@pytest.mark.parametrize(
    "path", ["?at=0", "?at=6", "?at=" + "9" * 999, "/receipt?at=0", "/receipt?at=6", "/events?after=6"]
)
def test_unknown_versions(api: Api, table: Table, path: str) -> None:
    refused(api.get(table.path + path), 404, "no-such-version", VERSION)


@pytest.mark.parametrize("path", cases(__file__, "unknown_game_ids"))
def test_unknown_game_ids(api: Api, path: str) -> None:
    assert "version" not in refused(api.get(f"/v1/games/{path}"), 404, "no-such-game")


def test_ids_are_exact(api: Api, table: Table) -> None:
    for other in (table.id.upper(), f"{table.id}%20", f"%20{table.id}", f"{table.id}%00", table.id[:-1]):
        refused(api.get(f"/v1/games/{other}"), 404, "no-such-game")


@pytest.mark.parametrize(
    "path",
    ["/v1", "/v1/", "/v2/games", "/v1/games/", "/v1//games", "/v1/keys/", "/v1/game", "/V1/keys", "/v1/games/x/y"],
)
def test_unknown_routes(api: Api, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        refused(api.request(method, path, "bad"), 404, "not-found")


@pytest.mark.parametrize(("method", "path", "allowed"), cases(__file__, "methods_that_are_not_allowed"))
def test_methods_that_are_not_allowed(api: Api, table: Table, method: str, path: str, allowed: str) -> None:
    answer = api.request(method, table.path + path, "bad")
    refused(answer, 405, "method-not-allowed")
    assert allowed in answer.headers["Allow"].split(", ")


# Tokens and headers


@pytest.mark.parametrize(
    "header",
    [
        *("", "Bearer", "Bearer x", "Bearer " + "x" * 5000, "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic dTpw"),
        *("Basic {token}", "Token {token}", "{token}", "Bearer {token}x", "Bearer {token} {token}", "Bearer {token} x"),
        *("Bearer {cut}", "Bearer {lower}"),
    ],
)
def test_bad_tokens(api: Api, table: Table, header: str) -> None:
    """An invalid token is 401 on every route, also for an unknown game, and the answer doesn't repeat it."""
    token = table.tokens[0]
    headers = {"Authorization": header.format(token=token, cut=token[:-1], lower=token.lower())}
    for game in (table.path, f"/v1/games/{UNKNOWN}"):
        for method, path in (*(("GET", read) for read in READS), *(("POST", write) for write in WRITES)):
            answer = api.request(method, game + path, headers=headers, json=DRAW)
            assert "version" not in refused(answer, 401, "invalid-token")
            assert token not in answer.text
            assert "xxxx" not in answer.text


@pytest.mark.parametrize("path", READS)
def test_who_may_read(api: Api, table: Table, foreign: str, path: str) -> None:
    """Another game's token is 403, also for an unknown game; only legal actions and writing need a token."""
    needs_token = path == "/legal-actions"
    for game in (table.path, f"/v1/games/{UNKNOWN}"):
        refused(api.get(game + path, foreign), 403, "not-your-game")
        if needs_token:
            refused(api.get(game + path), 401, "missing-token")
        for write in ("/actions", "/messages"):
            refused(api.post(game + write, foreign, json=DRAW), 403, "not-your-game")
            refused(api.post(game + write, json=DRAW), 401, "missing-token")
    if not needs_token:
        refused(api.get(f"/v1/games/{UNKNOWN}{path}"), 404, "no-such-game")
    assert (api.get(table.path + path).status_code == 200) is not needs_token
    bearer = {"Authorization": f"bearer {table.tokens[0]}"}
    assert api.get(table.path + path, headers=bearer).status_code == 200


def test_tokens_outside_the_authorization_header_are_ignored(api: Api, table: Table) -> None:
    token = table.tokens[0]
    for more in ({"params": {"token": token, "access_token": token}}, {"headers": {"Cookie": f"token={token}"}}):
        answer: Any = api.get(f"{table.path}/legal-actions", **more)
        refused(answer, 401, "missing-token")
        assert api.get(table.path, **more).json()["you"] is None


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
    expected = [*((bot["name"], bot["name"]) for bot in bots), (None, None)]
    assert [(seat["name"], seat["bot"]) for seat in api.view(game)["seats"]] == expected
    refused(api.post("/v1/games", json={"seats": [{"bot": "nobody"}, {}]}), 422, "invalid-request")


@pytest.mark.parametrize("key", ["", "a" * 201, "a\tb", "\x80", "caf\u00e9", "a" * 10_000])
def test_bad_keys(api: Api, table: Table, key: str) -> None:
    answer = api.act(table, 0, DRAW, headers={"Idempotency-Key": key.encode("latin-1")})  # type: ignore[dict-item]
    assert list(refused(answer, 422, "invalid-request", VERSION)["errors"]) == ["Idempotency-Key"]
    assert "aaaa" not in answer.text


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


@pytest.mark.parametrize(("accept", "given"), cases(__file__, "parameters_of_media_types"))
def test_parameters_of_accepted_media_types_are_ignored(api: Api, table: Table, accept: str, given: str) -> None:
    """Clients may ask for `charset=utf-8`, which every answer has; weights count as without it."""
    answer = api.get(f"{table.path}/events", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, given)


# Which refusal comes first


@pytest.mark.parametrize(
    "row", cases(__file__, "order_of_refusals"), ids=lambda row: " ".join(map(str, [*row[:4], row[-1]]))
)
def test_order_of_refusals(api: Api, table: Table, foreign: str, row: tuple[Any, ...]) -> None:
    """Where several refusals apply, the contract's order decides which one is sent."""
    method, path, who, headers, body, status, code = row
    tokens = {"bad": "bad", "": None, "foreign": foreign, "own": table.tokens[0], "other": table.tokens[1]}
    content = body.encode() if method != "GET" else None
    sent = {name: value for word in headers.split() for name, value in HEADERS[word].items()}
    answer = api.request(method, path.format(game=table.path), tokens[who], headers=sent, content=content)
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


def test_a_repeated_bad_request_gets_the_same_refusal(api: Api, table: Table) -> None:
    for action in ({"type": "append", "card": "oil", "row": 7}, {"type": "take", "slot": 7}):
        first, second = (api.act(table, 0, action, headers={"Idempotency-Key": "again"}) for _ in range(2))
        assert first.status_code in (409, 422)
        assert (first.status_code, first.content) == (second.status_code, second.content)
