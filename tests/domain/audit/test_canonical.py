"""Values of a log that have a canonical form, and those that don't."""

import json
from typing import Any

import pytest

from domain.audit.checks import audit
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.fairness.chain import chain_key, first_hash, next_hash
from tests.domain.audit.test_checks import version_of
from tests.domain.audit.test_forms import DEALT, FIRST, hidden
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain


def rehashed(log: list[EventRecord]) -> list[EventRecord]:
    """With hashes over the JSON that this project writes, whether or not it is JCS."""
    created = log[0]["data"]
    key = chain_key(bytes.fromhex(created["server_seed"]))
    previous, result = first_hash(key, created["game"]), []
    for event in log:
        content = {name: event[name] for name in ("version", "type", "at", "data")}
        previous = next_hash(key, previous, json.loads(canonical_json(content)))
        result.append(event | {"hash": previous.hex()})
    return result


@pytest.mark.parametrize(
    "value", [1.5, 1.0, -0.0, 1e400, 2**53, -(2**53), {"\U0001f3b2": 1, "\ufb01": 2}, [[{"a": [0.1]}]]], ids=repr
)
def test_values_without_a_jcs_are_refused(value: Any) -> None:
    """In an event of an unknown type, where nothing else looks at them: the chain's hashes would not be JCS's."""
    log = rehashed([*DEALT, DEALT[-1] | {"version": FIRST + 1, "type": "Foo", "data": {"value": value}}])
    assert version_of(audit(log), "chain") == FIRST + 1
    assert version_of(audit(hidden(log)), "chain") == FIRST + 1


def test_values_with_a_jcs_pass() -> None:
    """Other names and whole numbers, sorted and written as by an independent JCS."""
    data = {"\ufb01": 2, "ö": [1, -1, 2**53 - 1, 1 - 2**53], "a": {"\u20ac": True, "B": None}, "": "\U0001f3b2"}
    log = rechain([*DEALT, DEALT[-1] | {"version": FIRST + 1, "type": "Foo", "data": data}])
    assert audit(log, open_cards=True).ok
    assert OracleGame(log, complete=False).table.version == FIRST + 1
