"""The form in which events are stored and hashed."""

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain.fairness.canonical import canonical_json
from service.gamelog.codec import canonical

whole = st.integers(-(2**53) + 1, 2**53 - 1)
values = st.recursive(
    st.none() | st.booleans() | whole | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(max_codepoint=126, min_codepoint=32)), inner),
)


@given(values)
def test_the_quick_canonical_form_is_the_right_one(value: object) -> None:
    """The log's own, the domain's and the judge's are the same bytes, whatever a name or an entropy holds."""
    assert canonical(value) == canonical_json(value) == rfc8785.dumps(value)
