"""The check `rules`: what is wrong with a log by the rules, and which of its events they don't judge.

Contract 3: readers skip types that they don't know, so an unknown type is no offence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.audit.compare import quote
from domain.audit.evidence import Evidence
from domain.audit.findings import Finding, Offence, first_of
from domain.audit.judging.referee import Judgement
from domain.audit.parent import Comparison
from domain.events import FIELDS, EventRecord

_MOST_NAMED: Final = 5
"""Types that are named; of more only the number is given."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """The events of one log that were not decided again, by their types in the order of appearance."""

    unknown: Mapping[str, int]

    @property
    def words(self) -> str:
        """What was passed over, in a sentence of bounded length; empty where nothing was."""
        return f"Passed over as unknown: {_count(self.unknown)}." if self.unknown else ""


def passed_over(events: Sequence[EventRecord]) -> PassedOver:
    """What is passed over in a log; each of `events` has a type and data."""
    return PassedOver(Counter(event["type"] for event in events if event["type"] not in FIELDS))


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
