"""The page of the rules. Its examples are scored by the rules that games are played with."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from domain.cards import BUSINESSES, Business
from domain.rules import NEWEST
from domain.scoring import score
from domain.state import Row, Seat
from service.api.protocol.routing import RouteTable
from service.web.examples import EXAMPLE_PLAYERS, EXAMPLE_ROW
from service.web.frame import Page, respond_fixed

routes: Final = RouteTable()

_COSTS: Final = {
    "take": NEWEST.cost_take,
    "draw": NEWEST.cost_draw,
    "lay_businessmaker": NEWEST.cost_lay,
    "append": NEWEST.cost_append,
}
_SECOND_ROUND: Final = 2


class ExampleLine(NamedTuple):
    """A line of the example: a row, and what it earns."""

    business: Business
    player: str
    row: Row
    income: int
    """In millions."""
    reason: str


def _entries() -> Iterator[ExampleLine]:
    """The lines by business, in the canonical order."""
    scored = score(NEWEST, [Seat(rows=rows) for rows in EXAMPLE_PLAYERS.values()], _SECOND_ROUND)
    for business in BUSINESSES:
        for (player, rows), seat in zip(EXAMPLE_PLAYERS.items(), scored, strict=True):
            for row in rows:
                if row.business == business:
                    result = seat["businesses"][business]
                    yield ExampleLine(business, player, row, result["income"], result["reason"])


def _values() -> dict[str, Any]:
    entries = list(_entries())
    return {
        "businesses": BUSINESSES,
        "costs": _COSTS,
        "scorings": NEWEST.scoring_at,
        "example_row": EXAMPLE_ROW,
        "example": [(business, list(group)) for business, group in groupby(entries, attrgetter("business"))],
        "incomes": [
            (player, sum(entry.income for entry in entries if entry.player == player)) for player in EXAMPLE_PLAYERS
        ],
    }


_RULES: Final = Page("rules.html", "/rules", "rulespage.js", shows_cards=True)
_VALUES: Final = _values()
routes.serve("/rules", lambda: respond_fixed(_RULES, **_VALUES))
