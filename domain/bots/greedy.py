"""The bot `greedy`: the action with the highest estimated gain for each action point.

A gain is in millions over all scoring rounds to come, estimated from what the seat sees. Costs, incomes and penalties
are those of the game's `Rules`; the constants below are guesses about how the game continues. `shark` and the analysis
expect other seats to play so, too, on the tables that they try out.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from domain.bots.knowledge import Recall
from domain.bots.table import (
    APPEND,
    BUSINESS_KINDS,
    DRAW,
    LAY,
    MULTITALENT_KIND,
    NO_CARD,
    RISK_KIND,
    Table,
    incomes_of,
    move_of,
    read_table,
    rivals_of,
    total,
)
from domain.commands import Action
from domain.rules import Rules

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
_LENGTHS: Final = 24
"""No row is as long."""
_Gains: TypeAlias = tuple[float, ...]
_NOTHING: Final = (0.0,) * _LENGTHS


def choose(view: dict[str, Any], rules: Rules, legal: Sequence[Action], _chance: Random, _recall: Recall) -> Action:
    """The legal action with the highest gain for each action point; the first of several."""
    table = read_table(view, rules)
    table.pile = [NO_CARD] * view["draw_pile"]
    businesses = [row["business"] for row in view["seats"][table.seat]["rows"]]
    moves = [move_of(action, businesses) for action in legal]
    return legal[moves.index(best_move(table, moves, rivals_of(table, table.seat)))]


class _Prospects(NamedTuple):
    """What a seat can gain, in millions over all scoring rounds to come."""

    grown: list[_Gains]
    """For each business, by length: the gain of one more card on the row."""
    doubled: list[_Gains]
    """The same for a risk card."""
    laid: list[Sequence[float]]
    """For each kind, by the number of such cards in hand: the gain of one more once it is laid."""


def play_turn(table: Table) -> None:
    """Play the rest of the turn as `shark@1` expects it."""
    seat, rivals = table.seat, rivals_of(table, table.seat)
    while table.seat == seat and not table.over:
        table.play(best_move(table, table.moves(), rivals, of_shark=True))


def best_move(table: Table, moves: Iterable[int], rivals: list[tuple[int, ...]], *, of_shark: bool = False) -> int:
    """The move of the seat to play with the highest estimated gain for each action point; the first of several.

    `of_shark`: as the answers of `shark@1` have it, which judge businessmakers and new rows a little better.
    """
    rules, hand, lengths = table.rules, table.hands[table.seat], table.lengths[table.seat]
    prospects = _look(table, rivals)
    once = [gains[held] for gains, held in zip(prospects.laid, hand, strict=True)]
    missing = rules.scoring_at[-1] - table.revealed
    # Of whole numbers: machines don't agree on powers of fractions.
    end = min(1.0, (len(table.hands) * CARDS_PER_TURN) ** missing / len(table.pile) ** missing)
    loss = rules.penalty_hand_card * end
    best, chosen = 0.0, -1
    for move in moves:
        if move >= APPEND:
            card, business = divmod(move - APPEND, 16)
            gain = (prospects.doubled if card == RISK_KIND else prospects.grown)[business][lengths[business]]
            gain -= 0 if lengths[business] else rules.penalty_empty_businessmaker * end
            value = (gain - loss) / rules.cost_append
        elif move >= LAY:
            gain = _gain_of_new_row(table, move - LAY, prospects, of_shark=of_shark)
            value = (gain + rules.penalty_empty_businessmaker * end - loss) / rules.cost_lay
        elif move == DRAW:
            value = (UNSEEN * total(once[:BUSINESS_KINDS]) / BUSINESS_KINDS + loss) / rules.cost_draw
        else:
            card = table.display[move]
            cost = rules.cost_take_special if card >= MULTITALENT_KIND else rules.cost_take
            value = (ON_DISPLAY * once[card] + loss) / cost
        if chosen < 0 or value > best:
            best, chosen = value, move
    return chosen


def _look(table: Table, rivals: list[tuple[int, ...]]) -> _Prospects:
    rules, seat = table.rules, table.seat
    lengths, closed = table.lengths[seat], table.closed[seat]
    rounds = sum([count > table.revealed for count in rules.scoring_at])
    gains = [_gains(rules, rounds, lengths) for lengths in rivals]
    grown, doubled = [more for more, _, _ in gains], [risk for _, risk, _ in gains]
    is_open = [business for business in range(BUSINESS_KINDS) if lengths[business] and not closed[business]]
    laid: list[Sequence[float]] = [
        (_NOTHING if closed[business] else grown[business][lengths[business] :]) if lengths[business] else opened
        for business, (_, _, opened) in enumerate(gains)
    ]
    later = float(rounds - 1)  # a special card that fits nowhere yet will fit later, unless the game is nearly over
    for special in (grown, doubled):
        fitting = sorted([special[business][lengths[business]] for business in is_open], reverse=True)
        laid.append([max(gain, later) for gain in fitting] + [later] * _LENGTHS)
    return _Prospects(grown, doubled, laid)


@lru_cache(maxsize=16384)  # called ten times for each move
def _gains(rules: Rules, rounds: int, rivals: tuple[int, ...]) -> tuple[_Gains, _Gains, _Gains]:
    """By length of a row: the gain of one more card on it, of a risk card, of one more card on a new row.

    Rivals are negative where they are closed.
    """
    grown, doubled = [], []
    lengths = tuple(map(abs, rivals))
    for length in range(_LENGTHS):
        before, after = incomes_of(rules, (length, *lengths)), incomes_of(rules, (length + 1, *lengths))
        changes = zip(before[1:], after[1:], rivals, strict=True)
        lost = sum((was - now) * (2 if rival < 0 else 1) for was, now, rival in changes)
        grown.append(rounds * (after[0] - before[0] + HARM * lost) + LENGTH)
        doubled.append(rounds * before[0] * (1 if rounds == 1 else CLOSED_EARLY) - LENGTH)
    return tuple(grown), tuple(doubled), tuple([NEW_ROW * gain for gain in grown])


def _gain_of_new_row(table: Table, businessmaker: int, prospects: _Prospects, *, of_shark: bool) -> float:
    """Gain of another businessmaker: the best new business in hand gets a row; the card itself is lost."""
    seat = table.seat
    hand, lengths, grown = table.hands[seat], table.lengths[seat], prospects.grown
    held = [count - (kind == businessmaker) for kind, count in enumerate(hand)]
    gains = [
        total(grown[business][: held[business]]) - (0 if of_shark else LENGTH * (held[business] - 1))
        for business in range(BUSINESS_KINDS)
        if held[business] and not lengths[business]
    ]
    empty = table.empty[seat]
    best = NEW_ROW * sorted(gains)[-1 - empty] if empty < len(gains) else 0.0
    keeps = of_shark and (businessmaker >= BUSINESS_KINDS or lengths[businessmaker] > 0)
    return best - IN_HAND * prospects.laid[businessmaker][hand[businessmaker] - (not keeps)]
