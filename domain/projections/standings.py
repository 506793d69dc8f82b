"""What the next scoring round would bring if it came now: the race for each business."""

from typing import Any

from domain.cards import BUSINESSES
from domain.fairness.canonical import JsonObject
from domain.scoring import score
from domain.state import Game, Seat


def score_now(game: Game) -> JsonObject:
    """The next scoring round on the table as it lies, by the rules' own scoring, in the shape of `…/scores/now`.

    Rule: it is made of what lies open to all: the rows without their businessmakers, and the sizes of the hands.
    When no round can come any more, `round` is None, there are no businesses, and every income is 0.
    """
    number = len(game.rounds) + 1
    is_due = number <= len(game.rules.scoring_at) and not game.over
    places = game.seats if is_due else [Seat() for _ in game.seats]
    scored = score(game.rules, places, number)
    seats = [
        {name: seat[name] for name in ("seat", "penalties", "income")} | {"total": place.total + seat["income"]}
        for seat, place in zip(scored, game.seats, strict=True)
    ]
    return {"version": game.version, "round": number if is_due else None, "businesses": _race(scored), "seats": seats}


def _race(scored: list[dict[str, Any]]) -> list[JsonObject]:
    """For each business that has a row: its rows, the longest first, equal ones in the order of the seats."""
    race: list[JsonObject] = []
    for business in BUSINESSES:
        rows: list[dict[str, Any]] = [
            {"seat": seat["seat"], **seat["businesses"][business]} for seat in scored if business in seat["businesses"]
        ]
        if rows:
            race.append({"business": business, "rows": sorted(rows, key=lambda row: -row["length"])})
    return race
