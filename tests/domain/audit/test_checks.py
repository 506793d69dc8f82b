"""The audit: every honest log passes, every edit is found, and no hidden card is revealed."""

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.audit.chain import receipt_fault
from domain.audit.checks import CHECKS, Audit, audit
from domain.audit.findings import Offence, Served, same
from domain.commands import CreateGame, JoinGame, SeatPlan
from domain.decide import decide
from domain.events import EventRecord
from domain.evolve import EFFECTS
from domain.state import Game
from domain.view import scores_of, view_of
from tests.domain.audit.forgery_kinds import Log, Source, dropped, hashes, swapped, types, values
from tests.oracle.answers import events_as_seen
from tests.oracle.play import play, rechain
from tests.support.cases import cases
from tests.support.logs import log_of, random_log
from tests.support.play import steps
from tests.support.samples import Sample, sampled, with_nightly

HONEST = [
    *(range(share, 8, 4) for share in range(4)),
    *(pytest.param(range(start, start + 124), marks=pytest.mark.nightly) for start in range(8, 1000, 124)),
]
"""Numbers of honest games, two each: 16 in every run, of 2,000 in a nightly one."""
EDITS = 4 * settings().max_examples
VARIANTS = [{"expensive_specials": dear, "staggered_start": late} for dear in (False, True) for late in (False, True)]
EAGER = (0.3, 0.05, 0.9)


def oracle_log(number: int, *, asides: bool = True) -> list[EventRecord]:
    """A whole game of the second engine: every table size, variant and temper in turn; a copy that may be changed."""
    return pickle.loads(_pickled_log(number, asides))


@lru_cache(64)
def _pickled_log(number: int, asides: bool) -> bytes:
    log = play(number, 2 + number % 4, VARIANTS[number // 4 % 4], eager=EAGER[number % 3], asides=asides)
    return pickle.dumps(log)


def outcomes(found: Audit) -> dict[str, bool | None]:
    return {check.name: check.ok for check in found.checks}


SOUND: Final[dict[str, bool | None]] = dict.fromkeys(CHECKS, True)
"""The outcome of an honest, finished log."""


def version_of(found: Audit, name: str) -> int:
    """The first offending version that a failing check names, in its detail too."""
    check = next(check for check in found.checks if check.name == name)
    assert check.ok is False
    assert re.search(rf"\b{check.version}\b", check.detail)
    return check.version


# Honest games.


def test_a_table_passes_from_its_creation_on() -> None:
    """Also before anybody has joined it, and before its last seat is taken."""
    opened = decide(CreateGame(game="table", server_seed=bytes(32), seats=(SeatPlan(), SeatPlan())), Game())
    joined = decide(JoinGame(name="Anna"), opened.game)
    full = decide(JoinGame(name="Bert"), joined.game)
    for count in (1, 2, 3):
        found = audit(log_of([opened, joined, full][:count]))
        assert all(check.ok is not False for check in found.checks), (count, found)


@pytest.mark.parametrize("numbers", HONEST, ids=str)
def test_every_honest_game_passes(numbers: range) -> None:
    """Half of them by each engine: with bots, seats joined late, other events and unknown event types."""
    for number in numbers:
        names = [name for name, on in VARIANTS[number % 4].items() if on]
        logs = oracle_log(number), random_log(2 + number // 4 % 4, f"honest/{number}", names, starting_seat=number % 2)
        for log in logs:
            found = audit(log)
            assert outcomes(found) == SOUND, (number, found)
            assert (found.ok, found.over, found.version) == (True, True, len(log))
            assert [check.name for check in found.checks] == list(CHECKS)
            assert receipt_fault(log, log[number % len(log)]) is None


def ends_of_appends(log: list[EventRecord], chance: Random, sample: Sample) -> list[int]:
    """Some versions before the end at which a game waits: of eight (nightly: of fifty-six more)."""
    ended = next(event["version"] for event in log if event["type"] == "GameEnded")
    return [end for end in sample.of(chance.sample(range(1, ended), 64)) if audit(log[:end]).ok]


@sampled(8)
@pytest.mark.parametrize("number", with_nightly(range(8), 2))
def test_every_running_game_passes(number: int, sample: Sample) -> None:
    """The log as stored, and as each seat and a spectator see it; a check that can't run yet is null."""
    log = oracle_log(number)
    ends = ends_of_appends(log, Random(number), sample)
    assert ends
    for end in ends:
        found = audit(log[:end])
        assert outcomes(found) == SOUND | {"commitment": None, "shuffle": None}
        for viewer in (None, *range(2 + number % 4)):
            found = audit(events_as_seen(log, viewer, end))
            expected = SOUND | dict.fromkeys(("chain", "commitment", "shuffle"))
            assert outcomes(found) == expected, (number, end, viewer)
            assert [check.detail for check in found.checks] == [f"{name}: version {end}" for name in CHECKS]


def test_a_seat_stuck_with_hidden_cards_passes() -> None:
    """Games with forfeited points, as a spectator sees them at every version at which they wait."""
    for number, seats, eager, forfeits in ((5, 2, 0.3, [186]), (14, 3, 0.3, [198]), (30, 3, 0.9, [100, 178])):
        log = play(number, seats, {"expensive_specials": True, "staggered_start": False}, eager=eager)
        assert [event["version"] for event in log if event["type"] == "ActionPointsForfeited"] == forfeits
        for end in (version + 1 for version in forfeits):
            assert audit(events_as_seen(log, None, end)).ok, (number, end)


# Edits.


def insert(_source: Source, log: Log, chance: Random) -> list[Any]:
    """An event, a member, a field, or a value that isn't an event is added."""
    index = chance.randrange(len(log))
    event = log[index]
    more = [event, None, 7, "event", [], {}, event | {"type": "SomethingNew"}, event | {"version": len(log)}]
    if chance.random() < 0.7:
        return [*log[:index], chance.choice(more), *log[index:]]
    extra = chance.choice([event | {"note": 1}, event | {"data": event["data"] | {"note": 1}}])
    return [*log[:index], extra, *log[index + 1 :]]


def lack(_source: Source, log: Log, chance: Random) -> Log:
    index = chance.randrange(len(log))
    name = chance.choice(sorted(log[index]))
    return [*log[:index], {key: value for key, value in log[index].items() if key != name}, *log[index + 1 :]]


def rehash(_source: Source, log: Log, chance: Random) -> Log:
    """An event is replaced, and all hashes from there on are computed with a wrong key."""
    index = chance.randrange(len(log))
    changed = copy.deepcopy(log)
    changed[index]["data"] |= {"x": 1}
    forged = copy.deepcopy(changed)
    forged[0]["data"] |= {"server_seed": chance.randbytes(32).hex(), "game": log[0]["data"]["game"]}
    hashes = [event["hash"] for event in rechain(forged)]
    return [
        event | {"hash": new} if event["version"] > index else event for event, new in zip(changed, hashes, strict=True)
    ]


@pytest.mark.parametrize("edit", [values, types, hashes, lack, dropped, swapped, insert, rehash])
def test_every_edit_is_found(edit: Callable[[Source, Log, Random], list[Any]]) -> None:
    """A share of the edits, at random places of twenty finished games: the first event that differs is named."""
    logs = [oracle_log(number) for number in range(20)]
    found = 0
    for number in range(EDITS // 5):
        log = logs[number % len(logs)]
        edited = edit(Source(log, []), copy.deepcopy(log), Random(f"{edit.__name__} {number}"))
        differing = (at for at, event in enumerate(edited) if at >= len(log) or not same(event, log[at]))
        first = next(differing, None)
        if first is not None:  # another value may be the same one
            assert version_of(audit(edited), "chain") == first + 1, number
            found += 1
    assert found > EDITS // 10


def test_every_cut_is_found_with_a_receipt() -> None:
    """As many random cuts: a log that was cut anywhere contradicts a receipt for its end.

    Without one a cut shows only where it leaves an append half, or the game without its end; never among messages after
    it.
    """
    for number in range(EDITS // 5):
        log = oracle_log(number % 20)
        kept = Random(number).randrange(1, len(log))
        found = audit(log[:kept])
        receipt = {name: log[-1][name] for name in ("version", "hash")}
        assert receipt_fault(log[:kept], receipt) == (kept + 1, receipt_fault(log[:kept], receipt).expected)
        assert not (found.ok and found.over) or log[kept]["type"] == "MessagePosted"


# Rewrites with the published seed.


def test_a_consistent_rewrite_is_found_only_by_a_receipt() -> None:
    """Another name, or times an hour later, with every hash computed again: consistent; the audit claims no more."""
    log = oracle_log(1)
    receipts = [{name: event[name] for name in ("version", "hash")} for event in log]
    later = [event | {"at": event["at"].replace("2026-", "2027-")} for event in log]
    said = copy.deepcopy(log)
    said[-1]["data"]["text"] = "bad game"
    for forged in map(rechain, (later, said)):
        found = audit(forged)
        assert outcomes(found) == SOUND
        assert "consistency only" in found.checks[0].detail
        assert receipt_fault(forged, receipts[-1]).version == len(log)
    assert receipt_fault(rechain(later), receipts[0]).version == 1
    chained = rechain(said)
    assert [receipt_fault(chained, one) for one in receipts[:-1]] == [None] * (len(log) - 1)


def forgeries(log: list[EventRecord]) -> Iterator[tuple[str, int, list[EventRecord]]]:
    """The check that must fail, the version and a log with all hashes in order."""

    def changed(
        kind: str, change: Callable[[dict[str, Any]], None], last: bool = True
    ) -> tuple[int, list[EventRecord]]:
        forged = copy.deepcopy(log)
        places = [index for index, event in enumerate(forged) if event["type"] == kind]
        index = places[-1 if last else 0]
        change(forged[index]["data"])
        return index + 1, rechain(forged)

    yield "commitment", *changed("GameCreated", lambda data: data.update(commitment="0" * 64))
    yield "shuffle", *changed("PlayerJoined", lambda data: data.update(entropy="forged"), last=False)
    yield "shuffle", *changed("GameStarted", lambda data: data["draw_pile"].reverse())
    yield "rules", *changed("TurnStarted", lambda data: data.update(seat=data["seat"] + 1))
    yield "rules", *changed("TurnStarted", lambda data: data.update(turn=True), last=False)
    yield "rules", *changed("CardTaken", lambda data: data.update(slot=-1))
    yield "rules", *changed("CardTaken", lambda data: data.update(cost=0))
    yield "rules", *changed("CardDrawn", lambda data: data.update(card="reibach"))
    yield "rules", *changed("CardAppended", lambda data: data.update(row=-1))
    yield "rules", *changed("BusinessmakerLaid", lambda data: data.update(more=1))
    yield "scoring", *changed("RoundScored", lambda data: data.update(totals=[9] * len(data["totals"])))
    yield "projection", *changed("RoundScored", lambda data: data.update(totals=[9] * len(data["totals"])))
    yield "scoring", *changed("RoundScored", lambda data: data["seats"][0].update(income=99), last=False)
    yield "projection", *changed("RoundScored", lambda data: data["seats"][0].update(income=99), last=False)
    yield "scoring", *changed("GameEnded", lambda data: data.update(winners=[]))
    yield "projection", *changed("GameEnded", lambda data: data.update(totals=[]))


@pytest.mark.parametrize("number", with_nightly(range(4), 2))
def test_a_rewrite_against_the_rules_is_named(number: int) -> None:
    """With all hashes in order, the check that it offends names it; the deal for entropy is that of the start."""
    log = oracle_log(number + 4, asides=False)
    started = next(event["version"] for event in log if event["type"] == "GameStarted")
    for name, version, forged in forgeries(log):
        found = audit(forged)
        assert found.checks[0].ok, name
        assert version_of(found, name) == (started if name == "shuffle" else version), (name, version)
        assert not found.ok


def test_events_of_one_append_share_their_time() -> None:
    log = random_log(3, "one time")
    last = [event["version"] for event in log if event["type"] == "TurnStarted"][5]
    forged = rechain(
        [event | {"at": event["at"][:-4] + "999Z"} if event["version"] >= last else event for event in log]
    )
    assert version_of(audit(forged), "rules") == last


def test_an_action_against_the_rules_is_named() -> None:
    """Two turns' actions of a seat that has no card for them."""
    log = random_log(2, "refused")
    index = next(index for index, event in enumerate(log) if event["type"] == "CardAppended")
    log[index]["data"]["row"] = 7
    found = audit(rechain(log))
    assert version_of(found, "rules") == index + 1
    assert "no-such-row" in found.checks[3].detail


def test_a_finished_game_without_its_seed_is_accused() -> None:
    log = oracle_log(3)
    log[0]["data"]["server_seed"] = None
    assert version_of(audit(log), "commitment") == 1


# What a service serves.


def test_what_is_served_must_follow_from_the_events() -> None:
    """View and scores of every viewer; further members are ignored."""
    log = random_log(3, "served")
    game = [decision.game for _, decision in steps(3, "served")][-1]
    views: dict[int | None, Any] = {viewer: view_of(game, viewer, log[-1]["hash"]) for viewer in (None, 0, 1, 2)}
    later = {viewer: view | {"later": None} for viewer, view in views.items()}
    assert set(outcomes(audit(log, served=Served(later, scores_of(game)))).values()) == {True}
    wrong = views | {2: views[2] | {"you": {"seat": 2, "hand": ["gold"]}}}
    for served in (Served(wrong, scores_of(game)), Served(views, {}), Served({None: None}, scores_of(game))):
        found = audit(log, served=served)
        assert [name for name, ok in outcomes(found).items() if ok is False] == ["projection"]
        assert version_of(found, "projection") == len(log)


@pytest.mark.parametrize("index", [0, 9, -1])
@pytest.mark.parametrize("value", ["", None, 0, [], "0" * 64])
def test_what_is_no_hash_is_named(index: int, value: object) -> None:
    log = copy.deepcopy(LOG)
    log[index]["hash"] = value
    assert version_of(audit(log), "chain") == log[index]["version"]


def test_what_a_store_contradicts_breaks_the_chain() -> None:
    log = random_log(2, "stored")
    assert version_of(audit(log, stored=Offence(7, "another hash")), "chain") == 7
    log[4]["hash"] = "0" * 64
    assert version_of(audit(log, stored=Offence(7, "another hash")), "chain") == 5


# Any input at all.


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(sorted(EFFECTS)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
LOG = random_log(2, "anything")


@given(st.lists(JSON, max_size=5), JSON)
def test_any_json_value_gets_a_report(events: list[Any], receipt: Any) -> None:
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


# Whose entropy binds the server.


@pytest.mark.parametrize(("moments", "seats", "words"), cases(__file__, "seats_whose_entropy_binds_the_server"))
def test_seats_whose_entropy_binds_the_server(moments: tuple[int, ...], seats: tuple[int, ...], words: str) -> None:
    """Seats of the creation come with it, in seat order; a seat that joins later is named, even at the same time."""
    log = log_of(decision for _, decision in steps(3, "binding"))
    joined = {event["data"]["seat"]: event for event in log[1:4]}
    log[1:4] = [joined[seat] | {"version": place + 2} for place, seat in enumerate(seats)]
    for event, moment in zip(log[1:4], moments, strict=True):
        event["at"] = event["at"][:-2] + f"{moment}Z"
    for event in log[4:6]:
        event["at"] = log[3]["at"]
    found = audit(rechain(log))
    assert set(outcomes(found).values()) == {True}
    assert words in found.checks[1].detail


def test_a_seat_without_entropy_binds_nothing() -> None:
    """A seat that joined later and gave no entropy is named as such."""
    log = log_of(decision for _, decision in steps(3, "binding"))
    for version, at in enumerate(("1", "2"), 3):
        log[version - 1]["at"] = log[0]["at"][:-2] + f"{at}Z"
    for event in log[4:6]:
        event["at"] = log[3]["at"]
    for silent, words in (((3,), "except for seat 1: none was given there."), ((3, 4), "so nothing binds the server.")):
        for version in silent:
            log[version - 1]["data"]["entropy"] = ""
        assert words in audit(rechain(log)).checks[1].detail
