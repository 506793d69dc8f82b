"""What a row of the report says."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

HOLDS, FAILS, NOT_RUN = "holds", "**FAILS**", "not run"
_MOST: Final = 3
"""Faults of a row that the document names; it counts the others."""


class NotRun(Exception):
    """This machine lacks what a row needs; the message says what."""


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
    made: str = ""
    """When, and of which commit."""

    def cells(self) -> list[str]:
        """Of the table."""
        seen = self.outcome
        recovery = "" if seen.recovery is None else f"{seen.recovery:.1f} s"
        numbers = [_number(number) for number in (seen.acknowledged, seen.lost, seen.doubled, seen.torn)]
        return [self.row, self.fault, seen.how, *numbers, recovery, self.verdict]

    def remarks(self) -> list[str]:
        """What the table has no column for."""
        more = len(self.outcome.faults) - _MOST
        remarks = [*self.outcome.notes, *self.outcome.faults[:_MOST], *([f"and {more} more"] if more > 0 else [])]
        return [" ".join(remark.split()) for remark in remarks]


@dataclass(frozen=True)
class PlantedFault:
    """A fault that was planted, and what the verifier says of it."""

    name: str
    kind: str
    """The kind of fault that must be reported."""
    reports: list[str]
    """Those of this kind; none: the fault was missed."""

    def cells(self) -> list[str]:
        """Of the table."""
        return [self.name, self.kind, _number(len(self.reports)), self.reports[0] if self.reports else "**MISSED**"]


def keep_result(path: Path, result: Result) -> None:
    """Add a row's result to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def kept_results(path: Path) -> Iterator[Result]:
    """All results in a file; none where it is missing."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        content = json.loads(line)
        yield Result(**content | {"outcome": Outcome(**content["outcome"])})


def _number(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
