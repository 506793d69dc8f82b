"""A seat's note to oneself: kept, changed, removed, ended with its token, and shown to nobody else."""

import pytest

from service.app import all_routes
from service.gamelog.erasing import delete_game
from tests.api.desks import PEOPLE
from tests.api.test_erasure import forget
from tests.api.test_void_tokens import Pair, ask, pair
from tests.support.client import Table, refused

__all__ = ["pair"]
NOTE = "Zwiebelkuchen\r\n\u2028\U0001f3b2 <b>Bert sammelt Öl</b>"


def noted(pair: Pair) -> Table:
    house = pair.first
    table = house.api.create(PEOPLE)
    assert house.api.request("PUT", f"{table.path}/note", table.tokens[0], json={"text": NOTE}).status_code == 204
    return table


def note_of(pair: Pair, table: Table, seat: int = 0) -> object:
    return pair.second.api.get(f"{table.path}/note", table.tokens[seat]).json()


def test_a_note_is_kept_as_it_was_written_until_it_is_removed(pair: Pair) -> None:
    """It makes no version, and the seat beside has a note of its own."""
    table = noted(pair)
    before = pair.first.api.view(table)["version"]
    assert (note_of(pair, table), note_of(pair, table, 1)) == ({"text": NOTE}, {"text": ""})
    for text in ("x" * 2000, ""):
        pair.first.api.request("PUT", f"{table.path}/note", table.tokens[0], json={"text": text})
        assert note_of(pair, table) == {"text": text}
    assert pair.first.api.view(table)["version"] == before


@pytest.mark.parametrize("body", [{}, {"text": "x" * 2001}, {"text": None}, {"text": "a", "seat": 1}])
def test_a_note_that_is_none_is_refused(pair: Pair, body: object) -> None:
    table = noted(pair)
    refused(pair.first.api.request("PUT", f"{table.path}/note", table.tokens[0], json=body), 422, "invalid-request")
    assert note_of(pair, table) == {"text": NOTE}


def test_nobody_else_is_shown_a_note(pair: Pair) -> None:
    table = noted(pair)
    for route in all_routes():
        if route.method == "GET" and route.path.startswith("/v1/games/<game>"):
            for token in (table.tokens[1], None):
                assert "Zwiebel" not in ask(pair.first, route, table, token, {}).text, route.path
    refused(pair.first.api.get(f"{table.path}/note"), 401, "missing-token")


@pytest.mark.parametrize("how", ["forget", "delete"])
def test_a_note_goes_with_its_person_and_its_game(pair: Pair, how: str) -> None:
    table, store = noted(pair), pair.first.log.store
    if how == "forget":
        forget(pair.first, table)
    else:
        delete_game(store, table.id)
    assert [key for key in store.client.scan_iter() if b"notes" in key] == []
