"""The bot `greedy`: the action with the highest estimated gain for each action point.

A gain is in millions over all scoring rounds to come, estimated from the seat's view alone. Costs, incomes and
penalties are those of the game's `Rules`; the constants below are guesses about how the game continues.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Final, assert_never

from domain.bots.knowledge import Recall
from domain.cards import BUSINESS_SET, BUSINESSES, RISK, SPECIALS, Business, Card
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.rules import Rules
from domain.scoring import award

IN_HAND, ON_DISPLAY, UNSEEN = 0.6, 0.5, 0.3
"""Share of a card's gain on a row that counts while the card is in hand, on the display, or still in the pile."""
NEW_ROW: Final = 0.6
"""The same for a business that has no row yet: it costs a businessmaker and an action point more."""
HARM: Final = 0.5
"""Value of a million that another seat loses."""
LENGTH: Final = 0.3
"""Value of one more card on a row, which makes it harder to overtake."""
CLOSED_EARLY: Final = 0.7
"""Share of a closed row's income that is expected when more than one scoring round is to come: others may overtake."""
CARDS_PER_TURN: Final = 2
"""Cards that leave the draw pile in an average turn."""


def choose(view: dict[str, Any], rules: Rules, legal: Sequence[Action], _chance: Random, _recall: Recall) -> Action:
    """The legal action with the highest gain for each action point; the first of several."""
    table = _read_table(view, rules)
    return max(legal, key=lambda action: _estimate(action, table))


@dataclass(frozen=True, slots=True)
class _Outlook:
    rules: Rules
    income: Callable[..., int]
    """Of the first of all rows of a business, by their lengths: its income in one scoring round, before doubling."""
    display: list[Card | None]
    hand: Counter[Card]
    rows: list[dict[str, Any]]
    """The bot's own, as the view shows them."""
    others: dict[Business, list[tuple[int, int]]]
    """Length, and 2 where doubled or 1, of the other seats' rows."""
    rounds: int
    """Scoring rounds to come."""
    end: float
    """Estimated probability that the game ends before this seat has another turn."""


def _read_table(view: dict[str, Any], rules: Rules) -> _Outlook:
    seats, me, revealed = view["seats"], view["you"]["seat"], view["reibach"]["revealed"]
    others: dict[Business, list[tuple[int, int]]] = {business: [] for business in BUSINESSES}
    for row in (row for seat in seats if seat["seat"] != me for row in seat["rows"] if row["business"]):
        others[row["business"]].append((row["length"], 2 if row["closed"] else 1))
    missing = rules.scoring_at[-1] - revealed
    coming = len(seats) * CARDS_PER_TURN * missing / view["draw_pile"]
    return _Outlook(
        rules=rules,
        income=_incomes(rules),
        display=view["display"],
        hand=Counter(view["you"]["hand"]),
        rows=seats[me]["rows"],
        others=others,
        rounds=len(rules.scoring_at) - view["reibach"]["rounds_scored"],
        end=min(1.0, (coming / missing) ** missing),
    )


@lru_cache(maxsize=16)
def _incomes(rules: Rules) -> Callable[..., int]:
    """The incomes under a rule set. Looked up once for a choice: the hash of a rule set takes longer than an income."""

    @lru_cache(maxsize=4096)  # called about fifty times for one choice, mostly for the same lengths
    def income(*lengths: int) -> int:
        return award(rules, dict(enumerate(lengths)))[0][0] if lengths[0] else 0

    return income


def _gain(table: _Outlook, business: Business, before: int, after: int) -> float:
    """Gain when the bot's row of a business grows from one length to another; 0 is no row."""
    income, others = table.income, table.others[business]
    lengths = [length for length, _ in others]
    gained = income(after, *lengths) - income(before, *lengths)
    lost = 0.0
    for index, (length, times) in enumerate(others):
        rest = lengths[:index] + lengths[index + 1 :]
        loss = income(length, *rest, *([before] if before else ())) - income(length, *rest, after)
        lost += loss * times
    return table.rounds * (gained + HARM * lost) + LENGTH


def _gain_on_row(table: _Outlook, card: Card, row: dict[str, Any]) -> float:
    """Gain of a card on one of the bot's open rows."""
    business, length = row["business"], row["length"]
    if card != RISK:
        return _gain(table, business or card, length, length + 1)
    income = table.income(length, *(other for other, _ in table.others[business]))
    return table.rounds * income * (1 if table.rounds == 1 else CLOSED_EARLY) - LENGTH


def _gain_once_laid(table: _Outlook, card: Card, held: int) -> float:
    """Gain of one more card in hand once it is laid, with `held` of its kind in hand already."""
    open_rows = [row for row in table.rows if row["business"] and not row["closed"]]
    if card in SPECIALS:
        gains = sorted((_gain_on_row(table, card, row) for row in open_rows), reverse=True)
        # One that fits nowhere yet will fit later, unless the game is nearly over.
        return max(gains[held] if held < len(gains) else 0, table.rounds - 1)
    for row in table.rows:
        if row["business"] == card:
            length = row["length"] + held
            return 0 if row["closed"] else _gain(table, card, length, length + 1)
    return NEW_ROW * _gain(table, card, held, held + 1)


def _gain_of_new_row(table: _Outlook, businessmaker: Card) -> float:
    """Gain of another businessmaker: the best new business in hand gets a row."""
    hand = table.hand - Counter([businessmaker])
    new = hand.keys() & (BUSINESS_SET - {row["business"] for row in table.rows})
    gains = sorted(_gain(table, card, 0, hand[card]) for card in new)
    empty = sum(row["business"] is None for row in table.rows)
    best = NEW_ROW * gains[-1 - empty] if empty < len(gains) else 0.0
    lost = IN_HAND * _gain_once_laid(table, businessmaker, hand[businessmaker])
    return best - lost + table.rules.penalty_empty_businessmaker * table.end


def _estimate(action: Action, table: _Outlook) -> float:
    """Gain of an action for each of its action points."""
    rules = table.rules
    in_hand = rules.penalty_hand_card * table.end
    match action:
        case Append(card=card, row=number):
            row = table.rows[number]
            penalty = rules.penalty_hand_card + (0 if row["business"] else rules.penalty_empty_businessmaker)
            return (_gain_on_row(table, card, row) - penalty * table.end) / rules.cost_append
        case LayBusinessmaker(card=card):
            return (_gain_of_new_row(table, card) - in_hand) / rules.cost_lay
        case Take(slot=slot):
            card_taken = table.display[slot]
            assert card_taken is not None
            gain = ON_DISPLAY * _gain_once_laid(table, card_taken, table.hand[card_taken]) + in_hand
            return gain / (rules.cost_take_special if card_taken in SPECIALS else rules.cost_take)
        case Draw():
            average = sum(_gain_once_laid(table, card, table.hand[card]) for card in BUSINESSES) / len(BUSINESSES)
            return (UNSEEN * average + in_hand) / rules.cost_draw
        case _ as never:
            assert_never(never)
