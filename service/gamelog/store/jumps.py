"""Jumps of the store's wall clock against the clocks that never jump, and what they mean for a wait.

Each is on record in the store, so that a process that starts later knows of it, too.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

_RECORD: Final = re.compile(rb"\d{1,18} \d{1,18} \d{1,18} -?\d{1,18}")


class Jump(NamedTuple):
    """The store's wall clock has moved by more than the time that passed. Times are the store's, in ms since 1970."""

    number: int
    """From 1, in the order in which they were seen."""
    before: int
    """When it was last known to run evenly."""
    after: int
    """Its time when the jump was seen."""
    by: int
    """How far it has jumped, in ms; negative: back."""

    def to_record(self) -> str:
        """As it is kept in the store."""
        return " ".join(map(str, self))

    def is_within(self, since: int) -> bool:
        """Whether a wait that began at `since` has met this jump.

        Both timelines may have had that time; then the answer is the one that makes the wait longer.
        """
        even = self.after - self.by  # the same moment, had the clock not jumped
        if self.by > 0:
            return since <= max(self.before + self.by, even)
        return since < self.before + self.by


def read_jumps(records: Iterable[bytes]) -> tuple[Jump, ...]:
    """The jumps of records, as `to_record` writes them. A damaged one is passed over: it must not stop the clock."""
    return tuple(Jump(*map(int, record.split())) for record in records if _RECORD.fullmatch(record))


def lengthening(jumps: Iterable[Jump], since: int, *, has_stopped: bool = False) -> int:
    """Milliseconds by which the store's time has outrun the true time since `since`; 0 where it lags behind.

    `has_stopped`: the wait doesn't count all of the time since then. A jump back may then lie in time that doesn't
    count, so it makes up for no jump ahead.
    """
    return max(0, sum(jump.by for jump in jumps if jump.is_within(since) and (jump.by > 0 or not has_stopped)))
