"""Forged logs with all hashes recomputed: the audit passes none that the second engine refuses, and never raises."""

import json
from collections import Counter
from random import Random
from typing import Final

import pytest

from domain.audit.chain import receipt_fault
from domain.audit.checks import CHECKS, Audit, audit
from domain.events import EventRecord
from service.commands.source import parse_log
from tests.domain.audit.forgeries import KINDS, forge, judge, sources
from tests.domain.audit.forgery_kinds import PLAIN_KINDS, Log, Source, leaves, other, with_change
from tests.oracle.answers import events_as_seen
from tests.oracle.terms import KEYS
from tests.support.cases import cases
from tests.support.logs import ndjson
from tests.support.samples import with_nightly

SHARES: Final = (
    pytest.param(0, 260, id="short"),
    *(pytest.param(share, 1000, id=f"first_half_{share}", marks=pytest.mark.nightly) for share in range(1, 31)),
    *(pytest.param(share, 1000, id=f"second_half_{share}", marks=pytest.mark.nightly) for share in range(31, 61)),
)
"""A number for the seed, and how many logs are forged with it: 260 in every run, 60,000 more in a nightly one."""
OPEN_FACTS: Final = cases(__file__, "open_facts")
"""By event type: the members that follow from what every spectator has seen."""


@pytest.mark.parametrize("number", with_nightly(range(12), 4))
def test_the_logs_that_are_forged_are_lawful(number: int) -> None:
    source = sources(12)[number]
    for end in (len(source.log), source.waits[0], source.waits[len(source.waits) // 2]):
        assert audit(source.log[:end], open_cards=True).ok
        assert judge(source.log[:end]) == ""


@pytest.mark.parametrize(("share", "count"), SHARES)
def test_no_unlawful_log_passes(share: int, count: int) -> None:
    """What passes is lawful by the second engine; each kind is refused at least once; a receipt shows every change."""
    chance, pool, made, passed = Random(f"forged {share}"), sources(48 if share else 12), Counter[str](), Counter[str]()
    for number in range(count):
        kind, lawful, forged = forge(chance, pool)
        where = f"log {number} of share {share}, {kind}"
        found = audit(forged, open_cards=True)
        assert [check.name for check in found.checks] == list(CHECKS), where
        if lines := parse_log(ndjson(forged), "forged").lines:
            assert audit(forged, open_cards=True, lines=lines) == found, where
        made[kind] += 1
        passed[kind] += found.ok
        if found.ok:
            assert judge(forged) == "", where
        elif number % 10 == 0 and is_judged_alike(forged, found):
            assert judge(forged) != "", (where, found.first_offence)
        check_receipt(lawful, forged, found, chance.randint(1, len(lawful)))
    assert made.keys() == {kind.__name__ for kind in KINDS}
    assert all(passed[kind] < made[kind] for kind in made), (made, passed)


def is_judged_alike(log: Log, found: Audit) -> bool:
    """Whether the second engine has the rule by which the audit refuses a log.

    It knows neither the version at which a fork began, nor that a game or a fork starts in the append of its last
    PlayerJoined, nor the JCS that all readers of a log agree on.
    """
    offence, created = found.first_offence, log[0]["data"]
    if offence is not None and starts_game(log[offence.version - 1 : offence.version]):
        return False
    if any(event["type"] not in KEYS for event in log if isinstance(event["type"], str)):
        return False
    return "parent" not in created or (offence is not None and 1 < offence.version <= len(log))


def starts_game(events: Log) -> bool:
    return any(event["type"] in ("GameStarted", "PositionSet") or event["data"].get("turn") == 1 for event in events)


def check_receipt(lawful: Log, forged: Log, found: Audit, version: int) -> None:
    """A receipt of the lawful log's for `version` is honoured by a log that is the same up to there, and by no other.

    That a log's hashes are those of its events is the check `chain`; where it fails a receipt proves nothing.
    """
    receipt = {name: lawful[version - 1][name] for name in ("version", "hash")}
    same = json.dumps(lawful[:version], sort_keys=True) == json.dumps(forged[:version], sort_keys=True)
    if same or found.checks[0].ok:
        assert (receipt_fault(forged, receipt) is None) is same


@pytest.mark.parametrize(("share", "count"), [(0, 60), pytest.param(1, 5000, marks=pytest.mark.nightly)])
def test_no_open_fact_of_a_redacted_log_can_be_changed(share: int, count: int) -> None:
    """What spectators and seats see of a running game: each other turn, card taken, score or count is found.

    Of the rest, which hidden cards might explain, no change makes the audit raise.
    """
    chance, pool = Random(f"redacted {share}"), sources(48 if share else 12)
    for number in range(count):
        source = chance.choice(pool)
        seen = redacted_log(source, chance)
        facts = [index for index, event in enumerate(seen) if event["type"] in OPEN_FACTS]
        if facts:
            forged = with_another_fact(seen, chance.choice(facts), chance)
            assert not audit(forged).ok, f"log {number} of share {share}"
        audit(chance.choice(PLAIN_KINDS)(source, seen, chance))


def redacted_log(source: Source, chance: Random) -> Log:
    """A running game, as it is served to a spectator or a seat."""
    end = chance.choice(source.waits[:-1])
    seats: int = source.log[0]["data"]["seats"]
    return [*events_as_seen(source.log, chance.choice([None, *range(seats)]), end)]


def with_another_fact(seen: Log, index: int, chance: Random) -> Log:
    """The log with another value in the place of one that every spectator could have worked out."""
    name = chance.choice(sorted(OPEN_FACTS[seen[index]["type"]]))

    def change(event: EventRecord) -> None:
        inner = event["data"][name]
        container, key = chance.choice(leaves(inner)) if isinstance(inner, list) else (event["data"], name)
        old = container[key]
        while container[key] == old:
            container[key] = other(old, chance)

    return with_change(seen, index, change)
