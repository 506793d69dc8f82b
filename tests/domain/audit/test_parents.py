"""Forks compared with their parents' own logs: honest ones agree, changed ones are found."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.audit.checks import CHECKS, Audit, audit
from domain.audit.parent import as_spectators_see
from domain.clock.timestamps import timestamp
from domain.commands import Command
from domain.decide import decide
from domain.decision import Decision
from domain.events import EventRecord, payload_of
from domain.fairness.canonical import canonical_json
from domain.forks.position import fill_hidden, hide_unseen
from domain.rules import NEWEST, rules_of
from domain.state import Game
from domain.view import redact_event
from tests.domain.audit import test_forks
from tests.domain.audit.test_checks import JSON, version_of
from tests.domain.audit.test_forks import FORKS, PARENTS, SET, each
from tests.domain.worlds import another_world
from tests.oracle.answers import events_as_seen
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain
from tests.support.forks import copy_of, fork_command, fork_decisions, fork_steps
from tests.support.logs import BEGAN, log_of, random_log
from tests.support.play import fold, next_command, numbered, play_until, steps
from tests.support.profiles import examples
from tests.support.samples import with_nightly


def failing(found: Audit) -> dict[str, int]:
    return {check.name: check.version for check in found.checks if check.ok is False}


def as_seen(log: list[EventRecord], viewer: int | None, head: Game) -> list[EventRecord]:
    return [redact_event(event, viewer, head) for event in log[: head.version]]


# Honest forks.


@st.composite
def played(draw: st.DrawFn) -> list[tuple[Command, Decision]]:
    seats = draw(st.integers(2, 5), label="players")
    variants = draw(st.sets(st.sampled_from(sorted(NEWEST.variants))), label="variants")
    start = draw(st.integers(0, seats - 1), label="starting seat")
    return list(steps(seats, f"points {draw(st.integers(0, 9999))}", variants, starting_seat=start))


def playing(draw: st.DataObject, decisions: list[tuple[Command, Decision]]) -> int:
    """The index of a command after which the game may be forked."""
    index = draw.draw(st.integers(0, len(decisions) - 2), label="commands")
    assume(decisions[index][1].game.status == "playing")
    return index


def parents_of(
    data: st.DataObject, decisions: list[tuple[Command, Decision]], index: int
) -> Iterator[tuple[bool, list[EventRecord]]]:
    """The log of a parent that was forked after command `index`: finished, then, seen since; whether it is whole."""
    log, then = log_of(decision for _, decision in decisions), decisions[index][1].game
    yield True, log
    yield True, log[: then.version]
    head = decisions[data.draw(st.integers(index, len(decisions) - 1), label="head")][1].game
    viewer = data.draw(st.none() | st.integers(0, len(head.seats) - 1), label="viewer")
    yield head.over, as_seen(log, viewer, head)


@examples(0.1)
@given(played(), st.data())
def test_every_honest_fork_passes(game: list[tuple[Command, Decision]], data: st.DataObject) -> None:
    """A fork, a fork of that, and a copy of the second: at their beginnings and ends, alone and with the parent."""
    index = playing(data, game)
    seat = data.draw(st.integers(0, len(game[0][1].game.seats) - 1), label="seat")
    forked = list(fork_steps(game[index][1].game, seat, "first"))
    number = playing(data, forked)
    again = list(fork_steps(forked[number][1].game, seat, "second"))
    for fork, origin, place in ((forked, game, index), (again, forked, number)):
        log, first = log_of(decision for _, decision in fork), fork[0][1].game
        beginning, seen = log[: first.version], as_seen(log, seat, first)
        alone = audit(log)
        assert alone.ok
        assert alone.needs_parent
        assert f"seat {seat} could not see" in next(check for check in alone.checks if check.name == "shuffle").detail
        assert OracleGame(log).winners is not None
        assert audit(beginning, open_cards=True).ok
        assert audit(seen).ok
        for whole, parent in parents_of(data, origin, place):
            found = audit(log, parent=parent)
            assert found.ok, found
            assert not found.needs_parent
            assert ("saw in the parent" in str(found.comparison)) is whole
            assert audit(beginning, parent=parent, open_cards=True).ok
            assert audit(seen, parent=parent).ok
    version = data.draw(st.integers(1, first_end(log) - 1), label="version")
    copy = copy_of(log, version)
    assert audit(copy, parent=log).ok
    assert "are those of the parent." in str(audit(copy, parent=log).comparison)
    ends = [decision.game.version for _, decision in again[:-1] if decision.game.version >= version]
    for end in ends[:1]:
        assert audit(copy[:end], parent=log, open_cards=True).ok
        assert audit(events_as_seen(copy, 1, end), parent=log).ok


def first_end(log: list[EventRecord]) -> int:
    return next(event["version"] for event in log if event["type"] == "GameEnded")


def test_a_fork_at_the_first_version_of_a_fork() -> None:
    """The fork is made at the parent's position, before which the parent has no deal and no TurnStarted."""
    first = list(fork_steps(next(steps(3, "early"))[1].game, 0, "early"))
    parent = first[0][1].game
    assert fork_command(parent, 1, "at once").from_version == 3 + 2
    log = log_of(decision for _, decision in fork_steps(parent, 1, "at once"))
    assert audit(log).ok
    assert audit(log, parent=log_of(decision for _, decision in first)).ok


# Forged positions, filled with their seed and hashed again.


class Parent(NamedTuple):
    """The parent of one of `FORKS`, in the forms in which an auditor may have its log."""

    finished: list[EventRecord]
    running: list[EventRecord]
    """As its store has it."""
    by_seat: list[EventRecord]
    """As the seat that forks has it."""
    by_spectator: list[EventRecord]


@cache
def parent_of(number: int) -> Parent:
    """Made once for all tests."""
    seats, seed, commands, seat = PARENTS[number]
    then = test_forks.parent_of(seats, seed, commands)
    log = log_of(decision for _, decision in steps(seats, seed, test_forks.VARIANTS, starting_seat=1))
    return Parent(log, log[: then.version], as_seen(log, seat, then), as_seen(log, None, then))


def set_anew(number: int, change: Callable[[dict[str, Any]], object]) -> list[EventRecord]:
    """A fork up to its position, which is changed, filled with the seed and hashed again."""
    log: list[EventRecord] = json.loads(json.dumps(FORKS[number][: SET[number]]))
    created = log[0]["data"]
    data = hide_unseen(log[-1]["data"])
    change(data)
    rules = rules_of(created["rules"], frozenset(created["variants"]))
    entropies = [""] * created["seats"]
    log[-1]["data"] = payload_of(fill_hidden(data, rules, bytes.fromhex(created["server_seed"]), entropies))
    return rechain(log)


def _later(turns: int) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["turn"].update(number=data["turn"]["number"] + turns)


def _other(card: str) -> str:
    return "gold" if card != "gold" else "oil"


@each
def test_an_unchanged_position_agrees(number: int) -> None:
    """In every form of the parent's log; what hidden cards could not show is said when the fork is over."""
    for parent in parent_of(number):
        assert audit(set_anew(number, len), parent=parent, open_cards=True).ok
        said = str(audit(FORKS[number], parent=parent).comparison)
        shows_all = parent[0]["data"]["server_seed"] is not None
        assert ("is the one that seat" in said) is shows_all
        assert ("hidden cards were not compared" in said) is not shows_all


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (3, _later(4 * 30)),
        (3, _later(-4 * 5)),
        (3, _later(4 * 10**15)),
        (3, lambda data: data["turn"].update(number=data["turn"]["number"] % 4 + 4)),
        (4, _later(5 * 30)),
        (0, lambda data: data.update(revealed=1)),
        (0, lambda data: data["hand_sizes"].__setitem__(1, 3)),
        (0, lambda data: data["turn"].update(action_points=2)),
        (3, lambda data: [row.update(shown=True, businessmaker="risk") for row in data["rows"][0][:1]]),
        (3, lambda data: data["display"].__setitem__(0, _other(data["display"][0]))),
        (3, lambda data: data["rows"][0].pop()),
        (3, lambda data: data["rows"][1].insert(0, {"businessmaker": None, "shown": False, "cards": []})),
    ],
)
def test_a_position_that_differs_from_the_parent(number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Its own log can't refuse it; each form of the parent's log does, at its version."""
    log = set_anew(number, change)
    assert audit(log, open_cards=True).ok
    for parent in parent_of(number):
        assert failing(audit(log, parent=parent, open_cards=True)) == {"rules": SET[number]}
        assert audit(log, parent=parent).checks[3].detail == f"rules: version {SET[number]}"


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_hand_that_differs_from_the_parent(number: int) -> None:
    """The parent's whole log refuses it; a redacted one hides the hand, even from the seat that forks."""

    def change(data: dict[str, Any]) -> None:
        hand = data["hands"][data["seat"]]
        hand[0] = _other(hand[0])

    log, parent = set_anew(number, change), parent_of(number)
    assert audit(log, open_cards=True).ok
    for whole in (parent.finished, parent.running):
        assert failing(audit(log, parent=whole, open_cards=True)) == {"rules": SET[number]}
    for redacted in (parent.by_seat, parent.by_spectator):
        assert audit(log, parent=redacted, open_cards=True).ok


@each
def test_a_position_behind_an_unknown_type(number: int) -> None:
    for log, failed in ((FORKS[number][: SET[number]], {}), (set_anew(number, _later(1)), {"rules": SET[number] + 1})):
        events = [*log[:2], log[1] | {"type": "Foo"}, *log[2:]]
        mixed = rechain(event | {"version": version} for version, event in enumerate(events, 1))
        assert failing(audit(mixed, parent=parent_of(number).running, open_cards=True)) == failed


@pytest.mark.parametrize("number", with_nightly(range(len(FORKS)), 3))
def test_another_version_of_the_parent(number: int) -> None:
    """The position is that of one version; one that the parent's log hasn't reached contradicts the fork."""
    log: list[EventRecord] = json.loads(json.dumps(FORKS[number]))
    version, parent = log[0]["data"]["from"], parent_of(number)
    for other in (*range(max(version - 9, log[0]["data"]["seats"] + 2), version), *range(version + 1, version + 9)):
        log[0]["data"]["from"] = other
        found = audit(rechain(log), parent=parent.finished)
        assert version_of(found, "rules") in {1, SET[number]}
        assert version_of(audit(rechain(log), parent=parent.running), "rules") in {1, SET[number]}
    log[0]["data"]["from"] = 10**12
    assert audit(rechain(log)).ok
    for one in parent:
        assert failing(audit(rechain(log), parent=one)) == {"rules": 1}


def test_the_report_names_the_expected_value() -> None:
    log = FORKS[3]
    data = log[SET[3] - 1]["data"]
    forged = data | {"turn": data["turn"] | {"number": data["turn"]["number"] + 120}}
    found = audit(
        rechain([*log[: SET[3] - 1], log[SET[3] - 1] | {"data": forged}, *log[SET[3] :]]), parent=parent_of(3).finished
    )
    version = log[0]["data"]["from"]
    assert f"as seat {data['seat']} saw it in the parent at version {version}." in found.checks[3].detail
    assert f'"number":{data["turn"]["number"]}' in found.checks[3].detail


# Forged copies.

LOG = random_log(3, "copied")
END = first_end(LOG)


def diverging(log: list[EventRecord]) -> tuple[int, list[EventRecord]]:
    """Another game of the same deal: the first version at which it differs, and its log, under the same id."""
    other = [decision for _, decision in islice(steps(3, "copied"), 41)]
    game, chance = other[-1].game, Random("another way")
    while not game.over:
        other.append(decide(next_command(game, chance), game))
        game = other[-1].game
    played_on = log_of(other)
    return next(one["version"] for one, two in zip(log, played_on, strict=False) if one != two), played_on


def test_a_copy_of_a_game_played_otherwise() -> None:
    """Same seed, deal and rules: its own log holds; the parent's names the first event that was played otherwise."""
    at, other = diverging(LOG)
    for version in (1, at - 1, at, at + 1, first_end(other) - 1):
        copy = copy_of(other, version)
        assert audit(copy).ok
        found = audit(copy, parent=LOG)
        assert failing(found) == ({} if version < at else {"rules": at if version < END else 1})


@pytest.mark.parametrize(
    ("change", "version"),
    [
        (lambda copy: (copy[1]["data"].update(name="Somebody else"), copy[0]["data"].update(listed=True)), 0),
        (lambda copy: copy[2]["data"].update(entropy="mine"), 3),
        (lambda copy: [event.update(at=event["at"].replace("2026-", "2027-")) for event in copy], 1),
        (lambda copy: copy[4]["data"]["draw_pile"].reverse(), 5),
        (lambda copy: copy[0]["data"].update(pace=None), 1),
    ],
    ids=["names", "entropy", "times", "deal", "member"],
)
def test_what_a_copy_may_change(change: Callable[[list[EventRecord]], object], version: int) -> None:
    copy: list[EventRecord] = json.loads(json.dumps(copy_of(LOG, 90)))
    change(copy)
    found = audit(rechain(copy), parent=LOG)
    assert failing(found).get("rules", 0) == version


def test_a_copy_of_a_running_game() -> None:
    """A running game can't be copied: the check fails for any cards, and its outcome reveals no card."""
    at, other = diverging(LOG)
    for log in (LOG, other):
        for parent in (LOG[:-40], as_spectators_see(LOG[:80])):
            assert failing(audit(copy_of(log, at), parent=parent)) == {"rules": 1}


def test_a_redacted_copy() -> None:
    """A copy that runs, as a spectator has it: null hides cards, and the visible ones are compared."""
    version = next(event["version"] for event in LOG[60:] if event["type"] == "TurnStarted")
    copy: list[EventRecord] = json.loads(json.dumps(events_as_seen(copy_of(LOG, version), None, version)))
    assert audit(copy, parent=LOG).ok
    joined = next(event for event in copy if event["type"] == "PlayerJoined")
    joined["data"]["entropy"] = "mine"
    assert failing(audit(copy, parent=LOG)) == {"rules": joined["version"]}


# Other logs in the parent's place.


@pytest.mark.parametrize("log", [FORKS[2], copy_of(LOG, 90), LOG], ids=["fork", "copy", "no fork"])
def test_the_log_of_another_game(log: list[EventRecord]) -> None:
    """With another log, or none at all, the fork's first event is named; a game that is no fork has no parent."""
    stranger = random_log(3, "stranger")
    for parent in (stranger, stranger[:30], log, [], [None], [{}], LOG[1:]):
        found = audit(log, parent=parent)
        assert failing(found) == {"rules": 1}, parent
        assert "parent" in found.checks[3].detail


@pytest.mark.parametrize("number", [0, 3])
def test_another_table_than_the_parents(number: int) -> None:
    """Seats, variants, rules and starting seat come from the parent."""
    parent: list[EventRecord] = json.loads(json.dumps(parent_of(number).finished))
    for name, value in {"starting_seat": 0, "variants": {}, "rules": "unknown@1", "seats": 5}.items():
        other = [parent[0] | {"data": parent[0]["data"] | {name: value}}, *parent[1:]]
        assert failing(audit(FORKS[number], parent=other)) == {"rules": 1}


@examples(0.4)
@given(st.lists(JSON, max_size=5), st.integers(0, 400), st.booleans())
def test_any_json_value_as_parent(events: list[Any], cut: int, forked: bool) -> None:
    log, parent = (FORKS[2], parent_of(2).running) if forked else (copy_of(LOG, 90), LOG)
    broken = [*parent[:cut], *events, *parent[cut + 1 :]]
    found = audit(log, parent=broken)
    assert [check.name for check in found.checks] == list(CHECKS)
    assert failing(found).keys() <= {"rules"}
    before = log[0]["data"]["from"] if forked else END
    assert found.ok or cut < before


@examples(0.4)
@given(st.integers(0, SET[2] - 1), st.data())
def test_any_changed_value_in_a_fork_gets_a_report(index: int, data: st.DataObject) -> None:
    """One value of a fork's beginning is any other; with hashes in order."""
    log: list[EventRecord] = json.loads(json.dumps(FORKS[2]))
    place = log[index]["data"]
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)
    for parent in parent_of(2):
        assert len(audit(log, parent=parent).checks) == len(CHECKS)


# A running parent counts as its spectators see it.


def log_of_events(events: list[Any]) -> list[EventRecord]:
    at = timestamp(BEGAN)
    return rechain(json.loads(canonical_json([event | {"at": at} for event in numbered(events)])))


@pytest.mark.parametrize(("seats", "seed", "commands"), with_nightly([(2, "a", 14), (3, "d", 47), (5, "f", 71)]))
def test_a_running_parents_hidden_cards_play_no_part(seats: int, seed: str, commands: int) -> None:
    """Two parents that a spectator can't distinguish give every fork the same audit, honest or forged."""
    game, events = play_until(seats, seed, commands, starting_seat=1)
    others = another_world(events, None, game, Random(seed))
    assert fold(others) != game
    parents = [log_of_events(world) for world in (events, others)]
    seen = [as_spectators_see(parent) for parent in parents]
    assert [event | {"hash": ""} for event in seen[0]] == [event | {"hash": ""} for event in seen[1]]
    for origin in (game, fold(others)):
        for seat in range(seats):
            steps_of_fork = fork_decisions(origin, seat, "guess")
            for log in (log_of(steps_of_fork), log_of(steps_of_fork[:1])):
                one, other = (audit(log, parent=parent).to_json() for parent in seen)
                assert one == other
                assert one["ok"] is True
                # With the cards in sight one of the two is refused, where the seat's own hand differs.
    forks = [log_of(fork_decisions(game, seat, "guess")) for seat in range(seats)]
    assert all(audit(fork, parent=parents[0]).ok for fork in forks)
    assert not all(audit(fork, parent=parents[1]).ok for fork in forks)


def test_what_spectators_see() -> None:
    """Of a finished game all, of a running one what it redacts; a log that can't happen is none."""
    assert as_spectators_see(LOG) == LOG
    end = next(event["version"] for event in LOG[40:] if event["type"] == "TurnStarted")
    assert as_spectators_see(LOG[:end]) == events_as_seen(LOG, None, end)
    assert as_spectators_see([LOG[0], LOG[0]]) is None
