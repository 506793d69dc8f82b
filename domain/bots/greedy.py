"""The bot `greedy`: each action is worth the money that it promises; the best one by action point is taken.

Money is estimated in millions over all scoring rounds to come, from what lies open on the table alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, assert_never

from domain.cards import BUSINESS_SET, BUSINESSES, RISK, SPECIALS, Business, Card
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take

# How much of a card's worth on a row it has while it is in hand, on the display, or not even seen.
IN_HAND, ON_DISPLAY, UNSEEN = 0.6, 0.5, 0.3
NEW_ROW = 0.6
"""The same for a business that still needs its row: a businessmaker and an action point more."""
HARM = 0.5
"""What a million is worth that the others lose."""
LENGTH = 0.3
"""A longer row is harder to overtake."""
CARDS_PER_TURN = 2
"""About so many cards leave the draw pile in a turn."""


def choose(view: dict[str, Any], legal: Sequence[Action], _chance: Random) -> Action:
    """The legal action worth most for each action point; the first of them where several are."""
    table = _read(view)
    return max(legal, key=lambda action: _worth(action, table))


@dataclass(frozen=True, slots=True)
class _Table:
    display: list[Card | None]
    hand: Counter[Card]
    rows: list[dict[str, Any]]
    """The bot's own, as the view shows them."""
    others: dict[Business, list[tuple[int, int]]]
    """Length, and 2 where doubled or 1, of the other seats' rows."""
    rounds: int
    """Scoring rounds to come."""
    expensive: bool
    """Whether open specials cost two action points."""
    end: float
    """How likely it is, from 0 to 1, that the game ends before this seat has another turn."""


def _read(view: dict[str, Any]) -> _Table:
    seats, me, revealed = view["seats"], view["you"]["seat"], view["reibach"]["revealed"]
    others: dict[Business, list[tuple[int, int]]] = {business: [] for business in BUSINESSES}
    for row in (row for seat in seats if seat["seat"] != me for row in seat["rows"] if row["business"]):
        others[row["business"]].append((row["length"], 2 if row["closed"] else 1))
    missing = 10 - revealed
    coming = len(seats) * CARDS_PER_TURN * missing / view["draw_pile"]
    return _Table(
        display=view["display"],
        hand=Counter(view["you"]["hand"]),
        rows=seats[me]["rows"],
        others=others,
        rounds=3 - view["reibach"]["rounds_scored"],
        expensive=view["variants"]["expensive_specials"],
        end=min(1.0, (coming / missing) ** missing),
    )


def _income(length: int, others: Sequence[int]) -> float:
    """What a row earns in one scoring round beside the other rows of its business."""
    if not length:
        return 0
    if not others:
        return 4
    longest = max(others)
    if length > longest:
        return 3
    if length == longest:
        return 4 // (1 + others.count(longest))
    return 1 if others.count(longest) == 1 and all(length > other for other in others if other != longest) else 0


def _gain(table: _Table, business: Business, before: int, after: int) -> float:
    """What it brings when the bot's row of a business grows from one length to another; 0 is no row."""
    others = table.others[business]
    lengths = [length for length, _ in others]
    mine = _income(after, lengths) - _income(before, lengths)
    theirs = 0.0
    for index, (length, times) in enumerate(others):
        rest = lengths[:index] + lengths[index + 1 :]
        loss = _income(length, [*rest, before] if before else rest) - _income(length, [*rest, after])
        theirs += loss * times
    return table.rounds * (mine + HARM * theirs) + LENGTH


def _on_row(table: _Table, card: Card, row: dict[str, Any]) -> float:
    """What a card brings on one of the bot's open rows."""
    business, length = row["business"], row["length"]
    if card != RISK:
        return _gain(table, business or card, length, length + 1)
    income = _income(length, [other for other, _ in table.others[business]])
    # Before the last round the others may still overtake a row that can grow no more.
    return table.rounds * income * (1 if table.rounds == 1 else 0.7) - LENGTH


def _promise(table: _Table, card: Card, held: int) -> float:
    """What one more card in hand may bring once it is laid, with `held` of its kind in hand already."""
    fixed = [row for row in table.rows if row["business"] and not row["closed"]]
    if card in SPECIALS:
        places = sorted((_on_row(table, card, row) for row in fixed), reverse=True)
        # One that has no place yet will find one, unless the game is nearly over.
        return max(places[held] if held < len(places) else 0, table.rounds - 1)
    for row in table.rows:
        if row["business"] == card:
            length = row["length"] + held
            return 0 if row["closed"] else _gain(table, card, length, length + 1)
    return NEW_ROW * _gain(table, card, held, held + 1)


def _new_row(table: _Table, businessmaker: Card) -> float:
    """What another businessmaker brings: the best new business in hand has a place to go."""
    hand = table.hand - Counter([businessmaker])
    new = hand.keys() & (BUSINESS_SET - {row["business"] for row in table.rows})
    chances = sorted(_gain(table, card, 0, hand[card]) for card in new)
    empty = sum(row["business"] is None for row in table.rows)
    best = NEW_ROW * chances[-1 - empty] if empty < len(chances) else 0.0
    return best - IN_HAND * _promise(table, businessmaker, hand[businessmaker]) - 2 * table.end


def _worth(action: Action, table: _Table) -> float:
    """What an action promises, in millions for each action point."""
    match action:
        case Append(card=card, row=number):
            row = table.rows[number]
            saved = table.end * (1 if row["business"] else 3)
            return _on_row(table, card, row) + saved
        case LayBusinessmaker(card=card):
            return _new_row(table, card) + table.end
        case Take(slot=slot):
            wanted = table.display[slot]
            assert wanted is not None
            worth = ON_DISPLAY * _promise(table, wanted, table.hand[wanted]) - table.end
            return worth / 2 if table.expensive and wanted in SPECIALS else worth
        case Draw():
            average = sum(_promise(table, card, table.hand[card]) for card in BUSINESSES) / len(BUSINESSES)
            return (UNSEEN * average - table.end) / 2
        case _ as never:
            assert_never(never)
