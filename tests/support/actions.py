"""Every action that can be named, and a game in which each kind of action is played."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any, Final

from domain.cards import BUSINESSES, HAND_CARDS
from domain.commands import Act, Action, Command
from domain.decide import decide
from domain.decision import Decision
from domain.legality import legal_actions
from domain.rules import NEWEST
from domain.state import Game
from tests.support.play import create, next_command

VALUES: Final[Mapping[str, Sequence[Any]]] = {
    "slot": range(3),
    "row": range(10),
    "card": HAND_CARDS,
    "business": BUSINESSES,
}
"""By field of an action: what requests may name."""


def imaginable(*kinds: type, **values: Sequence[Any]) -> Iterator[Any]:
    """All that these kinds may be. `values`: by field, where others are wanted than VALUES."""
    for kind in kinds:
        names = tuple(getattr(kind, "__dataclass_fields__"))  # noqa: B009 - no type of `type` has it
        for chosen in product(*((VALUES | values)[name] for name in names)):
            yield kind(**dict(zip(names, chosen, strict=True)))


@cache
def play_every_action() -> tuple[tuple[Command, Decision], ...]:
    """A whole game with all variants; its players choose a kind of action first, then one of the kind."""
    chance = Random("every action")
    command: Command = create(3, "every action", NEWEST.variants)
    played = [(command, decide(command, Game()))]
    while not (game := played[-1][1].game).over:
        command = next_command(game, chance)
        if isinstance(command, Act):
            command = Act(seat=command.seat, actions=(_choose(game, chance),))
        played.append((command, decide(command, game)))
    return tuple(played)


def _choose(game: Game, chance: Random) -> Action:
    legal = list(legal_actions(game, game.turn_seat))
    kind = chance.choice(list(dict.fromkeys(map(type, legal))))
    return chance.choice([action for action in legal if type(action) is kind])
