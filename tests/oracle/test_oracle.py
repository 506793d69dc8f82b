"""Tests of the oracle: the corners of the rulings, whole games and forged ones."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.oracle.answers import replay
from tests.oracle.oracle import OracleGame
from tests.oracle.play import play, rechain
from tests.oracle.position import Row, Seat
from tests.oracle.table import Table
from tests.oracle.terms import ASIDES, BUSINESSES, HAND_CARDS, KEYS, STATE_REFUSALS, Action, Due, Event
from tests.support.samples import with_slow

VARIANTS = [{"expensive_specials": dear, "staggered_start": late} for dear in (False, True) for late in (False, True)]
DEAR = {"expensive_specials": True, "staggered_start": True}


# Corners of the rulings, on tables laid by hand.


def lay(pile: str, *, revealed: int = 0, rounds: int = 0, points: int = 3, variants: dict[str, bool]) -> Table:
    """Return a table of two in seat 0's first turn, no cards in hand, with the given draw pile."""
    created = {"variants": variants, "seats": 2, "starting_seat": 0}
    scored = [{"round": number + 1} for number in range(rounds)]
    return Table(
        created=created, seats=[Seat(0, "A"), Seat(0, "B")], status="playing", display=["gold", "oil", "art"],
        pile=pile.split(), revealed=revealed, rounds=scored, turn=1, points=points,
    )  # fmt: skip


def run(table: Table, kind: str, **data: object) -> str:
    """Apply one action of seat 0 and all that is due after it; return the types of the latter."""
    due: Due | None = (kind, {"seat": 0, **data})
    kinds = []
    while due is not None:
        table.apply({"version": table.version + 1, "type": due[0], "at": "", "data": due[1], "hash": ""})
        kinds.append(due[0])
        due = table.due()
    return " ".join(kinds[1:])


TAKEN: dict[str, Any] = {"slot": 1, "card": "oil", "cost": 1}
PLAIN = VARIANTS[0]
REVEALED, SCORED = "ReibachRevealed ", "ReibachRevealed ScoringStarted RoundScored "


def test_refill_continues_after_its_scoring_round() -> None:
    """Ruling 1: the slot waits for the round, then is fill_hidden, and the turn continues."""
    table = lay("reibach gold", revealed=3, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + "DisplayRefilled"
    assert (table.display, table.points) == (["gold", "gold", "art"], 2)


def test_one_refill_may_cause_two_rounds() -> None:
    """Ruling 1: the 4th and the 7th in one refill."""
    table = lay("reibach " * 4 + "risk", revealed=3, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + REVEALED * 2 + SCORED + "DisplayRefilled"


def test_one_refill_may_cause_a_round_and_the_end() -> None:
    """Ruling 2: the slot of the 10th stays empty, and the card taken costs its one."""
    table = lay("reibach " * 4 + "gold", revealed=6, rounds=1, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + REVEALED * 2 + SCORED + "GameEnded"
    assert (table.display, table.seats[0].total, table.winners) == (["gold", None, "art"], -1, [1])


def test_tenth_in_a_draw_gives_no_card() -> None:
    """Ruling 2: nothing is drawn, nothing is lost, and a tie is won by both."""
    table = lay("reibach gold", revealed=9, rounds=2, variants=PLAIN)
    assert run(table, "PileDrawn") == SCORED + "GameEnded"
    assert (table.seats[0].hand, table.winners, table.points) == ([], [0, 1], 1)


def test_draw_with_the_last_points_is_completed() -> None:
    """Ruling 1: the card comes after the round, and then the turn ends."""
    table = lay("reibach gold", revealed=3, points=2, variants=PLAIN)
    assert run(table, "PileDrawn") == SCORED + "CardDrawn TurnStarted"
    assert (table.seats[0].hand, table.actor, table.turn) == (["gold"], 1, 2)


@pytest.mark.parametrize(
    ("hand", "rows", "variants", "points", "stuck"),
    [
        ("", 0, DEAR, 1, True),
        ("", 0, PLAIN, 1, False),
        ("", 0, DEAR, 2, False),
        ("risk", 9, DEAR, 1, False),
        ("risk multitalent", 10, DEAR, 1, True),
        ("risk gold", 10, DEAR, 1, False),
    ],
)
def test_stuck(hand: str, rows: int, variants: dict[str, bool], points: int, *, stuck: bool) -> None:
    """Ruling 5 and no further: one point, three specials, and nothing that can be laid or appended."""
    table = lay("gold", points=points, variants=variants)
    table.display = ["risk", "multitalent", "risk"]
    table.seats[0].hand = hand.split()
    table.seats[0].rows = [Row("gold") for _ in range(rows)]
    due = table.due()
    assert (due == ("ActionPointsForfeited", {"seat": 0, "points": 1})) is stuck
    assert stuck or table.possible()


def test_stuck_after_an_interrupted_refill() -> None:
    """The round comes first, the refill next; only then is the rest of the turn stuck."""
    table = lay("reibach risk", revealed=3, points=2, variants=DEAR)
    table.display = ["risk", "oil", "risk"]
    table.seats[0].rows = [Row("gold") for _ in range(10)]
    for row, business in zip(table.seats[0].rows, BUSINESSES, strict=True):
        row.cards = [business, "risk"]
    assert run(table, "CardTaken", **TAKEN) == SCORED + "DisplayRefilled ActionPointsForfeited TurnStarted"


REFUSALS = """
take 0               | not-enough-action-points
draw                 | not-enough-action-points
lay risk             | too-many-businessmakers
lay art              | too-many-businessmakers card-not-in-hand
lay reibach          | invalid-request
append gold 10       | invalid-request
append gold 0        |
append oil 0         | wrong-business
append multitalent 0 |
append oil 1         | row-closed
append gold 1        | row-closed wrong-business
append gold 2        | business-already-has-row
append risk 2        | row-needs-business-first
append art 2         | card-not-in-hand
append risk 0        |
append gold -1       | invalid-request
take 3               | invalid-request
lay swords           | invalid-request
"""


@pytest.mark.parametrize("line", REFUSALS.strip().splitlines())
def test_refusals(line: str) -> None:
    """Ten rows laid, one on gold, one closed on oil; one point left; a risk card is dear."""
    words, _, codes = line.partition("|")
    kind, *rest = words.split()
    action: Action = {"type": "lay_businessmaker" if kind == "lay" else kind}
    action |= {"slot": int(rest[0])} if kind == "take" else dict(zip(("card", "row"), rest, strict=False))
    action |= {"row": int(action["row"])} if "row" in action else {}
    table = lay("gold", points=1, variants=DEAR)
    table.display = ["risk", "gold", "risk"]
    table.seats[0].hand = ["gold", "oil", "multitalent", "risk"]
    table.seats[0].rows = [Row("gold") for _ in range(10)]
    table.seats[0].rows[0].cards = ["gold"]
    table.seats[0].rows[1].cards = ["oil", "risk"]
    assert table.refusal(0, action) == set(codes.split())
    invalid = codes.split() == ["invalid-request"]
    assert invalid or "not-your-turn" in table.refusal(1, action)
    assert (action in table.legal_actions(0)) is (not codes.strip())
    for status, code in STATE_REFUSALS.items():
        table.status = status
        assert invalid or code in table.refusal(1, action)


# Whole games.


@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["part", "rest"])
@pytest.mark.parametrize("variants", VARIANTS, ids=lambda flags: "-".join(name for name in flags if flags[name]))
@pytest.mark.parametrize("seats", with_slow([2, 3, 5, 4]))
def test_random_games_pass(seats: int, variants: dict[str, bool], nightly: bool) -> None:
    """Thirteen games for each table size and variant, from timid to eager: 208 in all, five of each in every run."""
    for seed in range(13):
        if (seed % 3 == 0) is nightly:
            continue
        events = play(seed, seats, variants, eager=seed / 12)
        game = OracleGame(json.loads(json.dumps(events)))
        assert game.winners == events[-2]["data"]["winners"]


def leaves(item: object) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every value inside a JSON value that is neither list nor object."""
    pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, inner in pairs:
        if isinstance(inner, dict | list):
            yield from leaves(inner)
        else:
            yield item, key


def other(value: object) -> object:
    """Return a value of the same type that isn't this one; a card becomes another card."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and value in (*HAND_CARDS, "reibach"):
        return "gold" if value != "gold" else "oil"
    return "0" * 64 if value is None else f"{value}x"


# Names and settings bind nothing later; a card may as well open one empty row as another.
FREE = {
    "GameCreated": {"game", "listed", "on_timeout", "turn_seconds"},
    "PlayerJoined": {"name"},
    "CardAppended": {"row"},
}


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2))])
def test_forged_values_are_refused(part: int) -> None:
    """Any single value changed, the chain recomputed: refused, but for what nothing else depends on.

    Every run does so to each third event, a nightly one to all.
    """
    events = play(5, 3, DEAR, stops=True)
    tried = 0
    for index, event in enumerate(events):
        if index % 3 != part:
            continue
        if event["type"] not in KEYS or event["type"] == "MessagePosted":
            continue
        for number, (_, key) in enumerate(leaves(event["data"])):
            if key in FREE.get(event["type"], ()) or (event["type"] in ASIDES and key == "seat"):
                continue
            forged = copy.deepcopy(event)
            container, name = list(leaves(forged["data"]))[number]
            container[name] = other(container[name])
            with pytest.raises(AssertionError):
                replay([*events[:index], forged, *events[index + 1 :]])
            tried += 1
    assert tried > len(events) // 3


def renumbered(events: list[Event]) -> list[Event]:
    """Forge versions and hashes, so that only the rules reveal the change."""
    return rechain({**event, "version": number} for number, event in enumerate(events, start=1))


@pytest.mark.parametrize("places", [slice(10), pytest.param(slice(10, 40), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("seed", with_slow(range(4)))
def test_swapped_dropped_and_doubled_events_are_refused(seed: int, places: slice) -> None:
    """Forty places a game, ten of them in every run: neighbours swapped, one event left out, one given twice."""
    events = play(seed, 2 + seed, VARIANTS[seed], asides=False)[:-1]
    for index in random.Random(seed).sample(range(1, len(events) - 1), 40)[places]:
        first, second = events[index : index + 2]
        forgeries = [[*events[: index + 1], *events[index:]], [*events[:index], *events[index + 1 :]]]
        if not interchangeable(first, second):
            forgeries.append([*events[:index], second, first, *events[index + 2 :]])
        for forged in forgeries:
            with pytest.raises(AssertionError, match=r"^version \d+: "):
                OracleGame(renumbered(forged))


def interchangeable(first: Event, second: Event) -> bool:
    """Whether neighbours may change places by the rules: joins, and actions that cause nothing."""
    kinds = {first["type"], second["type"]}
    return kinds == {"PlayerJoined"} or kinds <= {"BusinessmakerLaid", "CardAppended"}


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("RoundScored", lambda data: data["seats"][0].update(income=99), "RoundScored must be"),
        ("RoundScored", lambda data: data.update(totals=[0, 0, 0]), "RoundScored must be"),
        ("GameEnded", lambda data: data.update(winners=[0, 1, 2]), "GameEnded must be"),
        ("GameStarted", lambda data: data["draw_pile"].reverse(), "GameStarted must be"),
        ("CardTaken", lambda data: data.update(card="reibach"), "another card or cost"),
        ("CardTaken", lambda data: data.update(slot=True), "is no action"),
        ("CardAppended", lambda data: data.update(note="hi"), "other fields"),
        ("CardDrawn", lambda data: data.update(card=None), "CardDrawn must be"),
        ("GameCreated", lambda data: data.update(server_seed="0" * 64), "commitment"),
        ("TurnStarted", lambda data: data.update(turn=1.0), "TurnStarted must be"),
    ],
)
def test_offences_name_the_version(kind: str, change: Callable[[dict[str, Any]], None], complaint: str) -> None:
    """The error's text begins with the first offending version and names the offence."""
    events = copy.deepcopy(play(7, 3, DEAR))
    victim = next(event for event in events if event["type"] == kind)
    change(victim["data"])
    with pytest.raises(AssertionError, match=rf"^version {victim['version']}: .*{complaint}"):
        OracleGame(rechain(events))


def test_envelope_is_checked() -> None:
    """Hashes, times and the end of the log are looked at as well as the play."""
    events = play(9, 2, PLAIN, asides=False)
    broken = copy.deepcopy(events)
    broken[1]["data"]["name"] = "somebody else"
    with pytest.raises(AssertionError, match=r"^version 2: the hash chain is broken"):
        OracleGame(broken)
    late = next(index for index, event in enumerate(events) if event["type"] == "DisplayRefilled")
    split = [
        event | {"at": "2027-01-01T00:00:00.000Z"} if index >= late else event for index, event in enumerate(events)
    ]
    with pytest.raises(AssertionError, match=f"^version {late + 1}: DisplayRefilled belongs to the append before it"):
        OracleGame(rechain(split))
    early = [*events[:20], events[20] | {"at": "2026-01-01T00:00:00.000Z"}, *events[21:]]
    with pytest.raises(AssertionError, match=r"^version 21: time runs backwards"):
        OracleGame(rechain(early))
    with pytest.raises(AssertionError, match="the log ends before the game"):
        OracleGame(events[:-2])
    with pytest.raises(AssertionError, match="has no place here"):
        OracleGame(renumbered([*events, events[-3] | {"at": events[-1]["at"]}]))
