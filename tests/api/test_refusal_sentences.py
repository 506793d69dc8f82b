"""What a refused player reads: a sentence that says what to do, in the language of Accept-Language."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from domain.words.catalogue import LANGUAGES
from tests.support.cases import cases
from tests.support.client import Api, Table, refused

VERSION = 5
"""The version of a game of two after the deal."""
NAMES = [{"name": "Anna"}, {"name": "Bert"}]


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
    ("body", "code", "detail"), cases(__file__, "a_wrong_body_says_what_to_change"), ids=lambda value: str(value)[:40]
)
def test_a_wrong_body_says_what_to_change(api: Api, table: Table, body: str, code: str, detail: str) -> None:
    problem = refused(_act(api, table, 0, body.encode()), 400 if code == "malformed-json" else 422, code, VERSION)
    assert problem["detail"] == detail


@pytest.mark.parametrize(
    ("body", "field", "message"),
    cases(__file__, "a_wrong_table_says_what_to_change"),
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_table_says_what_to_change(api: Api, body: Any, field: str, message: str) -> None:
    problem = refused(api.post("/v1/games", json=body), 422, "invalid-request")
    assert problem["errors"] == {field: [message]}
    assert problem["detail"] == f"{field}: {message}"


@pytest.mark.parametrize(("query", "detail"), cases(__file__, "a_wrong_address_says_what_there_is"))
def test_a_wrong_address_says_what_there_is(api: Api, table: Table, query: str, detail: str) -> None:
    answer = api.get(table.path + query)
    assert answer.json()["detail"] == detail
    refused(answer, answer.status_code, answer.json()["type"].removeprefix("/problems/"))


@pytest.mark.parametrize(
    ("headers", "status", "code", "detail"), cases(__file__, "a_wrong_header_says_what_to_send"), ids=str
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


@pytest.mark.parametrize(("accepted", "language"), cases(__file__, "a_refusal_is_in_the_readers_language"))
def test_a_refusal_is_in_the_readers_language(api: Api, table: Table, accepted: str, language: str) -> None:
    """The detail is in the best language of Accept-Language, and says so; type, title and status never change."""
    problem = refused(answer := _act(api, table, 1, {"type": "draw"}, Accept_Language=accepted), 409, "not-your-turn")
    assert (problem["detail"], problem["title"]) == (cases(__file__, "turn")[language], "It is another seat's turn")
    assert answer.headers["Content-Language"] == language
    wrong = refused(_act(api, table, 1, {"type": "take", "slot": 7}, Accept_Language=accepted), 422, "invalid-request")
    assert wrong["errors"] == {"slot": [cases(__file__, "slot")[language]]}
    assert wrong["detail"] == f"slot: {wrong['errors']['slot'][0]}"


@pytest.mark.parametrize(("body", "code", "detail"), cases(__file__, "what_only_programmers_meet_is_english"))
def test_what_only_programmers_meet_is_english(api: Api, table: Table, body: str, code: str, detail: str) -> None:
    answer = _act(api, table, 0, body.encode(), Accept_Language="de")
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
