"""How the other seats are expected to play: by the estimates of the bot `greedy`, on a table of numbers."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, NamedTuple, TypeAlias

from domain.bots.greedy import CARDS_PER_TURN, CLOSED_EARLY, HARM, IN_HAND, LENGTH, NEW_ROW, ON_DISPLAY, UNSEEN
from domain.bots.shark.table import (
    APPEND,
    BUSINESS_KINDS,
    DRAW,
    LAY,
    MULTITALENT_KIND,
    RISK_KIND,
    Table,
    incomes_of,
    rivals_of,
    total,
)
from domain.rules import Rules

_LENGTHS: Final = 24
"""No row is as long."""
_Gains: TypeAlias = tuple[float, ...]


class _Prospects(NamedTuple):
    """What a seat can gain, in millions over all scoring rounds to come."""

    grown: list[_Gains]
    """For each business, by length: the gain of one more card on the row."""
    multitalents: list[tuple[float, int]]
    risks: list[tuple[float, int]]
    """Gains of a special card with the row's business, the highest first."""
    once: list[float]
    """For each kind: the gain of one more card in hand once it is laid."""


def play_turn(table: Table) -> None:
    """Play the rest of the turn by replies."""
    seat, rivals = table.seat, rivals_of(table, table.seat)
    while table.seat == seat and not table.over:
        table.play(reply(table, rivals))


def reply(table: Table, rivals: list[tuple[int, ...]] | None = None) -> int:
    """The move of the seat to play with the highest estimated gain for each action point; `rivals`, if known."""
    rules, seat = table.rules, table.seat
    lengths = table.lengths[seat]
    prospects = _look(table, rivals or rivals_of(table, seat))
    missing = rules.scoring_at[-1] - table.revealed
    # Of whole numbers: machines don't agree on powers of fractions.
    end = min(1.0, (len(table.hands) * CARDS_PER_TURN) ** missing / len(table.pile) ** missing)
    loss = rules.penalty_hand_card * end
    best, chosen = 0.0, -1
    for move in table.moves():
        if move >= APPEND:
            card, business = divmod(move - APPEND, 16)
            if card == RISK_KIND:
                gain = next(gain for gain, of in prospects.risks if of == business)
            else:
                gain = prospects.grown[business][lengths[business]]
                gain -= 0 if lengths[business] else rules.penalty_empty_businessmaker * end
            value = (gain - loss) / rules.cost_append
        elif move >= LAY:
            gain = _gain_of_new_row(table, move - LAY, prospects)
            value = (gain + rules.penalty_empty_businessmaker * end - loss) / rules.cost_lay
        elif move == DRAW:
            value = (UNSEEN * total(prospects.once[:BUSINESS_KINDS]) / BUSINESS_KINDS + loss) / rules.cost_draw
        else:
            card = table.display[move]
            cost = rules.cost_take_special if card >= MULTITALENT_KIND else rules.cost_take
            value = (ON_DISPLAY * prospects.once[card] + loss) / cost
        if chosen < 0 or value > best:
            best, chosen = value, move
    return chosen


def _look(table: Table, rivals: list[tuple[int, ...]]) -> _Prospects:
    rules, seat = table.rules, table.seat
    hand, lengths, closed = table.hands[seat], table.lengths[seat], table.closed[seat]
    rounds = sum([count > table.revealed for count in rules.scoring_at])
    find = _gains_under(rules)
    gains = [find(rounds, lengths) for lengths in rivals]
    grown = [more for more, _ in gains]
    is_open = [business for business in range(BUSINESS_KINDS) if lengths[business] and not closed[business]]
    multitalents = sorted([(grown[business][lengths[business]], business) for business in is_open], reverse=True)
    risks = sorted([(gains[business][1][lengths[business]], business) for business in is_open], reverse=True)
    once = [
        (0.0 if closed[business] else grown[business][lengths[business] + hand[business]])
        if lengths[business]
        else NEW_ROW * grown[business][hand[business]]
        for business in range(BUSINESS_KINDS)
    ]
    for kind, fitting in ((MULTITALENT_KIND, multitalents), (RISK_KIND, risks)):
        held = hand[kind]
        once.append(max(fitting[held][0] if held < len(fitting) else 0.0, rounds - 1))
    return _Prospects(grown, multitalents, risks, once)


@lru_cache(maxsize=16)  # ten gains are looked up for each move, and a rule set takes long to hash
def _gains_under(rules: Rules) -> Callable[[int, tuple[int, ...]], tuple[_Gains, _Gains]]:
    return lru_cache(maxsize=16384)(partial(_gains, rules))


def _gains(rules: Rules, rounds: int, rivals: tuple[int, ...]) -> tuple[_Gains, _Gains]:
    """By length of a row: the gain of one more card on it, and that of a risk card; rivals negative where closed."""
    grown, doubled = [], []
    lengths = tuple(map(abs, rivals))
    for length in range(_LENGTHS):
        before, after = incomes_of(rules, (length, *lengths)), incomes_of(rules, (length + 1, *lengths))
        changes = zip(before[1:], after[1:], rivals, strict=True)
        lost = sum((was - now) * (2 if rival < 0 else 1) for was, now, rival in changes)
        grown.append(rounds * (after[0] - before[0] + HARM * lost) + LENGTH)
        doubled.append(rounds * before[0] * (1 if rounds == 1 else CLOSED_EARLY) - LENGTH)
    return tuple(grown), tuple(doubled)


def _gain_of_new_row(table: Table, businessmaker: int, prospects: _Prospects) -> float:
    """Gain of another businessmaker: the best new business in hand gets a row; the card itself is lost."""
    seat = table.seat
    hand, lengths, grown = table.hands[seat], table.lengths[seat], prospects.grown
    gains = [
        total(grown[business][: hand[business] - (business == businessmaker)])
        for business in range(BUSINESS_KINDS)
        if hand[business] > (business == businessmaker) and not lengths[business]
    ]
    empty = table.empty[seat]
    best = NEW_ROW * sorted(gains)[-1 - empty] if empty < len(gains) else 0.0
    if businessmaker < BUSINESS_KINDS and not lengths[businessmaker]:
        return best - IN_HAND * NEW_ROW * grown[businessmaker][hand[businessmaker] - 1]
    return best - IN_HAND * prospects.once[businessmaker]
