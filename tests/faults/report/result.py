"""What a row of the report says, and the document of all rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

HOLDS, FAILS, NOT_RUN, NOT_APPLICABLE = "holds", "**FAILS**", "not run", "n/a"
_MOST: Final = 3
"""Faults of a row that the document names; it counts the others."""


class NotRun(Exception):
    """This machine lacks what a row needs; the message says what."""


class NotApplicable(Exception):
    """There is nothing in the service that the row could fail; the message says why."""


@dataclass
class Outcome:
    """What a row has seen. Numbers that it has no use for stay None."""

    how: str = ""
    """How the fault was made, with its numbers."""
    acknowledged: int | None = None
    lost: int | None = None
    doubled: int | None = None
    torn: int | None = None
    recovery: float | None = None
    """Seconds until the service accepted requests again, the longest of all times."""
    store: str = ""
    """Name and version."""
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Why the row fails; none: it holds."""

    def need(self, holds: object, fault: str) -> None:
        """Fail the row, for this reason, unless it holds."""
        if not holds:
            self.faults.append(fault)


@dataclass(frozen=True)
class Result:
    """A row of the report."""

    row: str
    fault: str
    seed: int
    verdict: str
    outcome: Outcome
    seconds: float

    def cells(self) -> list[str]:
        """Of the table."""
        seen = self.outcome
        recovery = "" if seen.recovery is None else f"{seen.recovery:.1f} s"
        numbers = [_number(number) for number in (seen.acknowledged, seen.lost, seen.doubled, seen.torn)]
        return [self.row, self.fault, seen.how, str(self.seed), *numbers, recovery, seen.store, self.verdict]

    def remarks(self) -> list[str]:
        """What the table has no column for."""
        more = len(self.outcome.faults) - _MOST
        return [*self.outcome.notes, *self.outcome.faults[:_MOST], *([f"and {more} more"] if more > 0 else [])]


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


COLUMNS: Final = (
    ("row", "fault", "how it was made", "seed", "acknowledged", "lost", "doubled", "torn")
    + ("recovery", "store", "verdict")
)  # fmt: skip


def table_lines(results: Iterable[Result]) -> list[str]:
    """The table in Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    return lines + [f"| {' | '.join(cell.replace('|', '/') for cell in one.cells())} |" for one in results]


def document(results: Sequence[Result], preface: Sequence[str], again: Sequence[str]) -> str:
    """The whole document: a preface, the table, remarks, and how to run it again."""
    counts = {verdict: sum(one.verdict == verdict for one in results) for verdict in (HOLDS, FAILS, NOT_RUN)}
    remarks = [f"- {one.row}: {'; '.join(one.remarks())}." for one in results if one.remarks()]
    said = f"{counts[HOLDS]} rows hold, {counts[FAILS]} fail, {counts[NOT_RUN]} were not run."
    parts = [*preface, "", said, "", *table_lines(results), "", "## Remarks", "", *remarks, "", *again, ""]
    return "\n".join(parts)
