"""The form in which events are stored and hashed."""

import json

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.fairness.canonical import canonical_json
from service.gamelog.store.form.codec import canonical, encode_rows

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
