"""The scoring rounds: pure functions of the rows (rules, "Scoring, business by business")."""

from collections.abc import Sequence
from typing import Any, Final

from domain.cards import BUSINESSES, Business
from domain.rules import Rules
from domain.state import Row, Seat

INCOME_REASONS: Final = ("monopoly", "longest", "shared_longest", "second", "shared_second", "none")
"""Why a row earns what it earns. The store keeps the index: never reorder them."""


def award(rules: Rules, lengths: dict[int, int]) -> dict[int, tuple[int, str]]:
    """Income (before doubling) and reason of each seat with a row of one business; `lengths`: seat -> 1 or more."""
    if len(lengths) == 1:
        return dict.fromkeys(lengths, (rules.income_monopoly, "monopoly"))
    ranked = sorted(set(lengths.values()), reverse=True)
    first = [seat for seat, length in lengths.items() if length == ranked[0]]
    second = [seat for seat, length in lengths.items() if len(ranked) > 1 and length == ranked[1]]
    awards = dict.fromkeys(lengths, (0, "none"))
    if len(first) > 1:
        # After a tie for longest no row is second.
        awards |= dict.fromkeys(first, (rules.income_shared // len(first), "shared_longest"))
        return awards
    awards |= dict.fromkeys(first, (rules.income_longest, "longest"))
    awards |= dict.fromkeys(second, (rules.income_second, "second") if len(second) == 1 else (0, "shared_second"))
    return awards


def score(rules: Rules, seats: Sequence[Seat], round_number: int) -> list[dict[str, Any]]:
    """One scoring round, seat by seat, in the shape of the contract's `/scores`.

    The last round also brings the losses: for businessmakers without a business card and for cards left in hand.
    """
    rows = [{row.business: row for row in seat.rows if row.business is not None} for seat in seats]
    awards: dict[Business, dict[int, tuple[int, str]]] = {}
    for business in BUSINESSES:
        if lengths := {seat: by[business].length for seat, by in enumerate(rows) if business in by}:
            awards[business] = award(rules, lengths)
    final = round_number == len(rules.scoring_at)
    return [_score_seat(seat, place, rows[seat], awards, rules if final else None) for seat, place in enumerate(seats)]


def _score_seat(
    seat: int,
    place: Seat,
    rows: dict[Business, Row],
    awards: dict[Business, dict[int, tuple[int, str]]],
    losses: Rules | None,
) -> dict[str, Any]:
    businesses: dict[Business, dict[str, Any]] = {}
    for business in (business for business in BUSINESSES if business in rows):
        income, reason = awards[business][seat]
        row = rows[business]
        # Ruling 9: the award is doubled after a shared one was rounded down.
        income *= 2 if row.closed else 1
        businesses[business] = {"income": income, "reason": reason, "length": row.length, "doubled": row.closed}
    empty = sum(row.business is None for row in place.rows)
    penalties = {
        "empty_businessmakers": losses.penalty_empty_businessmaker * empty if losses else 0,
        "hand_cards": losses.penalty_hand_card * len(place.hand) if losses else 0,
    }
    income = sum(business["income"] for business in businesses.values()) + sum(penalties.values())
    return {"seat": seat, "businesses": businesses, "penalties": penalties, "income": income}


def winners_of(totals: Sequence[int]) -> list[int]:
    """The seats with the most money; several when they tie (ruling 4)."""
    return [seat for seat, total in enumerate(totals) if total == max(totals)]
