"""How a fork of a running game begins: with what one of its seats sees."""

from dataclasses import replace

from domain.commands import CreateGame
from domain.forks.position import fill_hidden, visible_position
from domain.legality import refuse_unless_playing
from domain.state import Game
from domain.view import scores_of, view_of


def fork_of_running(parent: Game, seat: int, plan: CreateGame) -> CreateGame:
    """The command that opens a fork of `parent` as it is now, from what `seat` sees of it. Raises Refused.

    `plan`: the fork's own id, seed, seats (one for each of the parent's, none open) and `listed`; the rest is ignored.
    """
    refuse_unless_playing(parent)
    position = visible_position(view_of(parent, seat, ""), scores_of(parent))
    entropies = [taken.entropy for taken in plan.seats]
    return replace(
        plan,
        variants=frozenset(name for name, on in parent.variants.items() if on),
        starting_seat=parent.starting_seat,
        rules=parent.rules.name,
        parent=parent.id,
        from_version=parent.version,
        position=fill_hidden(position, parent.rules, plan.server_seed, entropies),
    )
