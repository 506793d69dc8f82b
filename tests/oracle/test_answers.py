"""Answers of the service, as the second engine gives them."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.oracle.answers import as_set, assert_covers, events_as_seen, replay
from tests.oracle.play import play
from tests.oracle.terms import ACTION_FIELDS, HAND_CARDS, Action
from tests.oracle.test_oracle import DEAR, PLAIN
from tests.support.samples import Sample, sampled

VALUES = {"slot": range(3), "card": HAND_CARDS, "row": range(11)}
UNIVERSE: list[Action] = [
    {"type": kind, **dict(zip(fields, chosen, strict=True))}
    for kind, fields in ACTION_FIELDS.items()
    for chosen in product(*(VALUES[name] for name in fields))
]
"""Every well-formed action, and one row too many."""


@sampled(3)
def test_legal_actions_are_those_not_refused(sample: Sample) -> None:
    """Listing and refusing are two readings of one rule, at every third version (nightly: at all), for every seat."""
    events = play(3, 3, DEAR)
    for version in sample.of(range(1, len(events))):
        table = replay(events, version)
        if table.status == "playing" and table.due() is not None:
            continue
        for seat in range(3):
            accepted = [action for action in UNIVERSE if not table.refusal(seat, action)]
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


def test_assert_covers_needs_every_field_and_no_further_items() -> None:
    """Answers may add fields, and nothing else."""
    assert_covers({"a": [{"b": 1, "more": 2}], "c": None}, {"a": [{"b": 1}], "c": None})
    answers: tuple[dict[str, Any], ...] = ({"a": []}, {"a": [{"b": 1}, 2]}, {"a": [{"b": True}]}, {})
    for answer in answers:
        with pytest.raises(AssertionError):
            assert_covers(answer, {"a": [{"b": 1}]})
