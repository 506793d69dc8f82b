"""Standing orders: what they do in a turn, when they rest, and what they drop."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.cards import BUSINESSES, HAND_CARDS
from domain.clock.pace import Pace
from domain.commands import (
    Act,
    Action,
    Alternative,
    Append,
    AppendTo,
    Draw,
    LayBusinessmaker,
    Resign,
    Skip,
    Take,
    TakeCard,
    TimeOut,
)
from domain.decide import decide
from domain.events import Event
from domain.legality import legal_actions
from domain.orders.planner import DROP, IF_NONE, KEEP, MOST_STEPS, Dropped, Orders, Step, next_action, preview
from domain.orders.wishes import action_of, json_of, json_of_steps, steps_of, wish_of
from domain.refusals import Refused
from domain.rules import NEWEST
from domain.state import Game
from domain.words.refusals import phrase_refusal
from tests.domain.positions import positions
from tests.domain.worlds import another_world
from tests.support.cases import cases
from tests.support.play import create, fold, next_command
from tests.support.profiles import examples

POSITIONS = positions()
CARDS = st.sampled_from(HAND_CARDS)
WISHES = st.one_of(
    st.just(Draw()),
    st.builds(Take, slot=st.integers(0, 2)),
    st.builds(TakeCard, card=CARDS),
    st.builds(LayBusinessmaker, card=CARDS),
    st.builds(Append, card=CARDS, row=st.integers(0, 3)),
    st.builds(AppendTo, card=CARDS, business=st.sampled_from(BUSINESSES)),
    st.just(Skip()),
)
STEP = st.builds(
    Step, st.lists(WISHES, min_size=1, max_size=12).map(tuple), st.booleans(), st.sampled_from(IF_NONE), st.just(False)
)
STEPS = st.lists(STEP, min_size=1, max_size=MOST_STEPS).map(tuple)
ANYTHING = (*(Append(card=card, row=row) for row in range(10) for card in HAND_CARDS), Take(slot=0), Draw())
"""Alternatives of which one is nearly always legal."""
DRAW = Step((Draw(),))


def _play(game: Game, seat: int, action: Action) -> Game:
    return decide(Act(seat=seat, actions=(action,)), game).game


def _accepted(game: Game, seat: int, wish: Alternative) -> Game | None:
    """The game after the wish by the contract's words; refused is None."""
    actions: list[Action] = []
    match wish:
        case Skip():
            return game
        case TakeCard(card=card):
            actions += [Take(slot=slot) for slot in (0, 1, 2) if game.display[slot] == card]
        case AppendTo(card=card, business=business):
            rows = enumerate(game.seats[seat].rows)
            actions += [Append(card=card, row=row) for row, one in rows if one.business == business]
        case _:
            actions.append(wish)
    for action in actions:
        try:
            return _play(game, seat, action)
        except Refused:
            pass
    return None


def _interpret(steps: Sequence[Step], game: Game, seat: int) -> tuple[Game, list[Step], list[Step]]:
    """The contract's text, step by step, from the start of a turn: the game then, the steps that stay, the dropped."""
    turn, stay = game.turn, []
    for number, step in enumerate(steps):
        if game.status != "playing" or (game.turn, game.turn_seat) != (turn, seat) or game.interrupted:
            return game, [*stay, *steps[number:]], []
        after = next((done for wish in step.do if (done := _accepted(game, seat, wish)) is not None), None)
        if after is None and step.if_none == DROP:
            return game, stay, list(steps[number:])
        if step.repeat or (after is None and step.if_none == KEEP):
            stay.append(step)
        game = after or game
    return game, stay, []


def _carry_out(orders: Orders, game: Game, seat: int) -> tuple[Game, Orders]:
    """The orders by the module, until they rest; each action must be legal."""
    for _ in range(MOST_STEPS + 1):
        action, after = next_action(orders, game, seat)
        if action is None:
            assert next_action(after, game, seat) == (None, after)
            return game, after
        assert game.turn_seat == seat
        assert action in list(legal_actions(game, seat))
        assert after.done == (*orders.done, game.version + 1)
        game, orders = _play(game, seat, action), after
    raise AssertionError("orders of twelve steps took more than twelve actions")


def _rests(orders: Orders, game: Game, seat: int) -> bool:
    return next_action(orders, game, seat) == (None, orders)


def _go_on(game: Game, chance: Random) -> Game:
    return decide(next_command(game, chance), game).game


@examples(0.8)
@given(
    st.integers(2, 4), st.integers(0, 999), st.sets(st.sampled_from(sorted(NEWEST.variants))), STEPS, st.integers(0, 40)
)
def test_orders_do_what_the_contract_says(
    seats: int, seed: int, variants: set[str], steps: tuple[Step, ...], wait: int
) -> None:
    """Turn by turn as an interpreter of the contract's text; between the turns, and after a round, they rest."""
    chance = Random(seed)
    game = decide(create(seats, f"orders {seed}", variants), Game()).game
    for _ in range(wait):
        game = _go_on(game, chance)
    seat = chance.randrange(seats)
    # Steps that are often legal, and one that never fails, so that orders last for several turns.
    steps = tuple(step if chance.random() < 0.5 else step._replace(do=(*step.do, *ANYTHING)) for step in steps)
    orders, seen = Orders(steps, put_in=game.turn), game.turn
    for _ in range(60):
        if game.over or not orders.steps:
            break
        if game.turn_seat == seat and game.turn > seen and game.scoring is None:
            seen = game.turn
            expected, left, dropped = _interpret(orders.steps, game, seat)
            game, orders = _carry_out(orders, game, seat)
            assert (game, list(orders.steps)) == (expected, left)
            told = orders.dropped
            assert list(told.steps if told and told.turn == seen else ()) == dropped
        else:
            assert _rests(orders, game, seat)
            game = _go_on(game, chance)


@examples(0.4)
@given(POSITIONS, STEPS, st.data())
def test_orders_tell_nothing_hidden(
    position: tuple[Game, list[Event]], steps: tuple[Step, ...], data: st.DataObject
) -> None:
    """In two games that the seat can't tell apart, its orders, their reasons and preview are the same."""
    game, events = position
    assume(game.started and not game.over)
    seat = data.draw(st.sampled_from([game.turn_seat, *range(len(game.seats))]), label="seat")
    other = fold(another_world(events, seat, game, Random(data.draw(st.integers(0, 9), label="swap"))))
    orders = Orders(steps, put_in=max(0, game.turn - data.draw(st.integers(0, 2), label="turns ago")))
    assert next_action(orders, other, seat) == next_action(orders, game, seat)
    assert preview(steps, other, seat) == preview(steps, game, seat)


@examples(0.4)
@given(POSITIONS, STEPS)
def test_orders_never_act_out_of_turn(position: tuple[Game, list[Event]], steps: tuple[Step, ...]) -> None:
    """An action is always legal for the seat; a seat that isn't on turn has no action, and loses no step."""
    game, _ = position
    for seat in range(len(game.seats)):
        orders = Orders(steps, put_in=0)
        action, after = next_action(orders, game, seat)
        if action is not None:
            assert action in list(legal_actions(game, seat))
        elif after.dropped:
            assert game.turn_seat == seat
            refused = after.dropped.steps[0].do
            assert all(_accepted(game, seat, wish) is None for wish in refused)
            assert len(after.dropped.refusals) == len(refused)
            assert all(phrase_refusal(refusal, "fr") for refusal in after.dropped.refusals)
        elif game.turn_seat != seat:
            assert after == orders


def _started(seed: str) -> Game:
    return decide(create(2, seed), Game()).game


def _time_out(game: Game) -> Game:
    return decide(TimeOut(turn=game.turn), game, now=game.turn_since + 60_000).game


def test_a_step_without_a_legal_alternative_drops_itself_and_the_rest() -> None:
    """What is dropped is kept with a reason for each alternative; what stands before it, or was done, stays."""
    game = _started("dropped")
    missing = next(card for card in HAND_CARDS if card not in game.display)
    stays = Step((TakeCard(card=missing),), if_none=KEEP, is_list=False)
    bad = Step((Append(card=game.seats[0].hand[0], row=0), AppendTo(card="oil", business="oil"), Draw()))
    steps = (stays, DRAW, bad, Step((Take(slot=0),)))
    after, orders = _carry_out(Orders(steps, 0), game, 0)
    assert (after.turn, after.action_points, orders.steps) == (1, 1, (stays,))
    assert orders.dropped is not None
    assert orders.dropped == Dropped(1, steps[2:], orders.dropped.refusals)
    names = [refusal.name for refusal in orders.dropped.refusals]
    assert names == ["no-such-row.none", "no-row-of-business", "not-enough-action-points"]
    assert _rests(orders, after, 0)
    _, orders = next_action(Orders((Step((TakeCard(card=missing),)),), 0), game, 0)
    assert [refusal.name for refusal in orders.dropped.refusals] == ["not-on-display"]  # type: ignore[union-attr]


def test_orders_rest_before_the_start_and_after_the_end() -> None:
    orders = Orders((Step(ANYTHING),), 0)
    assert _rests(orders, Game(), 0)
    game, chance = _started("over"), Random(3)
    while not game.over:
        game = _go_on(game, chance)
    assert _rests(orders, game, game.turn_seat)


def test_a_turn_that_times_out_is_played_by_all_steps_from_the_first() -> None:
    """Also by those that it was done with, and by orders put in during it; once more in the turn that loses the seat.

    With `wait`, and after a resignation, they rest.
    """
    pace = Pace(turn_seconds=60)
    game = decide(replace(create(2, "late"), pace=pace), Game()).game
    missing = next(card for card in HAND_CARDS if card not in game.display)
    taken = Step((TakeCard(card=missing), Draw()), repeat=True)
    game, orders = _carry_out(Orders((taken,), 0), game, 0)
    assert (game.turn, game.action_points, _rests(orders, game, 0)) == (1, 1, True)
    late = _time_out(game)
    action, after = next_action(orders, late, 0)
    assert (action, after.dropped and after.dropped.steps) == (None, (taken,))  # one point is left
    assert next_action(Orders((Step((Take(slot=0),)),), put_in=1), late, 0)[0] == Take(slot=0)
    assert _rests(orders, decide(Resign(seat=0), late).game, 0)
    waits = decide(replace(create(2, "late"), pace=Pace(turn_seconds=60, on_timeout="wait")), Game()).game
    assert _rests(Orders((DRAW,), put_in=1), _time_out(waits), 0)


def test_orders_rest_when_the_seat_is_abandoned() -> None:
    """Not in the turn that loses the seat: what a bot plays for the person later, orders don't."""
    game = decide(replace(create(2, "away"), pace=Pace(turn_seconds=60)), Game()).game
    orders = Orders((DRAW,), put_in=0)
    for turn in (1, 2, 3):
        game = _time_out(game)
        assert _rests(orders, game, 0) == (turn == 2)
        while game.turn == turn:
            action = next(legal_actions(game, game.turn_seat))
            game = decide(Act(seat=game.turn_seat, actions=(action,), by_bot=True), game).game
    assert game.seats[0].away == "abandoned"
    while game.turn_seat:
        game = decide(Act(seat=1, actions=(next(legal_actions(game, 1)),), by_bot=True), game).game
    assert _rests(orders, game, 0)


def test_a_preview_ends_where_a_card_is_unknown() -> None:
    """It takes what lies open, lays what is in the hand, and ends at a draw, and at a slot that it has emptied."""
    game = _started("preview")
    first, card = game.display[0], game.seats[1].hand[0]
    assert first is not None
    lay, take = LayBusinessmaker(card=card), Take(slot=game.display.index(first))
    steps = (Step((TakeCard(card=first),)), Step((Append(card=card, row=5),), if_none="skip"), Step((lay,)))
    assert preview((*steps, Step((take,)), DRAW), game, 1)[0] == [take, lay, take]
    assert preview((DRAW, DRAW), game, 1)[0] == [Draw()]
    actions, orders = preview((*steps[:2], Step((Append(card="gold", row=0),)), DRAW), game, 1)
    assert (actions, orders.dropped and len(orders.dropped.steps)) == ([take], 2)
    assert preview((Step((Take(slot=0),)), Step((lay,)), Step((Take(slot=2),)), DRAW), game, 1)[1].steps == (DRAW,)


@examples(0.4)
@given(STEPS)
def test_steps_are_read_as_they_are_written(steps: tuple[Step, ...]) -> None:
    assert steps_of(json_of_steps(steps)) == steps
    short = [step._replace(repeat=False, if_none=DROP, is_list=True) for step in steps]
    assert list(steps_of([[json_of(wish) for wish in step.do] for step in steps])) == short


def test_wishes_are_read_as_they_are_written() -> None:
    """Every wish comes back from its JSON; anything else is none."""
    for wish in (Take(slot=2), TakeCard(card="gold"), Draw(), LayBusinessmaker(card="risk"), Append(card="oil", row=9)):
        assert wish_of(json_of(wish)) == wish
    assert json_of(TakeCard(card="gold")) == {"type": "take", "card": "gold"}
    for bad in (*cases(__file__, "no_wishes"), None):
        with pytest.raises(ValueError, match="no action"):
            wish_of(bad)
    with pytest.raises(ValueError, match="slot"):
        action_of({"type": "take", "card": "gold"})
