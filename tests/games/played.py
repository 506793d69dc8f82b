"""A recorded game as its clauses look at it: every event with the game before and after, every row that was scored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from domain.events import CardDrawn, DisplayRefilled, Event, PileDrawn, ReibachRevealed, RoundScored
from domain.evolve import apply_event
from domain.people.events import MessagePosted
from domain.state import Game, Row
from tests.games.recorded import Recorded, Step, steps_of


class Moment(NamedTuple):
    before: Game
    event: Event
    after: Game
    step: Step


class Scored(NamedTuple):
    round: int
    income: int
    reason: str
    length: int
    doubled: bool
    rivals: tuple[int, ...]
    """Lengths of the other seats' rows of the business, longest first."""
    row: Row


class Loss(NamedTuple):
    """What a seat lost in the last round, as the sheet has it."""

    empty: int
    hand: int
    income: int


@dataclass
class Played:
    recorded: Recorded
    steps: Sequence[Step]

    @classmethod
    def of(cls, recorded: Recorded) -> "Played":
        return cls(recorded, list(steps_of(recorded)))

    @property
    def game(self) -> Game:
        return self.steps[-1].after

    @cached_property
    def moments(self) -> list[Moment]:
        moments, game = [], Game()
        for step in self.steps:
            for event in step.events:
                after = game.copy()
                apply_event(after, event)
                moments.append(Moment(game, event, after, step))
                game = after
        return moments

    @cached_property
    def scored(self) -> list[Scored]:
        return [
            scored
            for moment in self.moments
            if isinstance(moment.event, RoundScored)
            for scored in _scored(moment.before, moment.event)
        ]

    @cached_property
    def losses(self) -> list[Loss]:
        return [
            Loss(seat["penalties"]["empty_businessmakers"], seat["penalties"]["hand_cards"], seat["income"])
            for seat in self.game.rounds[-1].seats
        ]

    @cached_property
    def interruptions(self) -> list[tuple[str, list[int]]]:
        """`refill` or `draw`, and the scoring rounds that it caused, if any."""
        found: list[tuple[str, list[int]]] = []
        for before, event, _, _ in self.moments:
            if isinstance(event, ReibachRevealed) and event.count in before.rules.scoring_at:
                kind = "draw" if before.waiting_draw else "refill"
                number = before.rules.scoring_at.index(event.count) + 1
                if found and self._same_pending(event.count):
                    found[-1][1].append(number)
                else:
                    found.append((kind, [number]))
        return found

    def _same_pending(self, count: int) -> bool:
        """Whether nothing was drawn or refilled since the scoring round before."""
        kinds = [moment.event for moment in self.moments]
        at = next(i for i, event in enumerate(kinds) if isinstance(event, ReibachRevealed) and event.count == count)
        since = next(
            i for i in range(at, -1, -1) if isinstance(kinds[i], CardDrawn | DisplayRefilled | RoundScored | PileDrawn)
        )
        between = kinds[since:at]
        return isinstance(kinds[since], RoundScored) and all(
            isinstance(event, RoundScored | ReibachRevealed | MessagePosted) for event in between
        )

    def any(self, test: Callable[[Moment], object]) -> bool:
        return any(test(moment) for moment in self.moments)


Clause: TypeAlias = Callable[[Played], bool]
"""Whether a game shows what a rule says."""


def _scored(before: Game, event: RoundScored) -> list[Scored]:
    found = []
    for number, seat in enumerate(event.seats):
        for business, row in seat["businesses"].items():
            others = [other["businesses"].get(business) for other in event.seats[:number] + event.seats[number + 1 :]]
            rivals = tuple(sorted((other["length"] for other in others if other), reverse=True))
            lying = next(own for own in before.seats[number].rows if own.business == business)
            found.append(
                Scored(event.round, row["income"], row["reason"], row["length"], row["doubled"], rivals, lying)
            )
    return found
