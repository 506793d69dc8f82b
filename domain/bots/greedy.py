"""The bot `greedy`: the action with the highest estimated gain for each action point.

A gain is in millions over all scoring rounds to come, estimated from what the seat sees. Costs, incomes and penalties
are those of the game's `Rules`; the constants below are guesses about how the game continues. `shark` and the analysis
expect other seats to play so, too, on the tables that they try out.
"""

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from domain.bots.knowledge import Recall
from domain.bots.table import (
    APPEND,
    BUSINESS_KINDS,
    DRAW,
    LAY,
    NO_CARD,
    REIBACH_KIND,
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


def choose(view: dict[str, Any], rules: Rules, legal: Sequence[Action], _chance: Random, _recall: Recall) -> Action:
    """The legal action with the highest gain for each action point; the first of several."""
    table = read_table(view, rules)
    table.pile = [NO_CARD] * view["draw_pile"]
    businesses = [row["business"] for row in view["seats"][table.seat]["rows"]]
    moves = [move_of(action, businesses) for action in legal]
    return legal[moves.index(best_move(table, moves))]


class _Prospects(NamedTuple):
    """What a seat can gain by one business, in millions over all scoring rounds to come."""

    once: float
    """One more such card in hand, once it is laid."""
    grown: float
    """One more card on the row."""
    doubled: float
    """A risk card on it."""
    is_open: bool
    opened: float | None
    """A new row of all such cards in hand; None where there are none, or a row."""
    rest: float | None
    """The same without one of them."""
    kept: float
    """What such a card in hand gains, if it isn't laid as a businessmaker."""


_Look: TypeAlias = Callable[[tuple[int, ...], int, int], _Prospects]


def play_turn(table: Table) -> None:
    """Play the rest of the turn as `shark@1` expects it."""
    seat, hand, moves = table.seat, table.hands[table.seat], [] if table.over else table.moves()
    prospects: list[_Prospects] = []
    while moves:
        if not prospects:
            look, prospects = _look_around(table, of_shark=True)
        move, revealed = _best_of(moves, table, prospects, of_shark=True), table.revealed
        changed = move % 16 if move >= LAY else REIBACH_KIND if move == DRAW else table.display[move]
        moves = table.play(move)
        if move == DRAW or table.revealed != revealed:
            prospects = []
        elif changed < BUSINESS_KINDS:  # the move has changed one business; a look at each takes most of the time
            prospects[changed] = look(table.rows[changed], seat, hand[changed])


def best_move(table: Table, moves: Iterable[int], *, of_shark: bool = False) -> int:
    """The move of the seat to play with the highest estimated gain for each action point; the first of several.

    `of_shark`: as the answers of `shark@1` have it, which judge businessmakers and new rows a little better.
    """
    _, prospects = _look_around(table, of_shark=of_shark)
    return _best_of(moves, table, prospects, of_shark=of_shark)


def _look_around(table: Table, *, of_shark: bool) -> tuple[_Look, list[_Prospects]]:
    """What tells a business's prospects now, and those of each business for the seat to play."""
    look = _look_by(table.rules, _rounds_to_come(table), of_shark)
    return look, list(map(look, table.rows, repeat(table.seat), table.hands[table.seat]))


def _rounds_to_come(table: Table) -> int:
    return len(table.rules.scoring_at) - bisect(table.rules.scoring_at, table.revealed)


def _best_of(moves: Iterable[int], table: Table, prospects: list[_Prospects], *, of_shark: bool) -> int:
    rules, seat = table.rules, table.seat
    hand, lengths = table.hands[seat], table.lengths[seat]
    missing = rules.scoring_at[-1] - table.revealed
    # Of whole numbers: machines don't agree on powers of fractions.
    end = min(1.0, (len(table.hands) * CARDS_PER_TURN) ** missing / len(table.pile) ** missing)
    loss = rules.penalty_hand_card * end
    best, chosen = 0.0, -1
    for move in moves:
        if move >= APPEND:
            business = move % 16
            prospect = prospects[business]
            gain = prospect.doubled if move >= APPEND + 16 * RISK_KIND else prospect.grown
            gain -= 0 if lengths[business] else rules.penalty_empty_businessmaker * end
            value = (gain - loss) / rules.cost_append
        elif move >= LAY:
            # The best new business in hand gets a row; the card itself is lost.
            card, empty = move - LAY, table.empty[seat]
            new = [each.opened for each in prospects if each.opened is not None]
            if card >= BUSINESS_KINDS:
                lost = _once_of_special(table, prospects, card, hand[card] - (not of_shark))
            else:
                prospect = prospects[card]
                lost = prospect.kept
                if prospect.opened is not None:
                    new.remove(prospect.opened)
                if prospect.rest is not None:
                    new.append(prospect.rest)
            new.sort()
            gain = (NEW_ROW * new[-1 - empty] if empty < len(new) else 0.0) - IN_HAND * lost
            value = (gain + rules.penalty_empty_businessmaker * end - loss) / rules.cost_lay
        elif move == DRAW:
            value = (UNSEEN * total([each.once for each in prospects]) / BUSINESS_KINDS + loss) / rules.cost_draw
        elif (card := table.display[move]) < BUSINESS_KINDS:
            value = (ON_DISPLAY * prospects[card].once + loss) / rules.cost_take
        else:
            once = _once_of_special(table, prospects, card, hand[card])
            value = (ON_DISPLAY * once + loss) / rules.cost_take_special
        if chosen < 0 or value > best:
            best, chosen = value, move
    return chosen


def _once_of_special(table: Table, prospects: list[_Prospects], card: int, held: int) -> float:
    """What one more special card gains, once it is laid, where the seat holds so many."""
    fitting = [each.doubled if card == RISK_KIND else each.grown for each in prospects if each.is_open]
    later = _rounds_to_come(table) - 1.0  # one that fits nowhere yet will fit later, unless the game is nearly over
    return max(sorted(fitting)[-1 - held], later) if held < len(fitting) else later


@lru_cache(maxsize=24)  # one for each rule set and round: to hash the rules for each business takes longer
def _look_by(rules: Rules, rounds: int, of_shark: bool) -> _Look:
    """Prospects of a business by the rows of all seats, the seat, and the number of cards in hand."""

    @lru_cache(maxsize=8192)
    def look(row: tuple[int, ...], seat: int, held: int) -> _Prospects:
        length, is_open = abs(row[seat]), row[seat] > 0
        grown, doubled = _gains(rules, rounds, rivals_of(row, seat))
        new = [NEW_ROW * gain for gain in grown]
        laid = grown[length:] if is_open else [0.0] * _LENGTHS if length else new
        opened = [total(grown[:cards]) - (0 if of_shark else LENGTH * (cards - 1)) for cards in (held, held - 1)]
        return _Prospects(
            laid[held],
            grown[length],
            doubled[length],
            is_open,
            opened[0] if held and not length else None,
            opened[1] if held > 1 and not length else None,
            laid[held - (not (of_shark and length))],
        )

    return look


@lru_cache(maxsize=4096)
def _gains(rules: Rules, rounds: int, rivals: tuple[int, ...]) -> tuple[list[float], list[float]]:
    """By length of a row: the gain of one more card on it, and of a risk card. Rivals are negative where closed."""
    grown, doubled = [], []
    lengths = tuple(map(abs, rivals))
    for length in range(_LENGTHS):
        before, after = incomes_of(rules, (length, *lengths)), incomes_of(rules, (length + 1, *lengths))
        changes = zip(before[1:], after[1:], rivals, strict=True)
        lost = sum((was - now) * (2 if rival < 0 else 1) for was, now, rival in changes)
        grown.append(rounds * (after[0] - before[0] + HARM * lost) + LENGTH)
        doubled.append(rounds * before[0] * (1 if rounds == 1 else CLOSED_EARLY) - LENGTH)
    return grown, doubled
