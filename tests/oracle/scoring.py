"""What a round of scoring gives each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.oracle.terms import ROUNDS


def award(length: int, lengths: Sequence[int]) -> tuple[int, str]:
    """Return income before doubling, and reason, of one row among all rows of its business (itself included)."""
    if len(lengths) == 1:
        return 4, "monopoly"
    longest = max(lengths)
    leaders = lengths.count(longest)
    if length == longest:
        return (3, "longest") if leaders == 1 else (4 // leaders, "shared_longest")
    runners_up = [other for other in lengths if other < longest]
    if leaders > 1 or length < max(runners_up):
        return 0, "none"
    return (1, "second") if runners_up.count(length) == 1 else (0, "shared_second")


def score_round(
    number: int, rows: Sequence[Mapping[str, tuple[int, bool]]], empty: Sequence[int], hands: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the `seats` of `RoundScored` for round `number` (1 to 3).

    By seat: `rows` maps a business to (length, has a risk card), `empty` counts businessmakers without a business
    card, `hands` counts cards in hand; the last two cost only in round 3.
    """
    sheet = []
    for seat, own in enumerate(rows):
        businesses: dict[str, dict[str, Any]] = {}
        for business, (length, doubled) in own.items():
            rivals = [other[business][0] for other in rows if business in other]
            income, reason = award(length, rivals)
            income *= 2 if doubled else 1
            businesses[business] = {"income": income, "reason": reason, "length": length, "doubled": doubled}
        losses = (-2 * empty[seat], -hands[seat]) if number == ROUNDS else (0, 0)
        penalties = dict(zip(("empty_businessmakers", "hand_cards"), losses, strict=True))
        total = sum(line["income"] for line in businesses.values()) + sum(losses)
        sheet.append({"seat": seat, "businesses": businesses, "penalties": penalties, "income": total})
    return sheet
