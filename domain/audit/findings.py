"""What a check finds: the first offence of a log, and whether there was anything to see."""

from dataclasses import dataclass
from typing import NamedTuple


class Offence(NamedTuple):
    """The first thing in a log that is not as it must be."""

    version: int
    """By its place in the log: the event that stands where this version belongs."""
    expected: str
    """What should have been there. May name hidden cards: show it for finished games only."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check before it is put into words."""

    name: str
    offence: Offence | None
    good_detail: str = ""
    """For a check that doesn't fail."""
    possible: bool = True
    """Whether the check could be made as far as the log goes."""
    open_detail: str = "This log can't show it."
    """For a check that couldn't."""


def first_of(*offences: Offence | None) -> Offence | None:
    """The one with the lowest version; None where there is none."""
    return min((offence for offence in offences if offence), default=None)
