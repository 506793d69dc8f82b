"""How a game is expected to end, from a table that was played on for a while.

Rule 1: arithmetic and square roots only, in a fixed order: they give the same bits on every machine.
Rule 2: money is what a seat has more than all seats on average. The constants were fitted to games between bots.
"""

from collections.abc import Sequence
from math import prod, sqrt
from typing import Final

from domain.bots.shark.outlook import horizon, standings_of, worth_of_hand, worth_of_rows
from domain.bots.table import Table, total
from domain.rules import Rules

FADES, LASTS = 100, 0.3
"""With each card to come one part in FADES of what a seat is ahead fades; LASTS, as a share, is left at least."""
SPREAD: Final = (0.4, 0.5)
"""How far a seat ends from what is expected: so much, and so much more times the root of the cards to come."""


def money_of(table: Table) -> list[float]:
    """What each seat is expected to have in the end."""
    seats, money, lasting = len(table.hands), [float(total) for total in table.totals], 1.0
    if not table.over:
        pile = len(table.pile)
        ahead = horizon(table.rules, seats, table.revealed, pile)
        lasting = max(LASTS, 1 - cards_to_come(table.rules, table.revealed, pile) / FADES)
        for seat, standings in enumerate(standings_of(table)):
            money[seat] += ahead.rounds[0] * worth_of_rows(table, seat, standings) * (seats - 1) / seats
            money[seat] += worth_of_hand(table, seat, standings, ahead, int(table.seat != seat))
    average = total(money) / seats
    return [lasting * (amount - average) for amount in money]


def cards_to_come(rules: Rules, revealed: int, pile: int) -> float:
    """How many cards leave the draw pile until the game is over, on average."""
    missing = rules.scoring_at[-1] - revealed
    return missing * (pile + 1) / (missing + 1)


def _below(spreads: float) -> float:
    """Probability that a seat ends no further above what is expected: Student's t with 8 degrees of freedom."""
    bent = spreads / sqrt(8 + spreads * spreads)
    rest = 1 - bent * bent
    return 0.5 + 0.5 * bent * (1 + rest * (0.5 + rest * (0.375 + rest * 0.3125)))


_PARTS: Final = [(step / 4 + 1 / 8, _below((step + 1) / 4) - _below(step / 4)) for step in range(-24, 24)]
"""The distribution in steps of a quarter of a spread: their middles and probabilities."""
_BELOW_MIDDLES: Final = [_below(middle) for middle, _ in _PARTS]


def chances_of(money: Sequence[float], cards: float) -> list[float]:
    """Each seat's probability to have the most, in hundredths that add to 1: the largest remainders are rounded up."""
    shares, spread = [], SPREAD[0] + SPREAD[1] * sqrt(cards)
    for seat, amount in enumerate(money):
        ahead = [(amount - other) / spread for rival, other in enumerate(money) if rival != seat]
        shares.append(total(chance * prod([_below(middle + more) for more in ahead]) for middle, chance in _PARTS))
    hundredths = [100 * share / total(shares) for share in shares]
    rounded = [int(share) for share in hundredths]
    for seat in sorted(range(len(money)), key=lambda seat: rounded[seat] - hundredths[seat])[: 100 - sum(rounded)]:
        rounded[seat] += 1
    return [share / 100 for share in rounded]


def lead_of(money: Sequence[float], seat: int, cards: float) -> float:
    """Expected millions ahead of the best rival, in hundredths."""
    spread = SPREAD[0] + SPREAD[1] * sqrt(cards)
    rivals = [other for rival, other in enumerate(money) if rival != seat]
    best = max(rivals)
    behind = [(best - other) / spread for other in rivals]
    # The expectation of the largest: from the lowest place on, the probability that one is above.
    below = [[_below(middle + more) for middle, _ in _PARTS] if more else _BELOW_MIDDLES for more in behind]
    above = total([1 - prod(of_rivals) for of_rivals in zip(*below, strict=True)])
    return round(money[seat] - best - (above / 4 - 6) * spread, 2) + 0.0  # no -0.0
