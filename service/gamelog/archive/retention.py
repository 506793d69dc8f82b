"""How long a game stays as it is when nothing happens to it: then it is archived, or deleted if it was never used.

An open game that was not filled in time is unused, and a fork in which no person has acted. Only these are deleted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.commands import ACTIONS
from domain.events import EventRecord
from domain.state import Game

_OF_A_PERSON: Final = ACTIONS.keys() | {"MessagePosted", "ConsentGiven"}
"""Types of events by which a person uses a fork: play, words and agreement.

Not absence or resignation, which leave it to itself."""

_WEEK_MS: Final = 7 * 86_400_000


@dataclass(frozen=True, slots=True)
class Retention:
    """Times without an append, in milliseconds; None: never."""

    finished_ms: int | None = None
    """After which a finished game is archived."""
    abandoned_ms: int | None = None
    """After which a running game is archived, in the store; it can be played on."""
    unused_ms: int | None = None
    """After which an open game, or a fork in which no person has acted, is deleted."""

    @property
    def warning_ms(self) -> int:
        """How long before an unused game is deleted its players are warned: a week, or half of that time."""
        return min(_WEEK_MS, (self.unused_ms or 0) // 2)

    @property
    def ever(self) -> bool:
        """Whether anything is ever archived or deleted."""
        return any(time is not None for time in (self.finished_ms, self.abandoned_ms, self.unused_ms))

    def first_look(self, game: Game, now: int) -> int | None:
        """When the archiver must look at a game that was opened or imported just now, in ms since 1970; None: never.

        A running game isn't looked at again with each append: the archiver finds it in use, and puts the look off.
        `now` counts, not the game's own time, which lies far back in a fork or an import.
        """
        if game.over:
            return self.after_end(game)
        warned = None if self.unused_ms is None else self.unused_ms - self.warning_ms
        times = [time for time in (self.abandoned_ms, warned) if time is not None]
        return now + min(times) if times else None

    def after_end(self, game: Game) -> int | None:
        """When a finished game must be archived, in ms since 1970; None: never."""
        return None if self.finished_ms is None else game.at + self.finished_ms

    def limit_ms(self, game: Game, *, unused: bool) -> int | None:
        """The time without an append after which something happens to the game; None: nothing ever does."""
        if game.over:
            return self.finished_ms
        return self.unused_ms if unused and self.unused_ms is not None else self.abandoned_ms


def is_unused(game: Game, events: Sequence[EventRecord]) -> bool:
    """Whether the game is open, or a fork in which no person has acted. `events`: all."""
    if game.over:
        return False
    if not game.started:
        return True
    if game.parent is None:
        return False
    # A copy begins with its parent's events; one of a position with none of them.
    copied = events[0]["data"]["from"] if game.open_information else 0
    return not any(
        event["type"] in _OF_A_PERSON and game.seats[event["data"]["seat"]].bot is None
        for event in events
        if event["version"] > copied
    )
