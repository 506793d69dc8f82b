"""Erased words leave a log whole: it proves all but the words, and no forger finds a place to hide another in."""

import re
from random import Random

import pytest

from domain.audit.chain import receipt_fault
from domain.audit.checks import audit
from domain.fairness.canonical import canonical_json
from domain.fairness.chain import chain_key, hash_of
from tests.domain.audit.erasures import FORGED, LAST, SHORTENED, TRUE, mutated
from tests.domain.audit.forgeries import judge
from tests.oracle.oracle import OracleGame


def test_an_erased_log_is_whole_and_says_how_many_events_were_erased() -> None:
    found = audit(SHORTENED)
    assert found.ok, found.first_offence
    assert "Erased events: 3," in found.checks[0].detail
    assert sum(found.passed_over.erased.values()) == 3
    assert OracleGame(SHORTENED).winners == OracleGame(TRUE).winners
    assert receipt_fault(SHORTENED, TRUE[-1]) is None


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_log_fails_where_it_was_forged(name: str) -> None:
    """By the audit and by the second engine, though each has the true end's hash."""
    version, log = FORGED[name]
    assert len(log) == LAST
    assert log[-1]["hash"] == TRUE[-1]["hash"]
    found = audit(log)
    chain, first = found.checks[0], found.first_offence
    assert (chain.ok, chain.version) == (False, version), chain.detail
    judged = re.search(r"version (\d+): ", judge(log))
    assert judged is not None
    assert first is not None
    assert int(judged[1]) == first.version <= version, first
    if name == "erased without digest":
        assert "the versions up to it can't be proved any more" in chain.detail


def test_a_hash_of_words_is_none() -> None:
    """The chain takes their digest, also where it is read from lines."""
    key, bare = chain_key(bytes.fromhex(TRUE[0]["data"]["server_seed"])), {**TRUE[-1]}
    del bare["hash"]
    forged = hash_of(key, bytes.fromhex(TRUE[-2]["hash"]), canonical_json(bare)).hex()
    log = [*TRUE[:-1], {**bare, "hash": forged}]
    assert audit(log, lines=[canonical_json(event) for event in log]).checks[0].ok is False


@pytest.mark.parametrize(("share", "count"), [(0, 40), pytest.param(1, 1000, marks=pytest.mark.nightly)])
def test_no_mutated_log_proves_another_end(share: int, count: int) -> None:
    """Where the chain holds up to the true end's hash, the second engine finds the true game, too."""
    chance, held = Random(f"erasures {share}"), 0
    for _ in range(count):
        log = mutated(chance)
        chain = audit(log).checks[0]
        assert (judge(log) == "") <= (chain.ok is True), chain
        if chain.ok and log[-1]["hash"] == TRUE[-1]["hash"]:
            held += 1
            assert judge(log) == ""
            assert [event["hash"] for event in log] == [event["hash"] for event in TRUE]
    assert held
