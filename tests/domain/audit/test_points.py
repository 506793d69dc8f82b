"""The audit's look at positions by action points: every honest one fits its turns, and no other does."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.audit.checks import audit
from domain.audit.points import ill_spent
from domain.commands import Command
from domain.decide import Decision
from domain.events import EVENT_TABLE, EventRecord, payload_of
from domain.evolve import evolve
from domain.position import fill_hidden, hide_unseen, visible_position
from domain.rules import VARIANTS, rules_of
from domain.rules.standard import STANDARD
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.audit.test_forks import FORKS, SET
from tests.oracle.play import play, rechain
from tests.support.forks import fork_command, fork_steps
from tests.support.logs import log_of
from tests.support.play import steps
from tests.support.profiles import examples

EXPENSIVE = rules_of("standard@1", frozenset({"expensive_specials"}))


def complaint(game: Game) -> str:
    """What is said of the position that a game stands in."""
    return ill_spent(visible_position(view_of(game, 0, ""), scores_of(game)), game.rules, game.starting_seat)


@st.composite
def played(draw: st.DrawFn) -> list[tuple[Command, Decision]]:
    """A whole game of random players."""
    seats = draw(st.integers(2, 5), label="players")
    variants = draw(st.sets(st.sampled_from(sorted(VARIANTS))), label="variants")
    start = draw(st.integers(0, seats - 1), label="starting seat")
    return list(steps(seats, f"points {draw(st.integers(0, 9999))}", variants, starting_seat=start))


def playing(draw: st.DataObject, decisions: list[tuple[Command, Decision]]) -> Game:
    """A state of it in which it may be forked."""
    game = decisions[draw.draw(st.integers(0, len(decisions) - 2), label="commands")][1].game
    assume(game.status == "playing")
    return game


def copy_of(log: list[EventRecord], version: int) -> list[EventRecord]:
    """The log of a copy of a finished game, made at a version, that went on as the game did."""
    own = {"game": "copy", "parent": log[0]["data"]["game"], "from": version}
    return rechain([log[0] | {"data": log[0]["data"] | own}, *log[1:]])


@examples(0.4)
@given(played(), st.data())
def test_no_honest_fork_is_accused(game: list[tuple[Command, Decision]], data: st.DataObject) -> None:
    """A fork, a fork of that, and a copy of the second: at their beginnings, for every viewer, and at their ends."""
    parent = playing(data, game)
    seat = data.draw(st.integers(0, len(parent.seats) - 1), label="seat")
    forked = list(fork_steps(parent, seat, "first"))
    again = list(fork_steps(playing(data, forked), seat, "second"))
    for fork in (forked, again):
        assert not any(complaint(decision.game) for _, decision in fork if decision.game.status == "playing")
        log, first = log_of(decision for _, decision in fork), fork[0][1].game
        assert audit(log).ok
        assert audit(log[: first.version], open_cards=True).ok
        for viewer in (None, *range(len(parent.seats))):
            assert audit([redact_event(event, viewer, first) for event in log[: first.version]]).ok
    ends = [decision.game.version for _, decision in again[:-1]]
    copy = copy_of(log, data.draw(st.integers(first.version, len(log) - 1), label="version"))
    assert audit(copy).ok
    for end in [end for end in ends if end >= copy[0]["data"]["from"]][:1]:
        assert audit(copy[:end], open_cards=True).ok


@examples(0.6)
@given(played())
def test_every_state_fits_its_turns(game: list[tuple[Command, Decision]]) -> None:
    """A game that could be forked at any of its versions."""
    assert {complaint(decision.game) for _, decision in game if decision.game.status == "playing"} == {""}


@pytest.mark.parametrize(("number", "seats", "eager"), [(35, 2, 0.3), (26, 3, 0.3), (30, 3, 0.9)])
def test_forfeited_points_are_spent(number: int, seats: int, eager: float) -> None:
    """Games in which a seat was stuck, at every version at which they wait for somebody."""
    log = play(number, seats, {"expensive_specials": True, "staggered_start": False}, eager=eager)
    assert "ActionPointsForfeited" in [event["type"] for event in log]
    game = Game()
    log[0]["data"].pop("pace", None)
    for event in (event for event in log if event["type"] in EVENT_TABLE):
        game = evolve(game, [EVENT_TABLE[event["type"]].kind(**event["data"])])
        if game.status == "playing" and game.action_points and not (game.waiting_draw or game.waiting_slot is not None):
            assert complaint(game) == ""


def of_seats(number: int, points: int, *seats: tuple[int, list[int]]) -> dict[str, Any]:
    """A position of two seats, by their hand sizes and how many cards lie on each of their businessmakers."""
    rows = [[{"shown": False, "cards": ["gold"] * length} for length in lengths] for _, lengths in seats]
    turn = {"number": number, "seat": (number - 1) % 2, "action_points": points}
    return {"hand_sizes": [size for size, _ in seats], "rows": rows, "revealed": 0, "turn": turn}


@pytest.mark.parametrize(
    ("number", "points", "size", "lengths", "fits", "fits_expensive"),
    [
        (1, 3, 4, [], True, True),
        (1, 3, 5, [], False, False),  # nothing was spent
        (1, 3, 3, [], False, False),
        (1, 3, 3, [0], False, False),
        (1, 2, 4, [], False, False),
        (1, 2, 3, [0], True, True),
        (1, 1, 5, [], True, True),  # drawn
        (1, 1, 6, [], True, True),
        (1, 1, 4, [], False, False),
        (3, 3, 7, [], True, True),
        (3, 3, 6, [], True, True),
        (3, 3, 5, [], False, True),  # a draw, and a point forfeited
        (3, 3, 8, [], False, False),
        (3, 3, 4, [0], True, True),
        (3, 3, 1, [1, 0], True, True),
        (3, 3, 3, [0], False, False),
        (3, 3, 0, [2, 0], False, False),
        (3, 3, 2, [0], False, False),  # a card too few
        (5, 3, 8, [], True, True),
        (5, 3, 7, [], False, True),  # three draws are no two turns
    ],
)
def test_what_turns_can_pay(
    number: int, points: int, size: int, lengths: list[int], fits: bool, fits_expensive: bool
) -> None:
    """The first seat's cards, counted by hand; the other one took three in each of its turns."""
    data = of_seats(number, points, (size, lengths), (4 + 3 * (number // 2), []))
    assert (ill_spent(data, STANDARD, 0) == "") is fits
    assert (ill_spent(data, EXPENSIVE, 0) == "") is fits_expensive
    assert fits or "seat 0" in ill_spent(data, STANDARD, 0)


@pytest.mark.parametrize(
    ("shown", "fits"),
    [((0, 0, 0), True), ((0, 1, 1), True), ((1, 1, 1), False), ((0, 1, 0), False), ((1, 0, 0), False)],
)
def test_what_a_last_turn_can_show(shown: tuple[int, ...], fits: bool) -> None:
    """The last businessmakers, with their rows, for three points; none where the seat has had no such turn."""
    data = of_seats(5, 3, (4, [1, 1, 0]), (10, []))
    for row, seen in zip(data["rows"][0], shown, strict=True):
        row["shown"] = bool(seen)
    now = data | {"turn": {"number": 6, "seat": 1, "action_points": 3}, "hand_sizes": [3, 10]}
    assert (ill_spent(now, STANDARD, 0) == "") is fits
    assert (ill_spent(data | {"hand_sizes": [0, 10]}, STANDARD, 0) == "") is (shown == (0, 0, 0))


def set_anew(number: int, change: Callable[[dict[str, Any]], object]) -> list[EventRecord]:
    """A fork up to its position, which is changed, filled with the seed and hashed again."""
    log: list[EventRecord] = json.loads(json.dumps(FORKS[number][: SET[number]]))
    created = log[0]["data"]
    data = hide_unseen(log[-1]["data"])
    change(data)
    rules = rules_of("standard@1", frozenset(created["variants"]))
    entropies = [""] * created["seats"]
    log[-1]["data"] = payload_of(fill_hidden(data, rules, bytes.fromhex(created["server_seed"]), entropies))
    return rechain(log)


def _later(turns: int) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["turn"].update(number=data["turn"]["number"] + turns)


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
    ],
)
def test_a_position_out_of_its_turns(number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """It follows from its seed, its hashes are in order, and the check `rules` names it."""
    assert audit(set_anew(number, len), open_cards=True).ok
    log = set_anew(number, change)
    found = audit(log, open_cards=True)
    assert [check.name for check in found.checks if check.ok is False] == ["rules"]
    assert version_of(found, "rules") == SET[number] == len(log)


def test_what_was_expected_is_said() -> None:
    """Of a game that is over: whose cards don't fit."""
    log = FORKS[3]
    data = log[SET[3] - 1]["data"]
    forged = data | {"turn": data["turn"] | {"number": data["turn"]["number"] + 120}}
    found = audit(rechain([*log[: SET[3] - 1], log[SET[3] - 1] | {"data": forged}, *log[SET[3] :]]))
    assert "expected a position in which the turns of seat" in found.checks[3].detail


def test_a_fork_at_the_first_version_of_a_fork() -> None:
    """No deal and no TurnStarted stand before it in the parent."""
    parent = next(fork_steps(next(steps(3, "early"))[1].game, 0, "early"))[1].game
    assert fork_command(parent, 1, "at once").from_version == 3 + 2
    assert audit(log_of(decision for _, decision in fork_steps(parent, 1, "at once"))).ok
