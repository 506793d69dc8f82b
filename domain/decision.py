"""What a command has caused so far, and the game after it."""

from dataclasses import dataclass, field

from domain.events import Event
from domain.evolve import apply_event
from domain.refusals import Refused
from domain.state import Game


@dataclass(slots=True)
class Decision:
    game: Game
    at: int
    """When the events happen, in milliseconds since 1970."""
    now: int
    """The time of the command, in the same unit: `at`, or earlier where the clock is behind the log."""
    events: list[Event] = field(default_factory=list)
    applied: int = 0
    """How many of an `Act`'s actions were carried out."""
    refusal: Refused | None = None
    """Why the next of them was not."""

    def record(self, event: Event) -> None:
        self.game.at = self.at
        apply_event(self.game, event)
        self.events.append(event)
