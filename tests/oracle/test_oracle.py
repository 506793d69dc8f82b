"""Tests of the oracle: whole games and forged ones. The corners of the rulings are in recorded games."""

from __future__ import annotations

import copy
import json
import random
from collections import deque
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from tests.oracle.oracle import OracleGame
from tests.oracle.play import play, rechain
from tests.oracle.table import Table
from tests.oracle.terms import ASIDES, HAND_CARDS, KEYS, NEWEST, RULE_SETS, Event
from tests.support.samples import with_nightly

NAMES = RULE_SETS[NEWEST]
VARIANTS = [dict(zip(NAMES, flags, strict=True)) for flags in product((False, True), repeat=len(NAMES))]
DEAR = dict.fromkeys(NAMES, True)
PLAIN = VARIANTS[0]


@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["part", "rest"])
@pytest.mark.parametrize("variants", VARIANTS, ids=lambda flags: "-".join(name for name in flags if flags[name]))
@pytest.mark.parametrize("seats", with_nightly([2, 3, 5, 4], 2))
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
    "PlayerJoined": {"name", "salt"},
    "CardAppended": {"row"},
}


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2))])
def test_forged_values_are_refused(part: int) -> None:
    """Any single value changed, the chain recomputed: refused, but for what nothing else depends on.

    Every run does so to each third event, a nightly one to all.
    """
    events = play(5, 3, DEAR, stops=True)
    tried, table = 0, Table()
    for index, event in enumerate(events):
        before = copy.deepcopy(table)
        table.apply(event)
        if index % 3 != part or event["type"] not in KEYS or event["type"] == "MessagePosted":
            continue
        for number, (_, key) in enumerate(leaves(event["data"])):
            if key in FREE.get(event["type"], ()) or (event["type"] in ASIDES and key == "seat"):
                continue
            forged = copy.deepcopy(event)
            container, name = list(leaves(forged["data"]))[number]
            container[name] = other(container[name])
            then = copy.deepcopy(before)
            with pytest.raises(AssertionError):
                deque(map(then.apply, [forged, *events[index + 1 :]]))
            tried += 1
    assert tried > len(events) // 3


def renumbered(events: list[Event]) -> list[Event]:
    """Forge versions and hashes, so that only the rules reveal the change."""
    return rechain({**event, "version": number} for number, event in enumerate(events, start=1))


@pytest.mark.parametrize("places", [slice(10), pytest.param(slice(10, 40), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("seed", with_nightly(range(4), 2))
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
    joined = next(event for event in broken if event["type"] == "PlayerJoined" and event["data"]["bot"] is None)
    joined["data"]["name"] = "somebody else"
    with pytest.raises(AssertionError, match=rf"^version {joined['version']}: the hash chain is broken"):
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
