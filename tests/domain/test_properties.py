"""What holds for every position that random players reach."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import HAND_CARDS, REIBACH
from domain.commands import ACTION_TABLE, Act, Action
from domain.decide import decide
from domain.events import Event, GameEnded, RoundScored, ScoringStarted
from domain.evolve import evolve
from domain.legality import legal_actions
from domain.refusals import Refused
from domain.rules import rules_of
from domain.state import Game, Seat
from tests.domain.invariants import check
from tests.domain.positions import positions
from tests.support.actions import imaginable
from tests.support.play import fold, steps
from tests.support.profiles import examples

POSITIONS = positions()
QUICK = examples(0.4)
ASKED = set(imaginable(*ACTION_TABLE, row=range(12), card=(*HAND_CARDS, REIBACH)))
"""Every action that the API's schema lets through, with more rows than there can be."""


def _accepted(game: Game, seat: int, action: Action) -> bool:
    try:
        decide(Act(seat=seat, actions=(action,)), game)
    except Refused:
        return False
    return True


@QUICK
@given(POSITIONS)
def test_legal_actions_are_the_accepted_ones(position: tuple[Game, list[Event]]) -> None:
    """Exactly what `decide` accepts of all that can be asked, once each, for every seat."""
    game, _ = position
    for seat in range(len(game.seats)):
        legal = list(legal_actions(game, seat))
        assert len(legal) == len(set(legal))
        assert set(legal) == {action for action in ASKED if _accepted(game, seat, action)}


@QUICK
@given(POSITIONS)
def test_fold_of_the_events_is_the_game(position: tuple[Game, list[Event]]) -> None:
    """The events are complete: folded, at once or in two parts, they give the game that `decide` gave."""
    game, events = position
    assert fold(events) == game
    half = len(events) // 2
    before = fold(events[:half])
    untouched = before.copy()
    assert evolve(before, events[half:]) == game
    assert before == untouched


@QUICK
@given(POSITIONS)
def test_cards_points_rows_and_totals(position: tuple[Game, list[Event]]) -> None:
    """The invariants hold at every version, between the events of one command too, but for a card on its way."""
    game, events = position
    check(game)
    on_the_way = Game()
    for event in events:
        on_the_way = evolve(on_the_way, [event])
        check(on_the_way)


@QUICK
@given(POSITIONS, st.data())
def test_list_is_its_actions_one_by_one(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """A list gives the events of its actions up to the first refused one, as single commands would."""
    game, _ = position
    if not (legal := list(legal_actions(game, game.turn_seat))):
        return
    others = st.sampled_from(sorted(ASKED, key=repr) + legal * 10)
    actions = (data.draw(st.sampled_from(legal)), data.draw(others), data.draw(others))
    decision = decide(Act(seat=game.turn_seat, actions=actions), game)
    events: list[Event] = []
    after = game
    for action in actions[: decision.applied]:
        single = decide(Act(seat=game.turn_seat, actions=(action,)), after)
        events, after = events + single.events, single.game
    assert (decision.events, decision.game) == (events, after)
    assert (decision.refusal is None) == (decision.applied == len(actions))
    if decision.refusal is not None:
        with pytest.raises(Refused) as refused:
            decide(Act(seat=game.turn_seat, actions=(actions[decision.applied],)), after)
        assert (refused.value.reason, refused.value.parameters) == (
            decision.refusal.reason,
            decision.refusal.parameters,
        )


# Whole games: 2,000, of which every run plays 48, and a nightly one the others.


PARTS = [range(3), pytest.param(range(3, 125), marks=pytest.mark.nightly)]
VARIANTS = {"plain": (), "dear": ("expensive_specials",), "staggered": ("staggered_start",)}
VARIANTS["both"] = ("expensive_specials", "staggered_start")


@pytest.mark.parametrize("part", PARTS, ids=str)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("variants", VARIANTS.values(), ids=VARIANTS)
def test_whole_games(players: int, variants: tuple[str, ...], part: range) -> None:
    """Each ends after three rounds, keeps its invariants after every command, and folds to where it ended."""
    for index in part:
        seed = f"many/{players}/{'+'.join(variants)}/{index}"
        events = []
        for _, decision in steps(players, seed, variants, starting_seat=index % players):
            check(decision.game)
            events += decision.events
        game = decision.game
        scored = [event for event in events if isinstance(event, RoundScored)]
        started = [event for event in events if isinstance(event, ScoringStarted)]
        ended = [event for event in events if isinstance(event, GameEnded)]
        assert [event.round for event in scored] == [event.round for event in started] == [1, 2, 3], seed
        assert [(event.totals, event.winners) for event in ended] == [
            ([seat.total for seat in game.seats], game.winners)
        ], seed
        assert events[-1] is ended[0], seed
        assert game.revealed == 10, seed
        assert fold(events) == game, seed


# The game object itself.


def test_a_copy_has_each_field_in_its_place() -> None:
    """`copy` lists the fields by position for speed: two of them swapped would pass the type checker."""
    game = Game()
    for number, field in enumerate(fields(Game)):
        # Every field gets a value of its own; what is copied deeply must have the right type.
        value = {
            "rules": rules_of("standard@1", frozenset({"staggered_start"})),
            "seats": [Seat(f"player {number}")],
            "display": [f"card {number}"],
            "rounds": [number],
        }.get(field.name, number)
        setattr(game, field.name, value)
    copy = game.copy()
    for field in fields(Game):
        assert getattr(copy, field.name) == getattr(game, field.name), field.name
    for name in ("seats", "display", "rounds"):
        assert getattr(copy, name) is not getattr(game, name), name


def test_a_copy_of_a_seat_has_each_field_in_its_place() -> None:
    seat = Seat(*(field.name for field in fields(Seat)))
    copy = seat.copy()
    for field in fields(Seat):
        assert getattr(copy, field.name) == field.name
