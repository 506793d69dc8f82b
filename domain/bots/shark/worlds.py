"""Worlds that a seat can't distinguish from the game: what it sees as it is, what it can't see dealt by chance."""

from random import Random
from typing import Any

from domain.bots.knowledge import Holding, SeatKnowledge
from domain.bots.shark.table import BUSINESS_KINDS, KIND_OF, KINDS, NO_CARD, REIBACH_KIND, Table
from domain.cards import Card
from domain.rules import Rules


def read_table(view: dict[str, Any], rules: Rules) -> Table:
    """The table as the view shows it: other hands and the draw pile are empty."""
    table, seats = Table(), view["seats"]
    table.rules = rules
    table.hands = [[0] * KINDS for _ in seats]
    table.lengths = [[0] * BUSINESS_KINDS for _ in seats]
    table.closed = [[0] * BUSINESS_KINDS for _ in seats]
    table.empty = [sum(row["business"] is None for row in seat["rows"]) for seat in seats]
    table.laid = [len(seat["rows"]) for seat in seats]
    for index, seat in enumerate(seats):
        for row in seat["rows"]:
            if row["business"] is not None:
                business = KIND_OF[row["business"]]
                table.lengths[index][business] = row["length"]
                table.closed[index][business] = int(row["closed"])
    table.display = [NO_CARD if card is None else KIND_OF[card] for card in view["display"]]
    table.pile = []
    table.revealed = view["reibach"]["revealed"]
    table.totals = [seat["total"] for seat in seats]
    table.seat, table.points = view["turn"]["seat"], view["turn"]["action_points"]
    table.over = False
    for card in view["you"]["hand"]:
        table.hands[view["you"]["seat"]][KIND_OF[card]] += 1
    return table


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
