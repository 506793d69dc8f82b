"""Why the best turn is better than the played one: a code of a few, each with a sentence in `pages_replay.toml`."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from domain.bots.table import APPEND, BUSINESS_KINDS, DRAW, LAY, Table, incomes_of
from domain.cards import HAND_CARDS

CODES: Final = (
    "close", "monopoly", "risk", "early", "losses", "double", "opens", "tie", "longer", "leader", "rival",
    "takes", "away", "wastes", "draws", "blind", "keeps", "later",
)  # fmt: skip
_Reason: TypeAlias = dict[str, Any]
_KINDS: Final = range(BUSINESS_KINDS)


def reason_of(before: Table, played: Sequence[int], best: Sequence[int]) -> _Reason:
    """Code and what its sentence names: business, `other` one, card, seat. The turns are as far as they were known."""
    after, better = before.copy(), before.copy()
    for table, moves in ((after, played), (better, best)):
        for move in moves:
            table.make(move)
    return next(_reasons_of_rows(before, after, better), None) or next(_reasons_of_cards(before, better, played, best))


def _reasons_of_rows(before: Table, after: Table, better: Table) -> Iterator[_Reason]:
    """First what is seldom good, then what the next scoring round would bring."""
    seat, rules, rivals = before.seat, before.rules, len(before.hands) - 1
    for kind, row in enumerate(before.rows):
        if any(row) and row[seat] == sum(row) and after.lengths[seat][kind] > better.lengths[seat][kind]:
            yield {"code": "monopoly", "business": HAND_CARDS[kind]}
    is_last = len(rules.scoring_at) - bisect(rules.scoring_at, before.revealed) == 1
    closed = [HAND_CARDS[kind] for kind in _KINDS if after.closed[seat][kind] > better.closed[seat][kind]]
    doubled = [HAND_CARDS[kind] for kind in _KINDS if after.closed[seat][kind] < better.closed[seat][kind]]
    if closed and doubled:
        yield {"code": "risk", "business": closed[0], "other": doubled[0]}
    if closed and not is_last:
        yield {"code": "early", "business": closed[0]}
    pairs = [(_incomes(better, kind), _incomes(after, kind)) for kind in _KINDS]
    changes = [[new - old for new, old in zip(*pair, strict=True)] for pair in pairs]
    ahead = [change[seat] * (rivals + 1) - sum(change) for change in changes]
    most, kept = ahead.index(max(ahead)), sum(better.hands[seat]) - sum(after.hands[seat])
    empty = better.empty[seat] - after.empty[seat]
    saved = rules.penalty_empty_businessmaker * empty + rules.penalty_hand_card * kept
    if is_last and saved > 0 and saved * rivals >= ahead[most]:
        yield {"code": "losses"}
    if ahead[most] > 0:
        yield _income_reason(before, after, better, most, changes[most])


def _income_reason(before: Table, after: Table, better: Table, kind: int, change: Sequence[int]) -> _Reason:
    """The most special one that is true: a risk card on a row of which the length earns more, too, comes second."""
    business, loser, rivals = HAND_CARDS[kind], change.index(min(change)), list(map(abs, after.rows[kind]))
    length = rivals.pop(before.seat)
    if -change[loser] > change[before.seat]:
        incomes = zip(*(_incomes(before, each) for each in _KINDS), strict=True)
        standings = [money + sum(income) for money, income in zip(before.totals, incomes, strict=True)]
        code = "leader" if standings[loser] == max(standings) else "rival"
        return {"code": code, "business": business, "seat": loser}
    is_doubled = better.closed[before.seat][kind] > after.closed[before.seat][kind]
    is_longer = better.lengths[before.seat][kind] > length
    by_length = "tie" if is_longer and length == max(rivals) else "double" if is_doubled else "longer"
    return {"code": by_length if length or any(rivals) else "opens", "business": business}


def _reasons_of_cards(before: Table, better: Table, played: Sequence[int], best: Sequence[int]) -> Iterator[_Reason]:
    """Which cards the turns take, lay or keep, where neither earns more at the next scoring round."""
    taken = [before.display[move] for move in best if move < DRAW and move not in played]
    gains = [(card, _gains(better, card)) for card in taken if card < BUSINESS_KINDS]
    earning = [card for card, gain in gains if gain[before.seat] > 0 and LAY + card not in best]  # face down it doesn't
    yield from ({"code": "takes", "card": HAND_CARDS[card]} for card in earning)
    wasted = [move - LAY for move in played if LAY <= move < APPEND and move not in best]
    yield from ({"code": "wastes", "card": HAND_CARDS[card]} for card in wasted)
    if (DRAW in played) != (DRAW in best):
        yield {"code": "draws" if DRAW in played else "blind"}
    of_rivals = [(card, [*gain[: before.seat], 0, *gain[before.seat + 1 :]]) for card, gain in gains]
    needed = [(card, gain.index(max(gain))) for card, gain in of_rivals if max(gain) > 0]
    yield from ({"code": "away", "card": HAND_CARDS[card], "seat": rival} for card, rival in needed)
    laid = [(move - APPEND) // 16 for move in played if move >= APPEND and move not in best]
    kept = [card for card in laid if better.hands[before.seat][card]]
    yield from ({"code": "keeps", "card": HAND_CARDS[card]} for card in kept)
    yield {"code": "later"}


def _incomes(table: Table, business: int) -> list[int]:
    """Of each seat, in a scoring round that comes now."""
    row = table.rows[business]
    incomes = incomes_of(table.rules, tuple(map(abs, row)))
    return [income * (2 if length < 0 else 1) for income, length in zip(incomes, row, strict=True)]


def _gains(table: Table, card: int) -> list[int]:
    """What one more card on its row would earn each seat in the next scoring round."""
    lengths, is_open = [abs(length) for length in table.rows[card]], [length >= 0 for length in table.rows[card]]
    longer = [(*lengths[:seat], lengths[seat] + is_open[seat], *lengths[seat + 1 :]) for seat in range(len(lengths))]
    now = incomes_of(table.rules, tuple(lengths))
    return [incomes_of(table.rules, after)[seat] - now[seat] for seat, after in enumerate(longer)]
