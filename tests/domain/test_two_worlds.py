"""Two games that differ only in what a seat may not see are the same game to that seat."""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st

from domain.bots import BOTS, Bot, choose_action
from domain.bots.knowledge import Recall
from domain.commands import Act, Action, Append, LayBusinessmaker
from domain.decide import decide
from domain.events import Event, payload_of, type_of
from domain.fairness.canonical import canonical_json
from domain.legality import legal_actions
from domain.projections.standings import score_now
from domain.refusals import Refused
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.domain.positions import positions
from tests.domain.worlds import another_world, shuffle_hidden
from tests.support.play import fold, numbered
from tests.support.profiles import examples

POSITIONS = positions()


def _all_that_is_seen(game: Game, events: list[Event], seat: int | None) -> bytes:
    """Views, log, score sheet, scores of now, legal actions and the bots' choices for a seat, as bytes."""
    seen: list[Any] = [view_of(game, seat, ""), scores_of(game), score_now(game)]
    for version, event in enumerate(events, 1):
        whole = {"version": version, "type": type_of(event), "at": "", "data": payload_of(event), "hash": ""}
        seen.append(redact_event(whole, seat, game))
    if seat is not None:
        legal = list(legal_actions(game, seat))
        seen.append([repr(action) for action in legal])
        if legal:
            seen += [repr(choose_action(bot, game, Random(1), partial(numbered, events))) for bot in BOTS]
    return canonical_json(seen)


@examples(0.6)
@given(POSITIONS, st.data())
def test_a_seat_can_not_tell_two_worlds_apart(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Other hands, hidden businessmakers, the pile below: swapped, they change no byte of what is seen."""
    game, events = position
    assume(game.started and not game.over)
    seat = data.draw(st.sampled_from([None, *range(len(game.seats))]), label="seat")
    others = another_world(events, seat, game, Random(data.draw(st.integers(0, 9), label="swap")))
    other = fold(others)
    assume(other != game)
    assert _all_that_is_seen(other, others, seat) == _all_that_is_seen(game, events, seat)


@examples(1)
@given(POSITIONS, st.data())
def test_bots_get_nothing_hidden(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """View, legal actions and what the seat has seen are all that a bot gets: the same in both worlds."""
    game, events = position
    assume(game.status == "playing")
    others = another_world(events, game.turn_seat, game, Random(data.draw(st.integers(0, 9), label="swap")))
    got: list[Any] = []

    def spy(view: Any, rules: Any, legal: Sequence[Action], _chance: Random, recall: Recall) -> Action:
        got.append((view, rules, legal, recall()))
        return legal[0]

    with patch.dict(BOTS, spy=Bot(spy, "Looks.")):
        for world in (events, others):
            choose_action("spy", fold(world), Random(1), partial(numbered, world))
    assert got[0] == got[1]


@examples(0.6)
@given(POSITIONS, st.data())
def test_laying_and_appending_reveal_nothing_hidden(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """What a seat causes without the pile, and what it is refused, is the same in both worlds, word for word."""
    game, events = position
    seat = game.turn_seat
    other = fold(another_world(events, seat, game, Random(data.draw(st.integers(0, 9), label="swap"))))
    card = data.draw(st.sampled_from(["gold", "oil", "multitalent", "risk", *game.seats[seat].hand]))
    row = data.draw(st.integers(0, 3))
    for action in (LayBusinessmaker(card=card), Append(card=card, row=row)):
        assert _outcome(game, seat, action) == _outcome(other, seat, action)


def _outcome(game: Game, seat: int, action: LayBusinessmaker | Append) -> tuple[Any, ...]:
    try:
        decision = decide(Act(seat=seat, actions=(action,)), game)
    except Refused as refused:
        return refused.reason, refused.parameters
    return decision.events, view_of(decision.game, seat, "")


@examples(0.6)
@given(POSITIONS, st.data())
def test_views_depend_only_on_what_may_be_seen(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Even a seat's own hidden businessmakers, whose kinds older events named, are in no view."""
    game, _ = position
    assume(not game.over)
    seat = data.draw(st.sampled_from([None, *range(len(game.seats))]), label="seat")
    chance = Random(data.draw(st.integers(0, 9), label="swap"))
    other = shuffle_hidden(game, seat, chance)
    assert canonical_json(view_of(other, seat, "")) == canonical_json(view_of(game, seat, ""))
    if seat is not None:
        assert list(legal_actions(other, seat)) == list(legal_actions(game, seat))
