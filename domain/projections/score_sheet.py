"""The score sheet in the layout of the printed one: businesses down, players and their rounds across."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from domain.cards import BUSINESSES

ROUNDS: Final = (1, 2, 3)


class Cell(NamedTuple):
    """A player's amount for one line and round, in millions."""

    income: int
    doubled: bool = False
    """By a risk card; `income` is the doubled amount."""


class Line(NamedTuple):
    name: str
    """A business, `losses` or `income`."""
    seats: list[list[Cell | None]]
    """Seat -> a cell for each round; None for an empty one."""

    def sum_seats(self) -> list[int | None]:
        """Each seat's sum over the rounds; None where its cells are empty."""
        incomes = [[cell.income for cell in cells if cell] for cells in self.seats]
        return [sum(some) if some else None for some in incomes]


def lay_out(scores: dict[str, Any]) -> list[Line]:
    """A line for each business, `losses` (of the last round) and `income`; `scores`: in the contract's shape."""
    rounds = {done["round"]: done["seats"] for done in scores["rounds"]}
    seats = range(len(scores["totals"]))

    def line(name: str) -> Line:
        return Line(name, [[_make_cell(name, number, rounds, seat) for number in ROUNDS] for seat in seats])

    return [line(name) for name in (*BUSINESSES, "losses", "income")]


def has_doubled(lines: Iterable[Line]) -> bool:
    return any(cell and cell.doubled for line in lines for cells in line.seats for cell in cells)


def _make_cell(name: str, number: int, rounds: dict[int, Sequence[dict[str, Any]]], seat: int) -> Cell | None:
    if number not in rounds:
        return None
    score = rounds[number][seat]
    if name == "income":
        return Cell(score["income"])
    if name == "losses":
        return Cell(sum(score["penalties"].values())) if number == ROUNDS[-1] else None
    business = score["businesses"].get(name)
    return Cell(business["income"], business["doubled"]) if business else None
