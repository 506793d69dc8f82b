"""The bots by name. A bot knows what its seat knows: its view, the rules, and the actions that are legal now."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from domain.bots import greedy, random
from domain.commands import Action
from domain.legality import legal_actions
from domain.rules.standard import Rules
from domain.state import Game
from domain.view import view_of

Choose: TypeAlias = Callable[[dict[str, Any], Rules, Sequence[Action], Random], Action]
"""(the seat's view, the rules, the legal actions, chance) -> one of the actions. Pure: same arguments, same choice."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A way to play; `about` describes it to players in one sentence."""

    choose: Choose
    about: str


BOTS: Final[dict[str, Bot]] = {
    "random": Bot(random.choose, "Takes any legal action, each as likely as the others."),
    "greedy": Bot(greedy.choose, "Takes the action that promises the most money by what lies open on the table."),
}


def choose_action(bot: str, game: Game, chance: Random) -> Action:
    """The action that the bot of that name takes for the seat whose turn it is. Raises KeyError for an unknown bot."""
    seat = game.turn_seat
    return BOTS[bot].choose(view_of(game, seat, ""), game.rules, list(legal_actions(game, seat)), chance)
