"""How a game is expected to end: of each seat's expected money the lead over the best rival, and the chance to win.

Rule 1: arithmetic and square roots only, in a fixed order: they give the same bits on every machine.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod, sqrt
from typing import Final

GRID: Final = tuple(step / 4 for step in range(-24, 25))
"""Where the distribution of a seat's money is looked at, in deviations from the middle."""


def _below(deviations: float) -> float:
    """Probability that a seat ends no further above what is expected: a bell with tails (Student's t, 4 degrees)."""
    u = deviations / sqrt(1 + deviations * deviations / 4)
    return 0.5 + 0.375 * u * (1 - u * u / 12)


def chances(money: Sequence[float], spread: float) -> list[float]:
    """Each seat's probability to have most in the end."""
    found = []
    for seat, own in enumerate(money):
        won = 0.0
        for low, high in pairwise(GRID):
            at = (low + high) / 2
            rivals = [_below(at + (own - other) / spread) for place, other in enumerate(money) if place != seat]
            won += (_below(high) - _below(low)) * prod(rivals)
        found.append(won)
    whole = 0.0
    for won in found:
        whole += won
    return [won / whole for won in found]


def lead(money: Sequence[float], seat: int, spread: float) -> float:
    """Expected millions ahead of the best rival."""
    rivals = [other for place, other in enumerate(money) if place != seat]
    best, step = max(rivals), GRID[1] - GRID[0]
    if len(rivals) == 1:
        return money[seat] - best
    # The expectation of the largest: the lowest place of the grid, and all that it is likely to be above.
    above = 0.0
    for low, high in pairwise(GRID):
        at = best + (low + high) / 2 * spread
        above += (1 - prod([_below((at - other) / spread) for other in rivals])) * step * spread
    return money[seat] - (best + GRID[0] * spread + above)


def in_hundredths(shares: Sequence[float]) -> list[float]:
    """Shares of 1, rounded to two decimals that add to 1: what is missing goes to the largest remainders."""
    parts = [int(100 * share) for share in shares]
    order = sorted(range(len(shares)), key=lambda seat: parts[seat] - 100 * shares[seat])
    for seat in order[: 100 - sum(parts)]:
        parts[seat] += 1
    return [part / 100 for part in parts]
