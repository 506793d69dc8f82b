"""The audit of the origins that forks name, and of redacted logs: only null hides a value."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from domain.audit.checks import Audit, audit
from domain.events import EventRecord
from domain.view import redact_event
from tests.domain.audit.test_checks import version_of
from tests.domain.audit.test_forks import FORKS, PARENTS, SET, change_of, decisions_of, parent_of
from tests.oracle.answers import events_as_seen
from tests.oracle.play import rechain
from tests.support.cases import cases
from tests.support.forks import copy_of, fork_command, fork_decisions
from tests.support.logs import log_of, random_log

LOG = random_log(3, "origin")
FIRST = next(event["version"] for event in LOG if event["type"] == "TurnStarted")
END = next(event["version"] for event in LOG if event["type"] == "GameEnded")
STANDS = [event["version"] - 1 for event in LOG if event["type"] in {"CardTaken", "PileDrawn"}]
"""Versions at which the game waits for an action."""
LARGEST = 2**53 - 1


@pytest.mark.parametrize("version", [END, len(LOG) + 1, 10**6, LARGEST])
def test_a_copy_of_missing_events(version: int) -> None:
    found = audit(copy_of(LOG, version))
    assert version_of(found, "rules") == 1
    assert f"from 1 to {END - 1}" in found.checks[3].detail
    assert found.first_offence == found.checks[3]


@pytest.mark.parametrize("number", range(len(PARENTS)))
def test_a_copy_of_a_fork(number: int) -> None:
    """Up to its end, as the parent of neither is the copy's own."""
    log = FORKS[number]
    end = next(event["version"] for event in log if event["type"] == "GameEnded")
    for version in (1, SET[number], end - 1):
        assert audit(copy_of(log, version)).ok
    assert version_of(audit(copy_of(log, end)), "rules") == 1


@pytest.mark.parametrize("number", range(1, len(PARENTS)))  # the first one begins with the first turn
def test_nobody_is_invited_to_a_fork_in_its_middle(number: int) -> None:
    """Also where it is the history of a copy, whose people are taken on trust."""
    log = FORKS[number]
    invited = {"type": "SeatsInvited", "at": log[0]["at"], "data": {"seats": [0]}}
    later = [*log[: SET[number]], invited, *log[SET[number] :]]
    forged = rechain([event | {"version": version} for version, event in enumerate(later, 1)])
    assert version_of(audit(copy_of(forged, SET[number] + 1)), "rules") == SET[number] + 1


def test_a_copy_that_runs() -> None:
    """From the first version served on it has as many events as it was made of; with fewer it was cut."""
    version = STANDS[20]
    copy = copy_of(LOG, version)
    for end in STANDS[20:30]:
        assert audit(copy[:end], open_cards=True).ok
        for viewer in (None, 0, 1, 2):
            assert audit(events_as_seen(copy, viewer, end)).ok
    for end in STANDS[1:20]:
        assert version_of(audit(copy[:end], open_cards=True), "rules") == end + 1
        assert version_of(audit(events_as_seen(copy, None, end)), "rules") == end + 1
    assert audit(copy[: STANDS[3]]).checks[3].detail == f"rules: version {STANDS[3] + 1}"


def test_what_else_is_wrong_with_a_cut_copy_comes_first() -> None:
    """The first offending version is named, not where the log ends."""
    copy: list[EventRecord] = json.loads(json.dumps(copy_of(LOG, STANDS[40])[: STANDS[30]]))
    turn = next(event for event in copy if event["type"] == "TurnStarted" and event["version"] > FIRST)
    turn["data"]["seat"] = (turn["data"]["seat"] + 1) % 3
    assert version_of(audit(rechain(copy), open_cards=True), "rules") == turn["version"]


@pytest.mark.parametrize(("version", "offended"), [(4, 1), (5, 0), (10**12, 0), (LARGEST, 0), (LARGEST + 1, 1)])
def test_the_version_of_a_running_parent(version: int, offended: int) -> None:
    """As soon as three seats can be in a turn, and no number that a log can't hold."""
    log: list[EventRecord] = json.loads(json.dumps(events_as_seen(FORKS[2], None, SET[2])))
    assert log[0]["data"]["seats"] == 3
    log[0]["data"]["from"] = version
    found = audit(log)
    assert (version_of(found, "rules") if offended else int(not found.ok)) == offended


@pytest.mark.parametrize(("index", "version"), [(0, 1), (SET[1] - 1, SET[1])])
def test_a_game_that_names_itself_as_parent(index: int, version: int) -> None:
    log: list[EventRecord] = json.loads(json.dumps(FORKS[1]))
    log[index]["data"]["parent"] = log[0]["data"]["game"]
    found = audit(rechain(log))
    assert version_of(found, "rules") == version
    assert "another game than itself" in found.checks[3].detail
    copy = copy_of(LOG, 60)
    copy[0]["data"]["parent"] = "copy"
    assert version_of(audit(rechain(copy)), "rules") == 1


@pytest.mark.parametrize(("index", "version"), [(0, 1), (2, 3)])
def test_an_offence_before_the_position_is_named_first(index: int, version: int) -> None:
    log: list[EventRecord] = json.loads(json.dumps(FORKS[3]))
    log[SET[3] - 1]["data"]["totals"] = [0, 0, 0, 99]
    assert version_of(audit(rechain(log)), "rules") == SET[3]
    log[index]["data"]["more"] = 1
    assert version_of(audit(rechain(log)), "rules") == version


# Redacted logs.


def seen_position(viewer: int | None) -> list[EventRecord]:
    """A fork with businessmakers in sight and not, as a viewer has it right after its creation."""
    game = decisions_of(3)[0].game
    return json.loads(json.dumps([redact_event(event, viewer, game) for event in FORKS[3][: SET[3]]]))


def seen_deal(viewer: int | None) -> list[EventRecord]:
    return json.loads(json.dumps(events_as_seen(LOG, viewer, FIRST)))


def rules_after(log: list[EventRecord], kind: str, change: Callable[[dict[str, Any]], object]) -> tuple[Audit, int]:
    """The audit of a log whose deal or position was changed, and its version."""
    assert audit(log).ok
    event = next(event for event in log if event["type"] == kind)
    change(event["data"])
    return audit(log), event["version"]


NOTHING: list[Any] = [{}, False, 0, "", [], True, 7, "zzz", "reibach", ["zzz"], [None]]


def hidden_row(data: dict[str, Any]) -> dict[str, Any]:
    return next(row for rows in data["rows"] for row in rows if row["businessmaker"] is None)


@pytest.mark.parametrize("value", NOTHING)
def test_null_alone_hides_a_businessmaker(value: Any) -> None:
    found, version = rules_after(
        seen_position(1), "PositionSet", lambda data: hidden_row(data).update(businessmaker=value)
    )
    assert version_of(found, "rules") == version


@pytest.mark.parametrize("value", [*NOTHING[:4], *NOTHING[5:], "gold", ["gold"] * 99])
@pytest.mark.parametrize("log", [seen_position, seen_deal])
@pytest.mark.parametrize("member", ["hands", "draw_pile"])
def test_null_alone_hides_cards(value: Any, log: Callable[[int | None], list[EventRecord]], member: str) -> None:
    """A hand of its size, a pile of cards that there are; or null."""
    kind = "PositionSet" if log is seen_position else "GameStarted"

    def change(data: dict[str, Any]) -> None:
        if member == "hands":
            data["hands"][next(seat for seat in (2, 1, 0) if data["hands"][seat] is None)] = value
        else:
            data["draw_pile"] = value

    found, version = rules_after(log(1), kind, change)
    assert version_of(found, "rules") == version


@pytest.mark.parametrize(
    "change",
    [
        *(change_of(*line) for line in cases(__file__, "malformed_redacted_deals")),
        change_of("insert", "hands"),
        change_of("set", "display"),
        lambda data: data.update(display=["risk"] * 3) or data["hands"].__setitem__(1, ["risk"] * 4),
    ],
)
def test_malformed_redacted_deals(change: Callable[[dict[str, Any]], object]) -> None:
    found, version = rules_after(seen_deal(1), "GameStarted", change)
    assert version_of(found, "rules") == version


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(more=1),
        lambda data: [row.update(businessmaker="risk") for rows in data["rows"] for row in rows],
        lambda data: data["turn"].update(number=4 * 2**53 + data["turn"]["number"]),
        lambda data: data["turn"].update(number=4 * 10**4299 + data["turn"]["number"]),
    ],
)
def test_a_redacted_position_out_of_range(change: Callable[[dict[str, Any]], object]) -> None:
    """More risk cards than there are, or a turn that no log can hold."""
    found, version = rules_after(seen_position(None), "PositionSet", change)
    assert version_of(found, "rules") == version


def test_visible_cards_of_a_redacted_log_are_checked() -> None:
    """Cards in the place of null that fit are no offence; a pile that isn't what leaves it is one where it does."""
    whole = LOG[FIRST - 2]["data"]
    seen = events_as_seen(LOG, None, STANDS[12])
    seen[FIRST - 2]["data"] = whole
    assert audit(seen).ok
    pile = whole["draw_pile"]
    other = next(index for index, card in enumerate(pile) if card != pile[0])
    swapped = [pile[other], *pile[1:other], pile[0], *pile[other + 1 :]]
    seen[FIRST - 2]["data"] = whole | {"draw_pile": swapped}
    left = next(event for event in LOG if event["type"] in {"DisplayRefilled", "CardDrawn", "ReibachRevealed"})
    assert version_of(audit(seen), "rules") == left["version"]


@pytest.mark.parametrize(
    ("kind", "card"),
    [
        *product(["DisplayRefilled", "CardTaken", "CardAppended"], [None]),
        *product(["DisplayRefilled", "BusinessmakerLaid", "CardDrawn"], ["zzz", "reibach", "", {}, 0]),
    ],
)
def test_an_unknown_card_is_named(kind: str, card: Any) -> None:
    """In an event of a redacted log, and null in the place of an open card, which every viewer sees."""
    index = next(index for index, event in enumerate(LOG) if event["type"] == kind)
    end = next(end for end in STANDS if end > index)
    seen: list[EventRecord] = json.loads(json.dumps(events_as_seen(LOG, None, end)))
    assert audit(seen).ok
    seen[index]["data"]["card"] = card
    assert version_of(audit(seen), "rules") == index + 1


def test_a_fork_of_a_copy_that_runs() -> None:
    """Its parent is the copy, in both events; the copy of such a fork names the fork."""
    parent = parent_of(*PARENTS[2][:3])
    parent.parent = "somewhere else"
    command = fork_command(parent, 0, "of a copy")
    assert command.parent == parent.id
    log = log_of(fork_decisions(parent, 0, "of a copy"))
    assert audit(log).ok
    assert audit(copy_of(log, len(log) - 1)).ok
