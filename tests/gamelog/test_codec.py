"""The form in which events are stored and hashed."""

import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.events import OPTIONAL
from domain.fairness.canonical import canonical_json
from domain.state import Game
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.codec import (
    apply_rows,
    canonical,
    decode_rows,
    encode_rows,
    payload_of_row,
    row_of_payload,
)
from tests.support.cases import cases

whole = st.integers(-(2**53) + 1, 2**53 - 1)
values = st.recursive(
    st.none() | st.booleans() | whole | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(max_codepoint=126, min_codepoint=32)), inner),
)


@given(values)
def test_the_canonical_forms_of_log_domain_and_oracle_are_equal(value: object) -> None:
    """The log's, the domain's and the oracle's canonical forms are the same bytes, for any name and entropy."""
    assert canonical(value) == canonical_json(value) == rfc8785.dumps(value)


@given(st.lists(st.lists(values, max_size=3), min_size=1, max_size=3))
def test_the_stored_form_is_plain_json(rows: list[list[object]]) -> None:
    """As the standard library writes it, whatever names and messages hold; members keep their order."""
    plain = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    assert encode_rows(rows) == plain.encode()[1:-1]


CREATED, GIVEN = cases(__file__, "created"), cases(__file__, "given")


@given(st.sets(st.sampled_from(sorted(GIVEN))))
def test_a_game_is_stored_with_what_it_was_created_with(names: set[str]) -> None:
    """Any of the optional members, by one tag: one that is added to them needs no other."""
    assert GIVEN.keys() == OPTIONAL["GameCreated"].keys()
    data = CREATED | {name: GIVEN[name] for name in names}
    (row,) = decode_rows([encode_rows([row_of_payload("GameCreated", data)])])
    assert (row[0], payload_of_row(row)) == ("created@9", ("GameCreated", data))
    apply_rows(game := Game(), [row], 0)
    assert (game.parent, game.name) == (data.get("parent"), data.get("name"))
    assert (game.copied_until, game.pace is not None, game.replaceable) == (
        *(data.get("from", 0), "pace" in data, "replaceable" in data),
    )


@pytest.mark.parametrize("wrong", [{"pace": None}, {"replaceable": False}, {"name": 1}, {"colour": "red"}], ids=str)
def test_what_no_game_is_created_with_is_not_stored(wrong: dict[str, object]) -> None:
    with pytest.raises(CorruptLog):
        row_of_payload("GameCreated", CREATED | wrong)
    with pytest.raises(CorruptLog):
        row_of_payload("GameCreated", {name: value for name, value in CREATED.items() if name != "game"})


@pytest.mark.parametrize("last", [None, [], {"colour": "red"}, {"pace": 1}], ids=str)
def test_a_row_with_other_members_is_refused(last: object) -> None:
    with pytest.raises(CorruptLog):
        apply_rows(Game(), [["created@9", *CREATED.values(), last]], 0)
