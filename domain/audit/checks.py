"""The audit: what anyone can check on a whole log, without trusting its keeper (contract 2, 4, 5).

Rule 1: pure. It takes the events as exported, redacted or not, whatever is wrong with them, and never raises.
Rule 2: a check that fails names the first offending version and what was expected there.
Rule 3: before the game is over no detail holds more than a check's name and a version; `expected` would reveal cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.chain import Offence, first_break
from domain.audit.compare import same
from domain.audit.evidence import Evidence, evidence_of
from domain.audit.opening import Opening, read_opening
from domain.audit.parent import Comparison, compare_with_parent
from domain.audit.rules import PassedOver, passed_over
from domain.audit.referee import Deal, Judgement, judge
from domain.audit.served import Served, served_fault
from domain.audit.totals import check_totals
from domain.events import GameStarted, payload_of
from domain.fairness.canonical import canonical_json
from domain.fairness.shuffle import commitment_to

CHECKS: Final = ("chain", "commitment", "shuffle", "rules", "scoring", "projection")
CONSISTENCY: Final = "Without a receipt kept outside the log this proves consistency only."


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
    """What of the log the rules of this release can't judge."""
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


@dataclass(frozen=True, slots=True)
class _Finding:
    """The outcome of one check before it is put into words; `good_detail` is for a check that doesn't fail."""

    name: str
    offence: Offence | None
    good_detail: str = ""
    possible: bool = True
    """Whether the check could be made as far as the log goes."""
    open_detail: str = "This log can't show it."
    """For a check that couldn't."""


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
    rest = events[len(evidence.events) :]
    over = opening.end > 0 or any(isinstance(event, dict) and event.get("type") == "GameEnded" for event in rest)
    judgement = judge(evidence, opening)
    comparison = None if parent is None else compare_with_parent(evidence, opening, parent)
    opened = over or open_cards
    skipped = passed_over(evidence.events)
    findings = [
        _chain(events, evidence, stored),
        _commitment(evidence, opening) if opened else _Finding("commitment", None, possible=False),
        _shuffle(evidence, judgement.deal) if opened else _Finding("shuffle", None, possible=False),
        _rules(len(events), evidence, judgement, comparison, skipped),
        *_totals(len(events), evidence, judgement, served),
    ]
    checks = [_check(finding, len(events), over=over) for finding in findings]
    agreeing = comparison.words if comparison and comparison.offence is None else None
    return Audit(len(events), over, judgement.game.parent is not None, agreeing, skipped, checks)


def _check(finding: _Finding, last: int, *, over: bool) -> Check:
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


def _chain(events: Sequence[Any], evidence: Evidence, stored: Offence | None) -> _Finding:
    if evidence.events or not events:
        broken = first_break(events, evidence.seed)
    else:
        broken = Offence(1, "GameCreated with a server_seed of 64 hex digits")
    offence = min((found for found in (broken, stored) if found), default=None)
    good = f"All {len(events)} hashes follow from the published seed. {CONSISTENCY}"
    return _Finding("chain", offence, good, possible=evidence.seed is not None)


def _commitment(evidence: Evidence, opening: Opening) -> _Finding:
    if not evidence.events:
        return _Finding("commitment", None, possible=False)
    offence = None
    if evidence.seed is None:
        offence = Offence(1, "GameCreated with the seed, which is published when the game is over")
    elif opening.created.get("commitment") != (expected := commitment_to(bytes.fromhex(evidence.seed))):
        offence = Offence(1, f"commitment {expected}")
    # The seed of a finished game is known to anyone who copies it.
    inherited = "It was public before this game began: it is the parent's."
    binding = inherited if opening.forked and opening.copied else _binding(evidence, opening)
    return _Finding("commitment", offence, f"The published seed is the one committed to. {binding}")


def _binding(evidence: Evidence, opening: Opening) -> str:
    """Whose entropy the server could not know when it drew the seed."""
    joined = [event["data"] for event in evidence.events if event["type"] == "PlayerJoined"]
    late = [data for data in joined[len(opening.joined) :] if type(data.get("seat")) is int]
    if not late:
        return "All seats were taken when the game was created, so no player's entropy binds the server."
    silent = [data["seat"] for data in late if data.get("entropy") == ""]
    words = f"These seats were taken after the seed was drawn: {_seats(data['seat'] for data in late)}."
    if not silent:
        return f"{words} Their players' entropy binds the server."
    if len(silent) == len(late):
        return f"{words} Their players gave no entropy, so nothing binds the server."
    return f"{words} Their players' entropy binds the server, except for {_seats(silent)}: none was given there."


def _seats(seats: Any) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


def _shuffle(evidence: Evidence, deal: Deal | None) -> _Finding:
    if evidence.seed is None or deal is None:
        return _Finding("shuffle", None, possible=False)
    if isinstance(deal.expected, GameStarted):
        hidden = "The deal follows"
    else:
        hidden = f"All cards that seat {deal.expected.seat} could not see follow"
    dealt, members = evidence.events[deal.version - 1]["data"], payload_of(deal.expected)
    wrong = [name for name, value in members.items() if not same(dealt.get(name), value)]
    offence = None
    if wrong:
        offence = Offence(deal.version, f"{wrong[0]} {canonical_json(members[wrong[0]]).decode()}")
    elif len(dealt) != len(members):
        offence = Offence(deal.version, f"{', '.join(members)} alone")
    return _Finding("shuffle", offence, f"{hidden} from the seed and the entropy of every seat.")


def _rules(
    last: int, evidence: Evidence, judgement: Judgement, comparison: Comparison | None, skipped: PassedOver
) -> _Finding:
    offence = judgement.offence
    if offence is None and len(evidence.events) < last:
        offence = Offence(len(evidence.events) + 1, "an event with a type and data")
    if comparison is not None:
        offence = min((found for found in (offence, comparison.offence) if found), default=None)
    good = f"Every {'other ' * bool(skipped.words)}event is what the rules cause."
    if judgement.game.parent is not None:
        # The same words with and without the parent: an imported game answers as it did at its source (contract 7).
        good += " What a fork took over from its parent is compared with the parent's log where that is at hand."
    if skipped.words:
        good += f" {skipped.words}"
    return _Finding("rules", offence, good, possible=skipped.is_judged, open_detail=good)


def _totals(last: int, evidence: Evidence, judgement: Judgement, served: Served | None) -> tuple[_Finding, _Finding]:
    """The checks `scoring` and `projection`."""
    scored = "Rounds, totals and winners are what the rows give."
    added = "All totals are the sums of their incomes"
    whole = len(evidence.events) == last
    if judgement.offence is None and whole:
        # Decided again, every round was scored anew, and is the same.
        fault = None if served is None else served_fault(served, judgement.game, evidence.events[-1].get("hash"))
        good = f"{added}; the view and the scores as served follow from the log." if served else f"{added}."
        return _Finding("scoring", None, scored), _Finding("projection", fault, good)
    found = check_totals(evidence)
    possible, fault = found.complete and whole, found.totals
    if fault is None and served is not None and possible and evidence.events:
        fault = served_fault(served, found.game, evidence.events[-1].get("hash"))
    return _Finding("scoring", found.scoring, scored, possible), _Finding("projection", fault, f"{added}.", possible)
