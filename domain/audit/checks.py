"""The audit: what anyone can check on a whole log, without trusting its keeper (contract 2, 4, 5).

Rule 1: pure. It takes the events as exported, redacted or not, whatever is wrong with them, and never raises.
Rule 2: a check that fails names the first offending version and what was expected there.
Rule 3: before the game is over no detail holds more than a check's name and a version; `expected` would reveal cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.chain import check_chain
from domain.audit.evidence import evidence_of
from domain.audit.findings import Finding, Offence
from domain.audit.judging.referee import judge
from domain.audit.opening import read_opening
from domain.audit.parent import compare_with_parent
from domain.audit.rules import PassedOver, check_rules, passed_over
from domain.audit.seed import check_commitment, check_shuffle
from domain.audit.totals import Served, check_totals
from domain.events import ENDS

CHECKS: Final = ("chain", "commitment", "shuffle", "rules", "scoring", "projection")


@dataclass(frozen=True, slots=True)
class Check:
    """One of the six checks."""

    name: str
    ok: bool | None
    """None where it can't be shown, or not yet."""
    version: int
    """The first offending one where it fails, otherwise the last that was checked."""
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found on a log."""

    version: int
    """The log's last."""
    over: bool
    """Whether the log says that the game has ended."""
    fork: bool
    """Whether the log says that the game is a fork."""
    comparison: str | None
    """What agrees between a fork's log and its parent's; None where they were not compared, or differ."""
    passed_over: PassedOver
    """The events of the log that the rules of this release don't judge."""
    checks: list[Check]
    """One for each of CHECKS, in that order."""

    @property
    def needs_parent(self) -> bool:
        """Whether what a fork took over was not checked, because its parent's log was not given."""
        return self.fork and self.comparison is None and self.ok

    @property
    def ok(self) -> bool:
        """Whether no check fails."""
        return all(check.ok is not False for check in self.checks)

    @property
    def first_offence(self) -> Check | None:
        """The failing check with the lowest version."""
        failing = [check for check in self.checks if check.ok is False]
        return min(failing, key=lambda check: check.version, default=None)

    def to_json(self) -> dict[str, Any]:
        """In the contract's shape."""
        checks = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in self.checks]
        return {"ok": self.ok, "version": self.version, "checks": checks}


def audit(
    events: Sequence[Any],
    *,
    stored: Offence | None = None,
    served: Served | None = None,
    parent: Sequence[Any] | None = None,
    open_cards: bool = False,
) -> Audit:
    """All six checks on a log from its first event on.

    `stored`: what a store's own record of the hashes (check of an entry, header) contradicts first; `served`: what a
    service serves of the game; `parent`: the log of the game that this is a fork of, redacted or not; `open_cards`:
    check seed and shuffle before the end, too, for a caller who holds the log with all that is hidden.
    """
    evidence = evidence_of(events)
    opening = read_opening(evidence.events)
    judgement = judge(evidence, opening)
    comparison = None if parent is None else compare_with_parent(evidence, opening, parent)
    skipped = passed_over(evidence.events)
    last = len(events)
    rest = events[len(evidence.events) :]
    over = opening.end > 0 or any(isinstance(event, dict) and event.get("type") in tuple(ENDS) for event in rest)
    opened = over or open_cards
    findings = (
        check_chain(events, evidence, stored),
        check_commitment(evidence, opening) if opened else Finding("commitment", None, possible=False),
        check_shuffle(judgement.deal if opened else None),
        check_rules(last, evidence, judgement, comparison, skipped),
        *check_totals(last, evidence, judgement, served),
    )
    checks = [_word(finding, last, over=over) for finding in findings]
    agreeing = comparison.words if comparison and comparison.offence is None else None
    return Audit(last, over, judgement.game.parent is not None, agreeing, skipped, checks)


def _word(finding: Finding, last: int, *, over: bool) -> Check:
    offence = finding.offence
    ok = False if offence else True if finding.possible else None
    version = offence.version if offence else last
    if not over:
        detail = f"{finding.name}: version {version}"
    elif offence:
        detail = f"Version {version}: expected {offence.expected}."
    else:
        detail = finding.good_detail if finding.possible else finding.open_detail
    return Check(finding.name, ok, version, detail)
