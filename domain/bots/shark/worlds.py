"""Worlds that a seat can't distinguish from the game: what it sees as it is, what it can't see dealt by chance."""

from random import Random

from domain.bots.knowledge import Holding, SeatKnowledge
from domain.bots.table import KIND_OF, REIBACH_KIND, Table
from domain.cards import Card


def sample_world(seen: Table, seat: int, known: SeatKnowledge, chance: Random) -> Table:
    """A whole table that agrees with all that `seat` has seen; `seen` is its `read_table`."""
    world = seen.copy()
    pool = list(known.unseen.elements())
    chance.shuffle(pool)
    for owner, holdings in enumerate(known.holdings):
        if owner == seat:  # its hand is in the view; what else it held lies face down
            held: list[Holding] = []
            del pool[: sum(holding.card is None for holding in holdings)]
        else:
            held = _hide_businessmakers(holdings, known.hidden[owner], pool, chance)
        for holding in held:
            world.hands[owner][KIND_OF[pool.pop() if holding.card is None else holding.card]] += 1
    pile = [KIND_OF[card] for card in pool]
    pile += [REIBACH_KIND] * (seen.rules.scoring_at[-1] - seen.revealed)
    chance.shuffle(pile)
    world.pile = pile
    return world


def _hide_businessmakers(holdings: list[Holding], hidden: int, pool: list[Card], chance: Random) -> list[Holding]:
    """What is left in the hand after each hidden businessmaker was any card that its owner held then."""
    held = holdings[:]
    for number in range(hidden):
        early = [place for place, holding in enumerate(held) if holding.arrived <= number]
        if held.pop(chance.choice(early)).card is None:
            pool.pop()
    return held
