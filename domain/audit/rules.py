"""The check `rules`: what is wrong with a log by the rules, and what of it the rules of this release can't judge.

Contract 3: readers skip types that they don't know, so an unknown type is no offence. It names some types, and the
pace of turns, whose rules are not built here: a log with these was not judged whole, and the audit must not say so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.audit.compare import quote
from domain.audit.evidence import Evidence
from domain.audit.findings import Finding, Offence, first_of
from domain.audit.parent import Comparison
from domain.audit.referee import Judgement
from domain.events import FIELDS, EventRecord

_PLANNED: Final = frozenset({"TurnTimedOut", "PlayerResigned", "SeatAbandoned", "SeatReclaimed"})
"""Types of contract 3 that change who plays a seat, and that no command causes yet."""
_MOST_NAMED: Final = 5
"""Types that are named; of more only the number is given."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """The events of one log that were not decided again, by their types in the order of appearance."""

    unknown: Mapping[str, int]
    planned: Mapping[str, int]
    has_pace: bool
    """Whether turns have deadlines: whether one was missed is not decided again either."""

    @property
    def is_judged(self) -> bool:
        """Whether all of the log was decided again that the contract gives rules for."""
        return not (self.planned or self.has_pace)

    @property
    def words(self) -> str:
        """What was passed over, in a sentence or two of bounded length; empty where nothing was."""
        sentences = []
        if self.unknown:
            sentences.append(f"Passed over as unknown: {_count(self.unknown)}.")
        not_judged = [_count(self.planned)] * bool(self.planned) + ["the pace of turns"] * self.has_pace
        if not_judged:
            sentences.append(f"This release has no rules for {' and '.join(not_judged)}.")
        return " ".join(sentences)


def passed_over(events: Sequence[EventRecord]) -> PassedOver:
    """What is passed over in a log; each of `events` has a type and data."""
    kinds = Counter(event["type"] for event in events if event["type"] not in FIELDS)
    unknown = {kind: number for kind, number in kinds.items() if kind not in _PLANNED}
    planned = {kind: number for kind, number in kinds.items() if kind in _PLANNED}
    return PassedOver(unknown, planned, bool(events) and "pace" in events[0]["data"])


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
    return Finding("rules", offence, good, possible=skipped.is_judged, open_detail=good)


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
