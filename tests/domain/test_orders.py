"""Standing orders: what they do in a turn, when they rest, and what they drop."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.cards import HAND_CARDS
from domain.clock.pace import Pace
from domain.commands import (
    Act,
    Action,
    Append,
    Draw,
    LayBusinessmaker,
    Resign,
    Take,
    TakeCard,
    TimeOut,
    Wish,
)
from domain.decide import decide
from domain.events import Event
from domain.legality import legal_actions
from domain.orders.planner import (
    MOST_STEPS,
    Dropped,
    End,
    EndReason,
    Orders,
    Step,
    drop_steps,
    find_action,
    next_action,
    without_first_step,
)
from domain.orders.wishes import action_of, json_of, wish_of
from domain.refusals import Refused
from domain.rules import NEWEST
from domain.state import Game
from domain.words.refusals import phrase_refusal
from tests.domain.positions import positions
from tests.domain.worlds import another_world
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
)
STEPS = st.lists(st.lists(WISHES, min_size=1, max_size=12).map(tuple), min_size=1, max_size=MOST_STEPS).map(tuple)
ANYTHING: Step = (*(Append(card=card, row=row) for row in range(10) for card in HAND_CARDS), Take(slot=0), Draw())
"""A step that some alternative of is nearly always legal."""


def _play(game: Game, seat: int, action: Action) -> Game:
    return decide(Act(seat=seat, actions=(action,)), game).game


def _accepted(game: Game, seat: int, wish: Wish) -> Game | None:
    """The game after the wish by the contract's words: a `take` may name a card; refused is None."""
    actions: list[Action] = []
    if isinstance(wish, TakeCard):
        actions += [Take(slot=slot) for slot in (0, 1, 2) if game.display[slot] == wish.card]
    else:
        actions.append(wish)
    for action in actions:
        try:
            return _play(game, seat, action)
        except Refused:
            pass
    return None


def _interpret(steps: Sequence[Step], game: Game, seat: int) -> tuple[Game, list[Step], list[Step]]:
    """The contract's text, step by step, from the start of a turn: the game then, the steps that stay, the dropped."""
    turn, left = game.turn, list(steps)
    while left and game.status == "playing" and (game.turn, game.turn_seat) == (turn, seat):
        after = [done for wish in left[0] if (done := _accepted(game, seat, wish)) is not None]
        if not after:
            return game, [], left
        game = after[0]
        left = left[1:]
    return game, left, []


def _carry_out(orders: Orders, game: Game, seat: int) -> tuple[Game, Orders, End]:
    """The orders by the module, until they end; each action must be legal."""
    for _ in range(MOST_STEPS + 1):
        action = next_action(orders, game, seat)
        if isinstance(action, End):
            if action.reason is EndReason.DROPPED:
                orders = drop_steps(orders, action, game.turn)
            return game, orders, action
        assert game.turn_seat == seat
        assert action in list(legal_actions(game, seat))
        assert action in {find_action(wish, game) for wish in orders.steps[0]}
        game, orders = _play(game, seat, action), without_first_step(orders)
    raise AssertionError("orders of twelve steps took more than twelve actions")


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
    steps = tuple(step if chance.random() < 0.5 else (*step, *ANYTHING) for step in steps)
    orders, seen = Orders(steps, put_in=game.turn), game.turn
    for _ in range(60):
        if game.over or not orders.steps:
            break
        if game.turn_seat == seat and game.turn > seen and game.scoring is None:
            seen = game.turn
            expected, left, dropped = _interpret(orders.steps, game, seat)
            game, orders, _ = _carry_out(orders, game, seat)
            assert (game, list(orders.steps)) == (expected, left)
            assert list(orders.dropped.steps if orders.dropped else ()) == dropped
        else:
            action = next_action(orders, game, seat)
            assert action.reason in {EndReason.NOT_ON_TURN, EndReason.PUT_IN_THIS_TURN, EndReason.SCORING}
            game = _go_on(game, chance)


@examples(0.4)
@given(POSITIONS, STEPS, st.data())
def test_orders_tell_nothing_hidden(
    position: tuple[Game, list[Event]], steps: tuple[Step, ...], data: st.DataObject
) -> None:
    """In two games that the seat can't tell apart, its orders do the same, or end for the same stated reasons."""
    game, events = position
    assume(game.started and not game.over)
    seat = data.draw(st.sampled_from([game.turn_seat, *range(len(game.seats))]), label="seat")
    other = fold(another_world(events, seat, game, Random(data.draw(st.integers(0, 9), label="swap"))))
    orders = Orders(steps, put_in=max(0, game.turn - data.draw(st.integers(0, 2), label="turns ago")))
    assert next_action(orders, other, seat) == next_action(orders, game, seat)


@examples(0.4)
@given(POSITIONS, STEPS)
def test_orders_never_act_out_of_turn(position: tuple[Game, list[Event]], steps: tuple[Step, ...]) -> None:
    """An action is always legal for the seat; a seat that isn't on turn has no action, and loses no step."""
    game, _ = position
    for seat in range(len(game.seats)):
        action = next_action(Orders(steps, put_in=0), game, seat)
        if not isinstance(action, End):
            assert action in list(legal_actions(game, seat))
        elif action.reason is EndReason.DROPPED:
            assert game.turn_seat == seat
            assert not {find_action(wish, game) for wish in steps[0]} & set(legal_actions(game, seat))
            assert len(action.refusals) == len(steps[0])
            assert all(phrase_refusal(refusal, "fr") for refusal in action.refusals)


def _started(seed: str) -> Game:
    return decide(create(2, seed), Game()).game


def test_orders_of_ones_own_turn_begin_with_the_next() -> None:
    """Put in during the first turn they rest in it, and begin with the seat's next turn."""
    game = _started("next turn")
    orders = Orders(((Draw(),),), put_in=game.turn)
    assert next_action(orders, game, 0) == End(EndReason.PUT_IN_THIS_TURN)
    assert next_action(Orders(orders.steps, put_in=0), game, 0) == Draw()
    chance = Random(1)
    while game.turn < 3:
        assert next_action(orders, game, 1 - game.turn_seat) == End(EndReason.NOT_ON_TURN)
        game = _go_on(game, chance)
    assert next_action(orders, game, 0) == Draw()


def test_the_first_alternative_that_is_legal_is_done() -> None:
    """A card that isn't on display is passed over; one that is comes from its lowest slot."""
    game = _started("alternatives")
    missing = next(card for card in HAND_CARDS if card not in game.display)
    there = game.display[2]
    assert there is not None
    wishes = (TakeCard(card=missing), TakeCard(card=there), Draw())
    assert next_action(Orders((wishes,), 0), game, 0) == Take(slot=game.display.index(there))


def test_a_step_without_a_legal_alternative_drops_itself_and_the_rest() -> None:
    """What is dropped is kept with a reason for each alternative; the step before it is not taken back."""
    game = _started("dropped")
    missing = next(card for card in HAND_CARDS if card not in game.display)
    steps: tuple[Step, ...] = ((Draw(),), (Append(card=game.seats[0].hand[0], row=0), Draw()), (Take(slot=0),))
    after, orders, end = _carry_out(Orders(steps, 0), game, 0)
    assert (after.turn, after.action_points, end.reason) == (1, 1, EndReason.DROPPED)
    assert orders.steps == ()
    assert orders.dropped == Dropped(1, steps[1:], end.refusals)
    assert [refusal.name for refusal in end.refusals] == ["no-such-row.none", "not-enough-action-points"]
    assert next_action(orders, after, 0) == End(EndReason.FINISHED)
    drop = next_action(Orders(((TakeCard(card=missing),),), 0), game, 0)
    assert [refusal.name for refusal in drop.refusals] == ["not-on-display"]


@pytest.mark.parametrize("seed", ["rest a", "rest c", "rest d"])
def test_a_scoring_round_ends_the_orders_of_its_turn(seed: str) -> None:
    """Cut off by a round, the steps stay; what is left of the turn is the player's; they go on with the next."""
    chance, game, orders = Random(seed), _started(seed), Orders((), 0)
    while game.scoring is None or not game.action_points:
        game = _go_on(game, chance)
        if game.over:
            pytest.fail(f"{seed}: no round left action points")
    seat, turn = game.turn_seat, game.turn
    orders = Orders((ANYTHING,), put_in=turn - 1)
    assert next_action(orders, game, seat) == End(EndReason.SCORING)
    game = _go_on(game, chance)
    assert game.turn == turn
    assert next_action(orders, game, seat) == End(EndReason.SCORING)
    while not game.over and (game.turn_seat != seat or game.turn == turn):
        game = _go_on(game, chance)
    assert game.over or not isinstance(next_action(orders, game, seat), End)


def test_orders_rest_before_the_start_and_after_the_end() -> None:
    orders = Orders((ANYTHING,), 0)
    assert next_action(orders, Game(), 0) == End(EndReason.NOT_ON_TURN)
    game, chance = _started("over"), Random(3)
    while not game.over:
        game = _go_on(game, chance)
    assert next_action(orders, game, game.turn_seat) == End(EndReason.GAME_OVER)


@pytest.mark.parametrize("why", ["late", "abandoned", "resigned"])
def test_orders_rest_while_a_bot_plays_for_the_person(why: str) -> None:
    """A request of the person would be refused, or take the seat back, which orders never do."""
    game = decide(replace(create(2, f"away {why}"), pace=Pace(turn_seconds=60)), Game()).game
    orders = Orders(((Draw(),),), put_in=0)
    assert next_action(orders, game, 0) == Draw()
    first = Resign(seat=0) if why == "resigned" else TimeOut(turn=1)
    game = decide(first, game, now=60_000).game
    if why == "abandoned":
        for turn in (1, 2, 3):
            game = decide(TimeOut(turn=turn), game, now=game.turn_since + 60_000).game
            while game.turn == turn and not game.seats[0].away:
                action = next(legal_actions(game, game.turn_seat))
                game = decide(Act(seat=game.turn_seat, actions=(action,), by_bot=True), game).game
        assert (game.seats[0].away, game.turn_seat) == ("abandoned", 0)
    assert next_action(orders, game, 0) == End(EndReason.AWAY)


def test_wishes_are_read_as_they_are_written() -> None:
    """Every wish comes back from its JSON; anything else is none."""
    for wish in (Take(slot=2), TakeCard(card="gold"), Draw(), LayBusinessmaker(card="risk"), Append(card="oil", row=9)):
        assert wish_of(json_of(wish)) == wish
    assert json_of(TakeCard(card="gold")) == {"type": "take", "card": "gold"}
    for bad in (
        {"type": "take"},
        {"type": "take", "slot": 3},
        {"type": "take", "slot": True},
        {"type": "take", "slot": 1, "card": "gold"},
        {"type": "take", "card": "reibach"},
        {"type": "draw", "card": "gold"},
        {"type": "append", "card": "gold"},
        {"type": "append", "card": ["gold"], "row": 0},
        {"type": "sell", "card": "gold"},
        {"slot": 1},
        ["draw"],
        None,
    ):
        with pytest.raises(ValueError, match="no action"):
            wish_of(bad)
    with pytest.raises(ValueError, match="slot"):
        action_of({"type": "take", "card": "gold"})
