"""Standing orders (contract 6): what a seat's orders do next, derived anew from the game each time.

When the seat's turn starts, each step does its first alternative that is legal then. A step without a legal one drops
itself and all the rest; steps that the turn doesn't reach stay, also those that a scoring round cut off: that turn's
rest is its player's.
Rule 1: pure. The same orders on the same game give the same answer, so a process that crashed asks again.
Rule 2: an order tells its owner what the owner's own actions would tell, in the same order and at the same price. Each
step is judged by the guards of a request (`legality.py`) on the game as the steps before it left it.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from domain.clock.deadline import player_of
from domain.commands import Action, Take, TakeCard, Wish
from domain.legality import check_action
from domain.refusals import Refused
from domain.state import Game
from domain.words.refusals.sentences import Sentence, sentence_of

MOST_STEPS: Final = 12
MOST_ALTERNATIVES: Final = 12
"""Of a step: one for each kind of card that a hand can hold, so that an order of preference is complete."""

Step: TypeAlias = tuple[Wish, ...]
"""Alternatives, the one wanted most first: 1 to MOST_ALTERNATIVES."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Steps that could not go on, and why."""

    turn: int
    steps: tuple[Step, ...]
    """The step without a legal alternative, and all that stood behind it."""
    refusals: tuple[Sentence, ...]
    """Why not: one for each alternative of the first of them, in order. Rows count from 0."""


@dataclass(frozen=True, slots=True)
class Orders:
    steps: tuple[Step, ...]
    """Those to come: 1 to MOST_STEPS when put in."""
    put_in: int
    """The game's turn (0 before the first) when they were put in; they begin with the seat's next one."""
    dropped: Dropped | None = None


class EndReason(StrEnum):
    """Why orders have nothing to do now. Only DROPPED changes them; otherwise their steps stay."""

    FINISHED = "finished"
    GAME_OVER = "game-over"
    NOT_ON_TURN = "not-on-turn"
    """The game has not started, or another seat's turn is on."""
    PUT_IN_THIS_TURN = "put-in-this-turn"
    SCORING = "scoring"
    """A scoring round is worked out, or has interrupted this turn."""
    AWAY = "away"
    """A bot plays in the person's place: the turn has timed out, or the seat is abandoned or resigned."""
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class End:
    reason: EndReason
    refusals: tuple[Sentence, ...] = ()
    """Of DROPPED alone: see `Dropped`."""


def next_action(orders: Orders, game: Game, seat: int) -> Action | End:
    """The action that the seat's orders take now, or why they take none.

    The action is legal, and carries out the first of `steps`: `without_first_step` are the orders after it.
    """
    if reason := reason_to_rest(orders, game, seat):
        return End(reason)
    refusals = []
    for wish in orders.steps[0]:
        outcome = _try(wish, game, seat)
        if not isinstance(outcome, Sentence):
            return outcome
        refusals.append(outcome)
    return End(EndReason.DROPPED, tuple(refusals))


def without_first_step(orders: Orders) -> Orders:
    """The orders after their next action."""
    return replace(orders, steps=orders.steps[1:])


def drop_steps(orders: Orders, end: End, turn: int) -> Orders:
    """The orders after an end with DROPPED in that turn: without a step, and with the reason."""
    assert end.reason is EndReason.DROPPED
    return replace(orders, steps=(), dropped=Dropped(turn, orders.steps, end.refusals))


def find_action(wish: Wish, game: Game) -> Action | None:
    """The action that is meant; None where the card to take is not on display.

    Equal cards are interchangeable, so the lowest slot of several is as good as the others.
    """
    if not isinstance(wish, TakeCard):
        return wish
    return Take(slot=game.display.index(wish.card)) if wish.card in game.display else None


def reason_to_rest(orders: Orders, game: Game, seat: int) -> EndReason | None:
    """Why not even the first step is judged now; None: it is carried out, or dropped with all the rest."""
    if not orders.steps:
        return EndReason.FINISHED
    if game.over:
        return EndReason.GAME_OVER
    if not game.turn or game.turn_seat != seat:
        return EndReason.NOT_ON_TURN
    if game.turn <= orders.put_in:
        return EndReason.PUT_IN_THIS_TURN
    if game.scoring is not None or game.interrupted:
        return EndReason.SCORING
    return EndReason.AWAY if player_of(game) is not None else None


def _try(wish: Wish, game: Game, seat: int) -> Action | Sentence:
    """The action if it is legal now, else why not."""
    action = find_action(wish, game)
    if action is None:
        assert isinstance(wish, TakeCard)
        return Sentence("not-on-display", {"card": wish.card})
    try:
        check_action(game, seat, action)
    except Refused as refused:
        return sentence_of(refused)
    return action
