"""The audit of any input at all: a report, never an exception."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from domain.audit.chain import receipt_fault
from domain.audit.checks import CHECKS, audit
from domain.audit.compare import same
from domain.evolve import EFFECTS
from domain.state import Game
from tests.domain.audit.test_checks import version_of
from tests.support.logs import random_log

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(sorted(EFFECTS)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
LOG = random_log(2, "anything")


@given(st.lists(JSON, max_size=5), JSON)
def test_any_json_value_gets_a_report(events: list[Any], receipt: Any) -> None:
    """No JSON value makes the audit raise, and one that isn't a log fails."""
    found = audit(events)
    assert not found.ok
    assert len(found.checks) == len(CHECKS)
    receipt_fault(events, receipt if isinstance(receipt, dict) else {})


@given(st.integers(0, len(LOG) - 1), st.data())
def test_any_changed_value_is_found(index: int, data: st.DataObject) -> None:
    """One value anywhere in a real log is any other: it is named, with hashes in order or not."""
    log = copy.deepcopy(LOG)
    place = log[index]["data"] if data.draw(st.booleans()) else log[index]
    name = data.draw(st.sampled_from(sorted(place)))
    old, place[name] = place[name], data.draw(JSON)
    found = audit(log)
    assert found.ok is same(old, place[name])
    if not found.ok:
        assert version_of(found, "chain") == index + 1 or not found.over


def test_the_empty_log() -> None:
    """The report of an empty log says that there are no events."""
    found = audit([])
    assert (found.ok, found.version, found.over) == (False, 0, False)
    assert Game().version == 0
