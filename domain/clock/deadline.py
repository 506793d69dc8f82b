"""The clock of a game: when the present turn must have ended, and which bot plays in a person's place.

Time comes from the log: a deadline follows from the events, and a replay gives the same.
Rule: the clock of a turn runs from its start until turn time and time bank are used up: within the allowed hours, and
not while the game is paused or the turn's seat is on vacation.
Times and durations are in milliseconds, times since 1970.
"""

from typing import Final

from domain.clock.hours import end_of, running
from domain.clock.pace import Pace
from domain.state import Game

STAND_IN: Final = "greedy"
"""The bot that plays for a person (contract 6)."""
TIMEOUTS_OF_ABANDONED: Final = 2
"""Timed-out turns of a seat in a row after which it is abandoned, where a bot plays for it."""


def deadline(game: Game) -> int | None:
    """When the present turn must have ended; None where there is no turn or no pace, or while the game is paused."""
    pace = _pace_that_runs(game)
    return None if pace is None else _when_used(game, pace, _time_of_turn(game, pace))


def reminder_at(game: Game) -> int | None:
    """When the present turn's player is reminded: its clock has `reminder_seconds` left then.

    None: never, as the game is now. So it is while the game is paused, behind the deadline, and where a bot plays.
    """
    pace = _pace_that_runs(game)
    if pace is None or pace.reminder_seconds is None or game.timed_out or player_of(game) is not None:
        return None
    return _when_used(game, pace, _time_of_turn(game, pace) - pace.reminder_seconds * 1000)


def seconds_of_bank(game: Game, at: int) -> int:
    """The full seconds that the present turn has used of its seat's time bank, if it ends at that time."""
    assert game.pace is not None
    left = game.seats[game.turn_seat].bank
    if not left:
        return 0
    if game.timed_out:
        return left
    over = _has_run(game, game.pace, at) // 1000 - game.pace.turn_seconds
    return min(max(over, 0), left)


def is_played_out(game: Game) -> bool:
    """Whether the present turn has timed out, and a bot plays the rest of it."""
    return game.timed_out and game.pace is not None and game.pace.has_stand_in


def player_of(game: Game) -> str | None:
    """The name of the bot that plays the present turn; None where its person does."""
    place = game.seats[game.turn_seat]
    if place.bot is not None:
        return place.bot
    return STAND_IN if place.away or is_played_out(game) else None


def _pace_that_runs(game: Game) -> Pace | None:
    """The game's pace if the clock of a turn runs, or will run again at a time that is known."""
    return game.pace if game.turn and not game.over and game.paused_since is None else None


def _time_of_turn(game: Game, pace: Pace) -> int:
    """How long the clock of the present turn may run."""
    return (pace.turn_seconds + (game.seats[game.turn_seat].bank or 0)) * 1000


def _when_used(game: Game, pace: Pace, duration: int) -> int:
    """When the clock of the present turn has run for so long."""
    at = game.turn_since
    for since, until in _stops(game):
        before = running(pace.hours, at, since)
        if before >= duration:
            break
        duration -= before
        at = max(at, until)
    return end_of(pace.hours, at, duration)


def _has_run(game: Game, pace: Pace, until: int) -> int:
    """How long the clock of the present turn has run at that time."""
    at, total = game.turn_since, 0
    if game.paused_since is not None:  # a vacation may have begun since
        until = min(until, game.paused_since)
    for since, end in _stops(game):
        total += running(pace.hours, at, min(since, until))
        at = max(at, end)
    return total + running(pace.hours, at, until)


def _stops(game: Game) -> list[tuple[int, int]]:
    """From when to when the clock of the present turn stands still, in the order of their beginnings."""
    return sorted((*game.pauses, *game.seats[game.turn_seat].vacations))
