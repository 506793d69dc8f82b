"""Answers of the service, as the second engine gives them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.answers import as_set, assert_covers, events_as_seen, replay, scores_at, view_at, view_of_table
from tests.oracle.play import play
from tests.oracle.table import Table
from tests.oracle.terms import HAND_CARDS, Action
from tests.oracle.test_oracle import DEAR, PLAIN
from tests.support.samples import Sample, sampled


def universe(rows: int) -> list[Action]:
    """Every well-formed action, and one row too many."""
    actions: list[Action] = [{"type": "take", "slot": slot} for slot in range(3)]
    actions.append({"type": "draw"})
    actions += [{"type": "lay_businessmaker", "card": card} for card in HAND_CARDS]
    actions += [{"type": "append", "card": card, "row": row} for card in HAND_CARDS for row in range(rows + 1)]
    return actions


@sampled(3)
def test_legal_actions_are_those_not_refused(sample: Sample) -> None:
    """Listing and refusing are two readings of one rule, at every third version (nightly: at all), for every seat."""
    events = play(3, 3, DEAR)
    for version in sample.of(range(1, len(events))):
        table = replay(events, version)
        if table.status == "playing" and table.due() is not None:
            continue
        for seat in range(3):
            accepted = [action for action in universe(10) if not table.refusal(seat, action)]
            assert as_set(table.legal_actions(seat)) == as_set(accepted)


@sampled(12, last=1)
def test_hidden_things_follow_the_head(sample: Sample) -> None:
    """At each version each viewer sees its own hand and drawn cards, fresh businessmakers, and all once it is over.

    In every run at each twelfth and the last, nightly at all.
    """
    events = play(11, 3, PLAIN)
    last = len(events)
    for head in sample.of(range(1, last + 1)):
        over = replay(events, head).status == "over"
        for viewer in (None, 0, 2):
            for event in events_as_seen(events, viewer, head):
                data = event["data"]
                mine = over or (viewer is not None and data.get("seat") == viewer)
                assert event["type"] != "CardDrawn" or (data["card"] is not None) is mine
                assert event["type"] != "GameCreated" or (data["server_seed"] is not None) is over
                assert event["type"] != "GameStarted" or (data["draw_pile"] is not None) is over
    assert events_as_seen(events, None, last) == events


def test_businessmaker_is_seen_until_its_owners_next_turn() -> None:
    """Ruling 7, in feed and view, for its owner too; `at` an old version the present head decides."""
    events = play(12, 3, PLAIN)
    laid = next(event for event in events if event["type"] == "BusinessmakerLaid")
    seat, row, version = laid["data"]["seat"], laid["data"]["row"], laid["version"]
    hidden = next(
        event["version"]
        for event in events[version:]
        if event["type"] == "TurnStarted" and event["data"]["seat"] == seat
    )
    shown = {version: True, hidden - 1: True, hidden: False, len(events) - 3: False, len(events): True}
    for viewer in (None, 0, 1, 2):
        for head, visible in shown.items():
            card = laid["data"]["card"] if visible else None
            view = view_at(events, version, viewer, head)
            assert view["seats"][seat]["rows"][row]["businessmaker"] == card
            assert events_as_seen(events, viewer, head)[version - 1]["data"]["card"] == card


def test_views_give_the_state_of_play() -> None:
    """Status, points, counts and totals at the versions around a round of scoring and at the end."""
    events = play(13, 4, DEAR)
    bonus = [seat["total"] for seat in view_at(events, 1, None, len(events))["seats"]]
    assert sorted(bonus) == [0, 1, 2, 3]
    first = view_at(events, 1, None, 1)
    assert (first["status"], first["display"], first["draw_pile"], first["turn"]) == ("open", [None] * 3, None, None)
    scored = next(event for event in events if event["type"] == "RoundScored")
    before = view_at(events, scored["version"] - 1, 0, scored["version"] - 1)
    after = view_at(events, scored["version"], 0, scored["version"])
    assert (before["status"], after["status"]) == ("scoring", "playing")
    assert before["reibach"] == {"revealed": 4, "next_scoring_at": 4, "rounds_scored": 0}
    assert after["reibach"] == {"revealed": 4, "next_scoring_at": 7, "rounds_scored": 1}
    assert [seat["total"] for seat in before["seats"]] == bonus
    assert [seat["total"] for seat in after["seats"]] == scored["data"]["totals"]
    table = Table()
    for version, event in enumerate(events, 1):
        table.apply(event)
        view = view_of_table(table, table, version % 4)
        assert view["version"] == version
        assert len(view["you"]["hand"]) == view["seats"][version % 4]["hand_size"]
        assert (view["turn"] is None) is (view["status"] in {"open", "over"} or table.turn == 0)
        assert view["draw_pile"] is None or view["draw_pile"] <= 107 - 4 * 4
    end = view_at(events, len(events), 0, len(events))
    assert (end["status"], end["turn"], end["reibach"]["next_scoring_at"]) == ("over", None, None)
    assert end["winners"] == scores_at(events)["winners"]
    assert scores_at(events)["bonus"] == bonus
    assert end["fairness"]["server_seed"] is not None


def test_assert_covers_needs_every_field_and_no_further_items() -> None:
    """Answers may add fields, and nothing else."""
    assert_covers({"a": [{"b": 1, "more": 2}], "c": None}, {"a": [{"b": 1}], "c": None})
    answers: tuple[dict[str, Any], ...] = ({"a": []}, {"a": [{"b": 1}, 2]}, {"a": [{"b": True}]}, {})
    for answer in answers:
        with pytest.raises(AssertionError):
            assert_covers(answer, {"a": [{"b": 1}]})
