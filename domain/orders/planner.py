"""Standing orders (contract 6): what a seat's orders do next, derived anew from the game each time.

When the seat's turn starts, each step does its first alternative that is legal then. What becomes of a step without a
legal one is its own choice; steps that the turn doesn't reach stay, also those that a scoring round cuts off: that
turn's rest is its player's. A turn that times out is played by all of the steps once more, from the first.
Rule 1: pure. The same orders on the same game give the same answer, so a process that crashed asks again.
Rule 2: an order tells its owner what the owner's own actions would tell, in the same order and at the same price. Each
step is judged by the guards of a request (`legality.py`) on the game as the steps before it left it.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from domain.clock.deadline import is_played_out, player_of
from domain.commands import Action, Alternative, Append, AppendTo, Draw, Skip, Take, TakeCard, Wish
from domain.decide import event_of
from domain.evolve import evolve
from domain.legality import check_action, has_legal_action
from domain.refusals import Refused
from domain.state import Game
from domain.words.refusals.sentences import Sentence, sentence_of

MOST_STEPS: Final = 12
MOST_ALTERNATIVES: Final = 12
"""Of a step: one for each kind of card that a hand can hold, so that an order of preference is complete."""
IF_NONE: Final = (DROP := "drop", "skip", KEEP := "keep")
"""What a step does where no alternative is legal; the first where it doesn't say."""


class Step(NamedTuple):
    do: tuple[Alternative, ...]
    """Alternatives, the one wanted most first: 1 to MOST_ALTERNATIVES."""
    repeat: bool = False
    """Whether it stays for each later turn, too."""
    if_none: str = DROP
    is_list: bool = True
    """Whether it was put in as a list, and is shown so."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Steps that could not be continued, and why."""

    turn: int
    steps: tuple[Step, ...]
    """The step without a legal alternative, and all after it."""
    refusals: tuple[Sentence, ...]
    """Why not: one for each alternative of the first of them, in order. Rows count from 0."""


@dataclass(frozen=True, slots=True)
class Orders:
    steps: tuple[Step, ...]
    """Those to come: 1 to MOST_STEPS when put in."""
    put_in: int | None
    """The game's turn (0 before the first) then: they begin with the seat's next one, or with a time-out of this one.
    None: they were taken back."""
    dropped: Dropped | None = None
    reached: tuple[int, bool, int] = (0, False, 0)
    """A turn, whether it has timed out, and the first step that is left then; those before it stay for later."""
    done: tuple[int, ...] = ()
    """The versions of all actions that orders have taken for the seat's person, those of earlier ones, too."""


NO_ORDERS: Final = Orders((), put_in=None)


def next_action(orders: Orders, game: Game, seat: int) -> tuple[Action | None, Orders]:
    """The action that the seat's orders take now, if any; and the orders as they are after it.

    The action is legal, and is the event of the game's next version. Without one the orders may have changed, too.
    """
    if is_resting(orders, game, seat):
        return None, orders
    left, at = list(orders.steps), _first(orders, game)
    while at < len(left):
        step = left[at]
        outcomes = [_try(wish, game, seat) for wish in step.do]
        chosen = next((outcome for outcome in outcomes if not isinstance(outcome, Sentence)), None)
        if chosen is None and step.if_none == DROP:
            dropped = Dropped(
                game.turn, tuple(left[at:]), tuple(outcome for outcome in outcomes if isinstance(outcome, Sentence))
            )
            return None, replace(_advance(orders, game, left[:at], at), dropped=dropped)
        if step.repeat or (chosen is None and step.if_none == KEEP):
            at += 1
        else:
            del left[at]
        if chosen is not None and not isinstance(chosen, Skip):
            return chosen, replace(_advance(orders, game, left, at), done=(*orders.done, game.version + 1))
    return None, _advance(orders, game, left, at)


def preview(steps: tuple[Step, ...], game: Game, seat: int) -> tuple[list[Action], Orders]:
    """What the steps would do if the seat's turn began now, and what would be left of them.

    It ends with an action on a hidden card: a draw, or what refills a slot. The game is on.
    """
    game, orders, actions = game.copy(), Orders(steps, put_in=game.turn), []
    game.turn, game.turn_seat, game.action_points = game.turn + 1, seat, game.rules.action_points
    game.scoring, game.interrupted, game.timed_out, game.seats[seat].away = None, False, False, None
    while has_legal_action(game, seat):
        action, orders = next_action(orders, game, seat)
        if action is None:
            break
        actions.append(action)
        if isinstance(action, Draw) or (isinstance(action, Take) and game.display[action.slot] is None):
            break
        game = evolve(game, [event_of(action, game, seat, check_action(game, seat, action))])
    return actions, orders


def find_action(wish: Wish | AppendTo, game: Game, seat: int) -> Action | None:
    """The action that is meant; None where the card to take is not on display, or no row of the seat has the business.

    Equal cards are interchangeable, so the lowest slot of several is as good as the others. A seat has one row at most
    of a business.
    """
    match wish:
        case TakeCard(card=card):
            return Take(slot=game.display.index(card)) if card in game.display else None
        case AppendTo(card=card, business=business):
            businesses = [row.business for row in game.seats[seat].rows]
            return Append(card=card, row=businesses.index(business)) if business in businesses else None
    return wish


def missing(wish: Wish | AppendTo) -> Sentence:
    """Why a wish has no action."""
    if isinstance(wish, AppendTo):
        return Sentence("no-row-of-business", {"business": wish.business})
    assert isinstance(wish, TakeCard)
    return Sentence("not-on-display", {"card": wish.card})


def is_resting(orders: Orders, game: Game, seat: int) -> bool:
    """Whether not even the first step is judged now; it stays."""
    if orders.put_in is None or game.status != "playing" or game.turn_seat != seat:
        return True
    is_of_player = player_of(game) is None and game.turn > orders.put_in and not game.interrupted
    return not (is_of_player or _is_late(game)) or _first(orders, game) >= len(orders.steps)


def _is_late(game: Game) -> bool:
    """Whether orders play first what is left of a turn that has timed out; the turn that lost the seat is one, too."""
    return is_played_out(game) and game.seats[game.turn_seat].away != "resigned"


def _first(orders: Orders, game: Game) -> int:
    """The first step that isn't done with in this turn; a time-out begins anew."""
    turn, is_late, step = orders.reached
    return step if (turn, is_late) == (game.turn, _is_late(game)) else 0


def _advance(orders: Orders, game: Game, left: list[Step], at: int) -> Orders:
    return replace(orders, steps=tuple(left), reached=(game.turn, _is_late(game), at))


def _try(wish: Alternative, game: Game, seat: int) -> Action | Skip | Sentence:
    """The action if it is legal now, else why not."""
    if isinstance(wish, Skip):
        return wish
    action = find_action(wish, game, seat)
    if action is None:
        return missing(wish)
    try:
        check_action(game, seat, action)
    except Refused as refused:
        return sentence_of(refused)
    return action
