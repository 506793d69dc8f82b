"""What a refused player reads: a sentence that says what to do, in the language of Accept-Language."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from domain.words.catalogue import LANGUAGES
from tests.support.client import Api, Table, refused

VERSION = 5
"""The version of a game of two after the deal."""
NAMES = [{"name": "Anna"}, {"name": "Bert"}]
APPEND = {"type": "append", "card": "gold", "row": 0}


@pytest.fixture(scope="module")
def table(api: Api) -> Iterator[Table]:
    """A game of Anna, who is on turn, and Bert, which no test of this module changes."""
    table = api.create(NAMES)
    yield table
    assert api.version(table) == VERSION


def _act(api: Api, table: Table, seat: int, body: Any, **headers: str) -> Any:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return api.post(f"{table.path}/actions", table.tokens[seat], content=raw, headers=sent)


@pytest.mark.parametrize(
    ("body", "code", "detail"),
    [
        (b"", "malformed-json", "The body is empty."),
        (b"{]", "malformed-json", "The body is not valid JSON at character 1."),
        (b'{"a": 1, "a": 2}', "malformed-json", "A member name stands twice in one object of the body."),
        (b'{"slot": -Infinity}', "malformed-json", "-Infinity is not a number in JSON."),
        (b'{"slot": ' + b"1" * 5000 + b"}", "malformed-json", "A number in the body has too many digits."),
        (b"[" * 4_000, "malformed-json", "The body is nested too deeply."),
        (b'{"a": "\\ud800"}', "malformed-json", "The body is not valid Unicode."),
        ([], "invalid-request", "The body must be a JSON object."),
        ({}, "invalid-request", "type: Is missing."),
        ({"type": "pass"}, "invalid-request", "type: Must be one of: take, draw, lay_businessmaker, append."),
        ({"type": ["take"]}, "invalid-request", "type: Must be one of: take, draw, lay_businessmaker, append."),
        ({"actions": ["draw"]}, "invalid-request", "actions.0: Must be a JSON object."),
        ({"actions": []}, "invalid-request", "actions: Must have 1 to 3 entries."),
        ({"type": "take"}, "invalid-request", "slot: Is missing."),
        ({"type": "take", "slot": 3}, "invalid-request", "slot: Must be 0, 1 or 2."),
        ({"type": "take", "slot": None}, "invalid-request", "slot: Must not be null."),
        ({"type": "take", "slot": "0"}, "invalid-request", "slot: Must be a whole number."),
        ({"type": "draw", "slot": 0}, "invalid-request", "slot: Is not a known field."),
        (APPEND | {"row": 10}, "invalid-request", "row: Must be from 0 to 9."),
        (APPEND | {"card": "reibach"}, "invalid-request", "card: Reibach cards are never in a hand."),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_body_says_what_to_change(api: Api, table: Table, body: Any, code: str, detail: str) -> None:
    problem = refused(_act(api, table, 0, body), 400 if code == "malformed-json" else 422, code, VERSION)
    assert problem["detail"] == detail


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"seats": [{"name": ""}, {}]}, "seats.0.name", "Must have 1 to 40 characters."),
        ({"seats": [{"name": "a\tb"}, {}]}, "seats.0.name", "Must not have control characters."),
        ({"seats": [{"name": "a", "entropy": "x" * 201}, {}]}, "seats.0.entropy", "Must have at most 200 characters."),
        ({"seats": [{"name": "a", "bot": "greedy"}, {}]}, "seats.0.bot", "Give a name or a bot, not both."),
        ({"seats": [{"entropy": "a"}, {}]}, "seats.0.entropy", "Give entropy only beside a name."),
        ({"seats": [{"bot": "greedy", "entropy": ""}, {}]}, "seats.0.entropy", "Give entropy only beside a name."),
        ({"seats": [{"bot": "chess"}, {}]}, "seats.0.bot", "Must be one of: greedy, random, shark."),
        ({"seats": [{}]}, "seats", "Must have 2 to 5 entries."),
        ({"seats": {}}, "seats", "Must be a list."),
        ({"seats": [{}, "x" * 9999]}, "seats.1", "Must be a JSON object."),
        ({"seats": NAMES, "starting_seat": 2}, "starting_seat", "Must be 0 or 1."),
        ({"seats": NAMES, "starting_seat": -1}, "starting_seat", "Must be 0, 1, 2, 3 or 4."),
        ({"seats": NAMES, "listed": 1}, "listed", "Must be true or false."),
        ({"seats": NAMES, "variants": []}, "variants", "Must be a JSON object."),
        ({"seats": NAMES, "server_seed": "zz"}, "server_seed", "Must be 64 hex digits in lower case."),
        ({"seats": NAMES, "server_seed": "a" * 64 + "\n"}, "server_seed", "Must be 64 hex digits in lower case."),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_table_says_what_to_change(api: Api, body: Any, field: str, message: str) -> None:
    problem = refused(api.post("/v1/games", json=body), 422, "invalid-request")
    assert problem["errors"] == {field: [message]}
    assert problem["detail"] == f"{field}: {message}"


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("?at=0", "Versions are 1 to 5."),
        ("?at=9999", "Versions are 1 to 5."),
        ("?at=x", "at: Must be a whole number."),
        ("?at=-1", "at: Must be 1 or more."),
        ("?at=" + "9" * 5000, "at: Must have at most 1000 characters."),
        ("/receipt?at=-1", "at: Must be 1 or more."),
        ("/events?after=-1", "after: Must be 0 or more."),
        ("?at=1&at=2", "at: May be given only once."),
        ("?wait=31", "wait: Must be from 0 to 30."),
        ("?wait=soon", "wait: Must be a number."),
        ("/events?limit=0", "limit: Must be from 1 to 1000."),
        ("/events?after=6", "Versions are 1 to 5."),
        ("/recap?since=6", "Versions are 1 to 5."),
        ("/replay?limit=0", "limit: Must be 1 or more."),
        ("/scores?language=it", f"language: Must be one of: {', '.join(LANGUAGES)}."),
        ("/nothing", "No such resource. See /docs."),
    ],
)
def test_a_wrong_address_says_what_there_is(api: Api, table: Table, query: str, detail: str) -> None:
    answer = api.get(table.path + query)
    assert answer.json()["detail"] == detail
    refused(answer, answer.status_code, answer.json()["type"].removeprefix("/problems/"))


@pytest.mark.parametrize(
    ("headers", "status", "code", "detail"),
    [
        (
            {"If-Match": "5"},
            412,
            "stale-version",
            'Put the version of If-Match in quotation marks: "5" is the present one.',
        ),
        ({"If-Match": '"2"'}, 412, "stale-version", "The game stands at version 5; nothing was done."),
        (
            {"Authorization": "Basic YTpi"},
            401,
            "invalid-token",
            "Use the Bearer scheme: Authorization: Bearer <token>.",
        ),
        (
            {"Authorization": "Bearer nonsense"},
            401,
            "invalid-token",
            "This is not a seat token of this service. To watch, send none.",
        ),
        (
            {"Idempotency-Key": "k" * 201},
            422,
            "invalid-request",
            "Idempotency-Key: Must have 1 to 200 printable ASCII characters.",
        ),
    ],
    ids=str,
)
def test_a_wrong_header_says_what_to_send(
    api: Api, table: Table, headers: dict[str, str], status: int, code: str, detail: str
) -> None:
    """Conditions, tokens and keys are explained by what was wrong with them."""
    answer = api.post(f"{table.path}/actions", table.tokens[0], json={"type": "draw"}, headers=headers)
    assert refused(answer, status, code)["detail"] == detail


def test_a_reused_key_says_to_take_a_new_one(api: Api) -> None:
    """Another body under the same key is refused with the way out."""
    table, key = api.create(NAMES), {"Idempotency-Key": "k"}
    assert api.act(table, 0, {"type": "take", "slot": 0}, headers=key).status_code == 201
    problem = refused(api.act(table, 0, {"type": "take", "slot": 1}, headers=key), 422, "idempotency-key-reused")
    assert problem["detail"] == "This key was used for a request with another body. Use a new key."


TURN = {
    "en": "It is Anna's turn (seat 0).",
    "de": "Anna ist an der Reihe (Platz 0).",
    "nl": "Anna is aan de beurt (plaats 0).",
    "fr": "C\u2019est à Anna de jouer (place 0).",
}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de", "de"),
        ("nl-BE,fr;q=0.5", "nl"),
        ("fr-CA;q=0.4, xx", "fr"),
        ("en;q=0.1", "en"),
        ("de;q=0, it", "en"),
        ("", "en"),
        pytest.param("x," * 128 + "de", "en", id="beyond 256 characters"),
    ],
)
def test_a_refusal_is_in_the_readers_language(api: Api, table: Table, accepted: str, language: str) -> None:
    """The detail is in the best language of Accept-Language, and says so; type, title and status never change."""
    problem = refused(answer := _act(api, table, 1, {"type": "draw"}, Accept_Language=accepted), 409, "not-your-turn")
    assert (problem["detail"], problem["title"]) == (TURN[language], "It is another seat's turn")
    assert answer.headers["Content-Language"] == language
    wrong = refused(_act(api, table, 1, {"type": "take", "slot": 7}, Accept_Language=accepted), 422, "invalid-request")
    values = {"en": "Must be 0, 1 or 2.", "de": "Muss 0, 1 oder 2 sein.", "nl": "Moet 0, 1 of 2 zijn."}
    assert wrong["errors"] == {"slot": [values.get(language, "Doit être 0, 1 ou 2.")]}
    assert wrong["detail"] == f"slot: {wrong['errors']['slot'][0]}"


@pytest.mark.parametrize(
    ("body", "code", "detail"),
    [
        (b"{]", "malformed-json", "The body is not valid JSON at character 1."),
        (
            b'{"type": "take", "slot": 7, "x": 0}',
            "invalid-request",
            "slot: Must be 0, 1 or 2. x: Is not a known field.",
        ),
    ],
)
def test_what_only_programmers_meet_is_english(api: Api, table: Table, body: bytes, code: str, detail: str) -> None:
    answer = _act(api, table, 0, body, Accept_Language="de")
    problem = refused(answer, 400 if code == "malformed-json" else 422, code, VERSION)
    assert (problem["detail"], answer.headers["Content-Language"]) == (detail, "en")
    assert "Accept-Language" in answer.headers["Vary"]


@pytest.mark.parametrize("accepted", ["de;q=x", ",;,=", "de" * 3000, "*", "-", "x;q=0.1;" * 800])
def test_no_accept_language_breaks_a_refusal(api: Api, table: Table, accepted: str) -> None:
    refused(_act(api, table, 1, {"type": "draw"}, Accept_Language=accepted), 409, "not-your-turn", VERSION)


def test_a_repeat_is_worded_in_its_own_language(api: Api) -> None:
    table = api.create(NAMES)
    actions = [{"type": "take", "slot": 0}, {"type": "take", "slot": 0}, {"type": "draw"}]
    answers = {
        language: api.act(table, 0, *actions, headers={"Idempotency-Key": "k", "Accept-Language": language})
        for language in LANGUAGES
    }
    assert [answer.headers["Content-Language"] for answer in answers.values()] == list(LANGUAGES)
    assert all("Accept-Language" in answer.headers["Vary"] for answer in answers.values())
    contents = {language: answer.json() for language, answer in answers.items()}
    assert contents["en"]["problem"]["detail"] == "This costs 2\u00a0action points; you have only 1 left."
    assert contents["de"]["problem"]["detail"] == "Das kostet 2\u00a0Aktionspunkte; du hast nur noch 1."
    assert len({content["problem"].pop("detail") for content in contents.values()}) == len(LANGUAGES)
    assert all(content == contents["en"] for content in contents.values())
    assert api.act(table, 0, {"type": "take", "slot": 0}, headers={"Accept-Language": "de"}).json()["problem"] is None
