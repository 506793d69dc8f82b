"""The audit: what anyone can check on a whole log, without trusting its keeper (contract 2, 4, 5).

Rule 1: pure. It takes the events as exported, redacted or not, whatever is wrong with them, and never raises.
Rule 2: a check that fails names the first offending version and what was expected there.
Rule 3: before the game is over no detail holds more than a check's name and a version; `expected` would reveal cards.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domain.audit.chain import check_chain
from domain.audit.evidence import Evidence, evidence_of, readable
from domain.audit.findings import Finding, Offence, Served, first_of, quote
from domain.audit.opening import Opening, read_opening
from domain.audit.parent import Comparison, compare_with_parent
from domain.audit.referee import DealCheck, Judgement, judge
from domain.audit.totals import check_totals
from domain.erasure import is_erased
from domain.events import ENDS, FIELDS, OF_PEOPLE, EventRecord
from domain.fairness.shuffle import commitment_to
from domain.state import Game

_MOST_NAMED: Final = 5
"""Types that are named; of more only the number is given."""
CHECKS: Final = ("chain", "commitment", "shuffle", "rules", "scoring", "projection")


@dataclass(frozen=True, slots=True)
class PassedOver:
    """The events of one log that were not decided again, by their types in the order of appearance."""

    unknown: Mapping[str, int]
    trusted: Mapping[str, int]
    """Those about the people of a copy's parent."""
    erased: Mapping[str, int]
    """Those whose text was erased: it is not there to be judged."""

    @property
    def words(self) -> str:
        """What was passed over, in sentences of bounded length; empty where nothing was."""
        sentences = {
            "Passed over as unknown": self.unknown,
            "Taken on trust, of the parent's players": self.trusted,
            "With erased text": self.erased,
        }
        return " ".join(f"{about}: {_count(kinds)}." for about, kinds in sentences.items() if kinds)


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool | None
    """None where it can't be shown, or not yet."""
    version: int
    """The first offending one where it fails, otherwise the last that was checked."""
    detail: str


@dataclass(frozen=True, slots=True)
class Audit:
    version: int
    """The log's last."""
    over: bool
    fork: bool
    comparison: str | None
    """What agrees between a fork's log and its parent's; None where they were not compared, or differ."""
    passed_over: PassedOver
    """The events of the log that the rules of this release don't judge."""
    checks: list[Check]
    """One for each of CHECKS, in that order."""
    game: Game | None = field(repr=False, compare=False)
    """At the log's end, if each event was decided again with open cards, and was as it must be; otherwise None."""

    @property
    def needs_parent(self) -> bool:
        """Whether what a fork took over was not checked, because its parent's log was not given."""
        return self.fork and self.comparison is None and self.ok

    @property
    def ok(self) -> bool:
        return all(check.ok is not False for check in self.checks)

    @property
    def first_offence(self) -> Check | None:
        """The failing check with the lowest version."""
        failing = [check for check in self.checks if check.ok is False]
        return min(failing, key=lambda check: check.version, default=None)

    def to_json(self) -> dict[str, Any]:
        checks = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in self.checks]
        return {"ok": self.ok, "version": self.version, "checks": checks}


def audit(  # noqa: PLR0913 - the rare ones are keywords
    events: Sequence[Any],
    *,
    lines: Sequence[bytes] = (),
    stored: Offence | None = None,
    served: Served | None = None,
    parent: Sequence[Any] | None = None,
    open_cards: bool = False,
) -> Audit:
    """All six checks on a log from its first event on.

    `lines`: each event's canonical JSON, where it is known; `stored`: what a store's own record of the hashes (check of
    an entry, header) contradicts first; `served`: what a service serves of the game; `parent`: the log of the parent of
    a fork, redacted or not; `open_cards`: check seed and shuffle before the end, too: the log holds all that is hidden.
    """
    evidence = evidence_of(events)
    opening = read_opening(evidence.events)
    judgement = judge(evidence, opening)
    comparison = None if parent is None else compare_with_parent(evidence, opening, parent)
    skipped = passed_over(readable(events), judgement.game.copied_until)
    last = len(events)
    rest = events[len(evidence.events) :]
    over = opening.end > 0 or any(isinstance(event, dict) and event.get("type") in tuple(ENDS) for event in rest)
    opened = over or open_cards
    findings = (
        check_chain(events, lines, evidence, stored, sum(skipped.erased.values())),
        check_commitment(evidence, opening) if opened else Finding("commitment", None, possible=False),
        check_shuffle(judgement.deal if opened else None),
        check_rules(last, evidence, judgement, comparison, skipped),
        *check_totals(last, evidence, judgement, served),
    )
    checks = [_phrase(finding, last, over=over) for finding in findings]
    agreeing = comparison.words if comparison and comparison.offence is None else None
    is_whole = evidence.seed is not None and judgement.offence is None and judgement.game.version == last
    game = judgement.game if is_whole and not skipped.words else None
    return Audit(last, over, judgement.game.parent is not None, agreeing, skipped, checks, game)


def _phrase(finding: Finding, last: int, *, over: bool) -> Check:
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


def passed_over(events: Sequence[EventRecord], copied_until: int) -> PassedOver:
    """What is passed over in a log; each of `events` has a type and data, and those up to `copied_until` are copied."""
    unknown = Counter(event["type"] for event in events if event["type"] not in FIELDS)
    trusted = Counter(event["type"] for event in events[:copied_until] if event["type"] in OF_PEOPLE)
    return PassedOver(
        unknown, trusted, Counter(event["type"] for event in events if is_erased(event["type"], event["data"]))
    )


def check_rules(
    last: int, evidence: Evidence, judgement: Judgement, comparison: Comparison | None, skipped: PassedOver
) -> Finding:
    """Whether every event is what the rules cause, and a fork what its parent's log says; `last`: the log's version."""
    offence = judgement.offence
    if offence is None and len(evidence.events) < last:
        offence = Offence(len(evidence.events) + 1, "an event with a type and data")
    if comparison is not None:
        offence = first_of(offence, comparison.offence)
    good = f"Every {'other ' * bool(skipped.words)}event is what the rules cause."
    if judgement.game.parent is not None:
        # The same words with and without the parent: an imported game answers as it did at its source (contract 7).
        good += " What a fork took over from its parent is compared with the parent's log where that is at hand."
    if skipped.words:
        good += f" {skipped.words}"
    return Finding("rules", offence, good)


def _count(kinds: Mapping[str, int]) -> str:
    """The number of events, and of the first types each: `3 events (Foo 2, Bar 1)`."""
    number = sum(kinds.values())
    named = [f"{_name(kind)} {kinds[kind]}" for kind in list(kinds)[:_MOST_NAMED]]
    if more := len(kinds) - len(named):
        named.append(f"and {more} more types")
    return f"{number} event{'s' * (number != 1)} ({', '.join(named)})"


def _name(kind: str) -> str:
    """A type's name as it is where it is plain, otherwise as quoted JSON, cut to 40 characters."""
    return kind if kind.isascii() and kind.isidentifier() and len(kind) <= 40 else quote(kind, 40)


def check_commitment(evidence: Evidence, opening: Opening) -> Finding:
    """Whether the seed is the one that the log's first event commits to, and whose entropy binds the server."""
    if not evidence.events:
        return Finding("commitment", None, possible=False)
    offence = None
    if evidence.seed is None:
        offence = Offence(1, "GameCreated with the seed, which is published when the game is over")
    elif opening.created.get("commitment") != (expected := commitment_to(bytes.fromhex(evidence.seed))):
        offence = Offence(1, f"commitment {expected}")
    # The seed of a finished game is known to anyone who copies it.
    inherited = "It was public before this game began: it is the parent's."
    binding = inherited if opening.forked and opening.copied else _binding(evidence, opening)
    return Finding("commitment", offence, f"The published seed is the one committed to. {binding}")


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


def _seats(seats: Iterable[Any]) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


def check_shuffle(deal: DealCheck | None) -> Finding:
    """Whether the cards that the log deals follow from the seed and the entropy of every seat."""
    if deal is None:
        return Finding("shuffle", None, possible=False)
    hidden = "The deal follows" if deal.seat is None else f"All cards that seat {deal.seat} could not see follow"
    offence = Offence(deal.version, deal.expected) if deal.expected else None
    return Finding("shuffle", offence, f"{hidden} from the seed and the entropy of every seat.")
