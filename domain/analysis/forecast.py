"""How a game is expected to end, from a table that was played on for a while.

Rule 1: arithmetic and square roots only, in a fixed order: they give the same bits on every machine.
Rule 2: money is what a seat has more than all seats on average. The constants were fitted to games between bots.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod, sqrt
from typing import Final

from domain.bots.shark.outlook import horizon, standings_of, worth_of_hand, worth_of_rows
from domain.bots.shark.table import Table, total
from domain.rules import Rules

FADES: Final = 100
LEAST_LASTING: Final = 0.3
"""With each card to come one part in FADES of an advantage is expected to fade, and never more than leaves this."""
SPREAD: Final = (0.4, 0.5)
"""How far a seat ends from what is expected: so much, and so much more times the root of the cards to come."""
GRID: Final = tuple(step / 4 for step in range(-24, 25))
"""Where a distribution is looked at, in spreads from its middle."""


def money_of(table: Table) -> list[float]:
    """What each seat is expected to have in the end."""
    seats, money, lasting = len(table.hands), [float(own) for own in table.totals], 1.0
    if not table.over:
        pile = len(table.pile)
        ahead = horizon(table.rules, seats, table.revealed, pile)
        lasting = max(LEAST_LASTING, 1 - cards_to_come(table.rules, table.revealed, pile) / FADES)
        for seat in range(seats):
            standings = standings_of(table, seat)
            money[seat] += ahead.rounds[0] * worth_of_rows(table, seat, standings) * (seats - 1) / seats
            money[seat] += worth_of_hand(table, seat, standings, ahead, int(table.seat != seat))
    average = total(money) / seats
    return [lasting * (own - average) for own in money]


def cards_to_come(rules: Rules, revealed: int, pile: int) -> float:
    """How many cards leave the draw pile until the game is over, on average."""
    missing = rules.scoring_at[-1] - revealed
    return missing * (pile + 1) / (missing + 1)


def _below(spreads: float) -> float:
    """Probability that a seat ends no further above what is expected: Student's t with 8 degrees of freedom."""
    bent = spreads / sqrt(8 + spreads * spreads)
    rest = 1 - bent * bent
    return 0.5 + 0.5 * bent * (1 + rest * (0.5 + rest * (0.375 + rest * 0.3125)))


def spread_of(cards: float) -> float:
    return SPREAD[0] + SPREAD[1] * sqrt(cards)


def chances_of(money: Sequence[float], spread: float) -> list[float]:
    """Each seat's probability to have the most, in hundredths that add to 1: the largest remainders are rounded up."""
    shares = []
    for seat, own in enumerate(money):
        ahead = [(own - other) / spread for rival, other in enumerate(money) if rival != seat]
        parts = (
            (_below(high) - _below(low)) * prod([_below((low + high) / 2 + more) for more in ahead])
            for low, high in pairwise(GRID)
        )
        shares.append(100 * total(parts))
    shares = [100 * share / total(shares) for share in shares]
    found = [int(share) for share in shares]
    for seat in sorted(range(len(money)), key=lambda seat: found[seat] - shares[seat])[: 100 - sum(found)]:
        found[seat] += 1
    return [share / 100 for share in found]


def lead_of(money: Sequence[float], seat: int, spread: float) -> float:
    """Expected millions ahead of the best rival."""
    rivals = [other for rival, other in enumerate(money) if rival != seat]
    best, width = max(rivals), (GRID[1] - GRID[0]) * spread
    # The expectation of the largest: from the lowest place of the grid on, the probability that one is above.
    places = [best + (low + high) / 2 * spread for low, high in pairwise(GRID)]
    above = total([1 - prod([_below((place - other) / spread) for other in rivals]) for place in places])
    return money[seat] - (best + GRID[0] * spread + above * width)
