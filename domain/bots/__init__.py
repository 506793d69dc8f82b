"""The bots by name. A bot knows what its seat knows: the view of that seat and the actions that are legal now."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from domain.bots import greedy, random
from domain.commands import Action
from domain.legality import legal_actions
from domain.state import Game
from domain.view import view_of

Choose: TypeAlias = Callable[[dict[str, Any], Sequence[Action], Random], Action]
"""(the seat's view, the legal actions, chance) -> one of these actions. Pure: the same three give the same choice."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A way to play; `about` is one sentence for those who pick an opponent."""

    choose: Choose
    about: str


BOTS: Final[dict[str, Bot]] = {
    "random": Bot(random.choose, "Takes any legal action, each as likely as the others."),
    "greedy": Bot(greedy.choose, "Takes the action that promises the most money by what lies open on the table."),
}


def ask(bot: str, game: Game, chance: Random) -> Action:
    """The action that the bot of that name takes for the seat whose turn it is. Raises KeyError for an unknown bot."""
    seat = game.turn_seat
    return BOTS[bot].choose(view_of(game, seat, ""), list(legal_actions(game, seat)), chance)
