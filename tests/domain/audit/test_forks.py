"""The audit of forks of running games: honest ones hold, and what was changed in the position is found."""

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

from domain.audit.checks import Audit, audit
from domain.audit.findings import Served
from domain.decision import Decision
from domain.events import EventRecord
from domain.evolve import evolve
from domain.projections.table import GameTable, table_at
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.domain.audit.test_checks import outcomes, version_of
from tests.domain.projections.test_table import _check as check_shown
from tests.oracle.answers import events_as_seen, view_at
from tests.oracle.play import rechain
from tests.support.cases import cases
from tests.support.forks import fork_decisions
from tests.support.logs import log_of
from tests.support.play import play_until
from tests.support.samples import Sample, sampled

VARIANTS = ("expensive_specials", "staggered_start")
# Players, seed, commands of the parent, the seat that forks: in the first turn, between rounds, before the last one.
PARENTS = [(2, "a", 1, 0), (2, "b", 129, 1), (3, "c", 33, 2), (4, "d", 121, 3), (5, "e", 81, 0), (3, "f", 81, 1)]


def parent_of(seats: int, seed: str, commands: int) -> Game:
    """A game that is playing, after so many commands or a few more."""
    while (game := play_until(seats, seed, commands, VARIANTS, starting_seat=1)[0]).status != "playing":
        commands += 1
    return game


@cache
def decisions_of(number: int) -> list[Decision]:
    """A fork of that parent, to its end."""
    seats, seed, commands, seat = PARENTS[number]
    return fork_decisions(parent_of(seats, seed, commands), seat, f"fork {seed}")


FORKS = [log_of(decisions_of(number)) for number in range(len(PARENTS))]
SET = [next(event["version"] for event in log if event["type"] == "PositionSet") for log in FORKS]
each = pytest.mark.parametrize("number", range(len(PARENTS)))


def test_the_parents_cover_all_kinds_of_positions() -> None:
    """With no round scored, one and two; with businessmakers that are seen and not; with an empty hand somewhere."""
    positions = [log[version - 1]["data"] for log, version in zip(FORKS, SET, strict=True)]
    assert {len(data["rounds"]) for data in positions} == {0, 1, 2}
    assert {row["shown"] for data in positions for rows in data["rows"] for row in rows} == {True, False}
    assert 0 in [size for data in positions for size in data["hand_sizes"]]


@sampled(8)
@each
def test_every_running_fork_passes(number: int, sample: Sample) -> None:
    """As the store has it and as each viewer has it, at some versions; its view is the one that the log gives.

    At the first one and five others; nightly at up to forty more.
    """
    steps, log = decisions_of(number), FORKS[number]
    for step in sample.of([steps[0], *Random(number).sample(steps[1:-1], min(45, len(steps) - 2))]):
        game = step.game
        head = log[: game.version]
        served = Served({None: view_of(game, None, head[-1]["hash"])}, scores_of(game))
        assert outcomes(audit(head, open_cards=True, served=served))["shuffle"] is True
        assert audit(head, open_cards=True, served=served).ok
        for viewer in (None, *range(PARENTS[number][0])):
            seen = [redact_event(event, viewer, game) for event in head]
            assert json.loads(json.dumps(seen)) == events_as_seen(head, viewer, len(head))
            view = json.loads(json.dumps(view_of(game, viewer, head[-1]["hash"])))
            assert view == view_at(head, len(head), viewer, len(head))
            found = audit(seen)
            assert found.ok, found
            assert outcomes(found)["shuffle"] is None
            check_shown(table_at(seen, len(seen)), game, viewer, game)


@each
def test_the_log_shows_every_state(number: int) -> None:
    """The table read from a log without the fold equals the views, version by version."""
    steps = decisions_of(number)
    head, table, game = steps[-1].game, GameTable(), Game()
    happened = [event for step in steps for event in step.events]
    for event, record in zip(happened, FORKS[number], strict=True):
        table.apply(redact_event(record, None, head))
        game = evolve(game, [event])
        check_shown(table, game, None, head)


def changed(number: int, change: Callable[[dict[str, Any]], object]) -> Audit:
    """The audit of a fork with another position, all hashes worked out anew."""
    log: list[EventRecord] = json.loads(json.dumps(FORKS[number]))
    change(log[SET[number] - 1]["data"])
    return audit(rechain(log))


def _swap(data: dict[str, Any]) -> None:
    pile = data["draw_pile"]
    last = next(index for index, card in enumerate(pile) if card != pile[-1])
    pile[last], pile[-1] = pile[-1], pile[last]


def _trade(data: dict[str, Any]) -> None:
    """A hand that was dealt gets a better card from the bottom of the pile."""
    hand = next(hand for seat, hand in enumerate(data["hands"]) if seat != data["seat"] and hand)
    index = next(i for i, card in enumerate(data["draw_pile"]) if card not in {hand[0], "reibach"})
    hand[0], data["draw_pile"][index] = data["draw_pile"][index], hand[0]


def _uncover(data: dict[str, Any]) -> None:
    row = next(row for rows in data["rows"] for row in rows if not row["shown"])
    index = next(i for i, card in enumerate(data["draw_pile"]) if card not in {row["businessmaker"], "reibach"})
    row["businessmaker"], data["draw_pile"][index] = data["draw_pile"][index], row["businessmaker"]


@pytest.mark.parametrize(
    ("number", "change"),
    # The first fork has no businessmaker yet.
    [*product(range(len(PARENTS)), [_swap, _trade]), *product(range(1, len(PARENTS)), [_uncover])],
)
def test_a_changed_deal_is_found(number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """The check `shuffle` names the position, also where the play never reveals the changed card."""
    assert version_of(changed(number, change), "shuffle") == SET[number]


def change_of(op: str, path: str, value: Any = None) -> Callable[[dict[str, Any]], object]:
    """A line of a table of changes: `set` a member, `drop` it, or `insert` a value as the first one of a list."""

    def change(data: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            data = data[int(step) if isinstance(data, list) else step]
        place = int(last) if isinstance(data, list) else last
        if op == "insert":
            data[place].insert(0, value)
        elif op == "drop":
            data.pop(place)
        else:
            data[place] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        *(change_of(*line) for line in cases(__file__, "impossible_positions")),
        change_of("set", "hand_sizes"),
        change_of("insert", "rows.0", {"businessmaker": "gold", "shown": True, "cards": None}),
        lambda data: data["turn"].update(number=data["turn"]["number"] + 1),
        lambda data: data["rows"][0].extend([data["rows"][0][0]] * 11),
        lambda data: data.clear(),
    ],
)
def test_impossible_positions_are_found(change: Callable[[dict[str, Any]], object]) -> None:
    """The check `rules` names the position, and nothing is raised."""
    assert version_of(changed(3, change), "rules") == SET[3]


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda data: data["display"].__setitem__(0, "gold" if data["display"][0] != "gold" else "oil"), "shuffle"),
        (change_of("set", "more", 1), "rules"),
        (lambda data: data.update(display=["risk"] * 3) or data["hands"].__setitem__(3, ["risk"] * 4), "rules"),
        (lambda data: data["hands"].__setitem__(data["seat"], ["art"] * data["hand_sizes"][data["seat"]]), "shuffle"),
    ],
)
def test_another_visible_card_is_found(change: Callable[[dict[str, Any]], object], check: str) -> None:
    """The check `shuffle` or `rules` names the position."""
    assert version_of(changed(3, change), check) == SET[3]


@pytest.mark.parametrize(
    ("change", "version"),
    [
        *((change_of(*line), 1) for line in [*cases(__file__, "created"), ("set", "parent")]),
        (lambda created: [created.pop("parent"), created.pop("from")], 6),
    ],
)
def test_a_fork_says_that_it_is_one(change: Callable[[dict[str, Any]], object], version: int) -> None:
    log: list[EventRecord] = json.loads(json.dumps(FORKS[3]))
    change(log[0]["data"])
    assert version_of(audit(rechain(log)), "rules") == version


@pytest.mark.parametrize("line", [*cases(__file__, "malformed_redacted"), ("set", "display", ["gold"] * 200)], ids=str)
def test_malformed_redacted_positions(line: list[Any]) -> None:
    """The check `rules` names the position, in little time and memory."""
    seen = [redact_event(event, 1, decisions_of(3)[0].game) for event in FORKS[3][: SET[3]]]
    assert audit(seen).ok
    change_of(*line)(seen[-1]["data"])
    assert version_of(audit(seen), "rules") == SET[3]
    with pytest.raises((AssertionError, LookupError, TypeError, ValueError)):
        table_at(seen, len(seen))
