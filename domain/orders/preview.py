"""What orders would do if the seat's turn began now, by nothing but what the seat may see."""

from dataclasses import dataclass
from typing import Final

from domain.commands import Action, Append, LayBusinessmaker, Skip, Take
from domain.events import BusinessmakerLaid, CardAppended, CardTaken, Event
from domain.evolve import evolve
from domain.legality import check_action, has_legal_action
from domain.orders.planner import DROP, Step, choose
from domain.state import Game
from domain.words.refusals.sentences import Sentence

ENDS: Final = ("finished", "turn", "unknown", "dropped")
"""All steps are done with; the turn is over; the rest depends on a hidden card; a step has no legal alternative."""


@dataclass(frozen=True, slots=True)
class Preview:
    actions: tuple[tuple[int, Action], ...]
    """Each with the number of its step, from 0."""
    end: str
    refusals: tuple[Sentence, ...] = ()
    """Why the next step is dropped with all the rest."""


def preview(steps: tuple[Step, ...], game: Game, seat: int) -> Preview:
    """The game has started and isn't over. A slot that an action has emptied stays empty: its next card is hidden."""
    game = game.copy()
    game.turn_seat, game.action_points, game.scoring = seat, game.rules.action_points, None
    done: list[tuple[int, Action]] = []
    for number, step in enumerate(steps):
        if not has_legal_action(game, seat):
            return Preview(tuple(done), "turn")
        action, refusals = choose(step, game, seat)
        if action is None and step.if_none == DROP:
            return Preview(tuple(done), "dropped", refusals)
        if action is None or isinstance(action, Skip):
            continue
        done.append((number, action))
        event = _event(action, game, seat)
        if event is None:
            return Preview(tuple(done), "unknown")
        game = evolve(game, [event])
    return Preview(tuple(done), "finished")


def _event(action: Action, game: Game, seat: int) -> Event | None:
    """What the action itself does; None where that is hidden."""
    match action:
        case Take(slot=slot) if card := game.display[slot]:
            return CardTaken(seat, slot, card, check_action(game, seat, action))
        case LayBusinessmaker(card=card):
            return BusinessmakerLaid(seat, len(game.seats[seat].rows), card)
        case Append(card=card, row=row):
            return CardAppended(seat, row, card)
    return None
