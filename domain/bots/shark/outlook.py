"""What a table is worth to a seat: income over all scoring rounds to come, less what the others get on average.

Of what lies it is what the rules pay now; of what a hand holds, what they will pay once it is laid. Incomes and
penalties are those of the game's `Rules`; the constants are guesses about how games continue, chosen by playing.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple, TypeAlias

from domain.bots.table import BUSINESS_KINDS, MULTITALENT_KIND, RISK_KIND, Table, incomes_of, rivals_of, total
from domain.rules import Rules

LATER: Final = (1.0, 0.8, 0.65)
"""Share of a gain that is expected to last until the next scoring round, the second, the third."""
LEAD, MOST_LEAD = 0.35, 3
"""Value, in each scoring round, of each card by which a row is longer than the others, and the most that count."""
CLOSED: Final = 0.3
"""Loss, in each scoring round, of a row that can't grow any more."""
POINT: Final = 0.9
"""What an action point brings elsewhere, for each scoring round to come."""
MULTITALENT_LATER, RISK_LATER = 1.0, 1.5
"""Least gain of a special card, for each scoring round to come: a better row for it may come."""
SPARE: Final = 0.5
"""Value of an empty businessmaker that nothing in hand needs, for each scoring round to come."""
USELESS: Final = 0.4
"""A card that gains no more in a scoring round can as well be a businessmaker."""
CARDS_A_TURN: Final = 1.6
"""Cards that leave the draw pile in an average turn."""
TURNS: Final = 8
"""Turns of one seat that are looked ahead."""
CLOSED_AT: Final = 24
"""Where the values of closed rows begin in a `Standing`: no row is as long."""

Standing: TypeAlias = tuple[float, ...]
"""By length, what a seat's row is worth in one scoring round beside given rivals; for closed rows from CLOSED_AT on."""


class Horizon(NamedTuple):
    """How many scoring rounds are to come, each as far as LATER says."""

    rounds: tuple[float, ...]
    """Those after a seat's next turns: now, after the next one, and so on."""
    end: float
    """Probability that the game ends within a round of turns."""


@lru_cache(maxsize=4096)
def standing(rules: Rules, rivals: tuple[int, ...]) -> Standing:
    """The standing beside the rows of all others: their lengths, 0 for none, negative where closed."""
    longest = max(rivals, key=abs)
    values: list[float] = []
    for closed in (False, True):
        for length in range(CLOSED_AT):
            incomes = incomes_of(rules, (length, *map(abs, rivals)))
            lost = sum(income * (2 if rival < 0 else 1) for income, rival in zip(incomes[1:], rivals, strict=True))
            lead = LEAD * max(-MOST_LEAD, min(MOST_LEAD, length - abs(longest))) if length and longest >= 0 else 0
            value = incomes[0] * 2 - CLOSED + lead / 2 if closed else incomes[0] + lead
            values.append(value - lost / len(rivals))
    return tuple(values)


@lru_cache(maxsize=4096)
def horizon(rules: Rules, seats: int, revealed: int, pile: int) -> Horizon:
    """What is to come after so many Reibach cards, with so many cards in the draw pile."""
    reibachs = rules.scoring_at[-1] - revealed

    def chance_of_fewer(missing: int, turns: int) -> float:
        cards = min(pile, round(CARDS_A_TURN * turns * seats))
        ways = sum(
            comb(reibachs, drawn) * comb(pile - reibachs, cards - drawn) for drawn in range(min(missing, cards + 1))
        )
        return ways / comb(pile, cards)

    missing = [count - revealed for count in rules.scoring_at if count > revealed]
    rounds = [
        total(share * chance_of_fewer(count, turns) for share, count in zip(LATER, missing, strict=False))
        for turns in range(TURNS)
    ]
    return Horizon(tuple(rounds), 1 - chance_of_fewer(reibachs, 1))


@lru_cache(maxsize=16384)  # called ten times for each outlook
def _standings(rules: Rules, row: tuple[int, ...]) -> list[Standing]:
    return [standing(rules, rivals_of(row, seat)) for seat in range(len(row))]


def standings_of(table: Table) -> list[Sequence[Standing]]:
    """By seat, for each business what the seat's row is worth by its length."""
    return list(zip(*[_standings(table.rules, row) for row in table.rows], strict=True))


def worth_of_rows(table: Table, seat: int, standings: Sequence[Standing]) -> float:
    """What lies, in one scoring round."""
    rows = zip(standings, table.lengths[seat], table.closed[seat], strict=True)
    return total([values[length + CLOSED_AT if closed else length] for values, length, closed in rows])


def worth_of_hand(table: Table, seat: int, standings: Sequence[Standing], ahead: Horizon, delay: int) -> float:
    """What a hand will bring in all scoring rounds, less what its action points would bring elsewhere.

    `delay`: 0 where the seat is to play, 1 where its turn is over.
    """
    rules, rounds = table.rules, ahead.rounds
    steps, spare = _steps(table, seat, standings)
    steps.sort(key=_by_points)
    worth, spent, price = spare * SPARE * rounds[1], 0, POINT * rounds[1]
    for gain, cost in steps:
        spent += cost
        turn = delay + (spent - 1) // rules.action_points
        if turn >= TURNS:
            break
        gained = gain * rounds[turn] - price * cost
        if gained > 0:
            worth += gained
    if ahead.end:
        losses = (
            rules.penalty_hand_card * sum(table.hands[seat]) + rules.penalty_empty_businessmaker * table.empty[seat]
        )
        worth += ahead.end * losses
    return worth


def _by_points(step: tuple[float, int]) -> float:
    return -step[0] / step[1]


def _steps(table: Table, seat: int, standings: Sequence[Standing]) -> tuple[list[tuple[float, int]], int]:
    """What the hand can be laid for: gains in one scoring round with their action points; and spare businessmakers."""
    hand, lengths, closed = table.hands[seat], table.lengths[seat], table.closed[seat]
    steps: list[tuple[float, int]] = []
    opening: list[tuple[float, int]] = []
    useless = 0
    for business in range(BUSINESS_KINDS):
        if not (held := hand[business]):
            continue
        if closed[business]:
            useless += held
            continue
        values, length = standings[business], lengths[business]
        if not length:
            opening.append((values[held] - values[0], held))
            continue
        for more in range(length, length + held):
            gain = values[more + 1] - values[more]
            steps.append((gain, 1))
            useless += gain <= USELESS
    if hand[MULTITALENT_KIND]:
        steps += _special_steps(hand[MULTITALENT_KIND], 1, MULTITALENT_LATER, standings, lengths, closed)
    if hand[RISK_KIND]:
        steps += _special_steps(hand[RISK_KIND], CLOSED_AT, RISK_LATER, standings, lengths, closed)
    openings, spare = _openings(table, seat, opening, useless)
    return steps + openings, spare


def _openings(
    table: Table, seat: int, opening: list[tuple[float, int]], useless: int
) -> tuple[list[tuple[float, int]], int]:
    """The same for new rows, of gains with their cards; `useless`: number of cards that can be businessmakers."""
    steps: list[tuple[float, int]] = []
    empty, room = table.empty[seat], table.rules.max_businessmakers - table.laid[seat]
    opening.sort(key=_by_points)
    for gain, held in opening:
        if empty:
            empty -= 1
            steps.append((gain, held))
        elif room:
            room -= 1
            # A businessmaker costs a point to lay, and one to take where no card in hand is useless.
            steps.append((gain, held + (1 if useless else 2)))
            useless -= useless > 0
    return steps, empty


def _special_steps(  # noqa: PLR0913 - a part of `_steps`, called often
    held: int, onward: int, least: float, standings: Sequence[Standing], lengths: list[int], closed: list[int]
) -> list[tuple[float, int]]:
    """The same for special cards of one kind; `onward`: from a row's value to that with the card."""
    gains = [
        values[length + onward] - values[length]
        for values, length, is_closed in zip(standings, lengths, closed, strict=True)
        if length and not is_closed
    ]
    gains.sort(reverse=True)
    gains += [0.0] * held
    return [(max(gain, least), 1) for gain in gains[:held]]


def outlook(table: Table, seat: int) -> float:
    """What the table is worth to the seat, in millions more than the others get on average."""
    others = [other for other in range(len(table.hands)) if other != seat]
    worth = table.totals[seat] - sum([table.totals[other] for other in others]) / len(others)
    if table.over:
        return worth
    ahead = horizon(table.rules, len(table.hands), table.revealed, len(table.pile))
    standings = standings_of(table)
    worth += ahead.rounds[0] * worth_of_rows(table, seat, standings[seat])
    worth += worth_of_hand(table, seat, standings[seat], ahead, int(table.seat != seat))
    for other in others:
        worth -= worth_of_hand(table, other, standings[other], ahead, int(table.seat != other)) / len(others)
    return worth
