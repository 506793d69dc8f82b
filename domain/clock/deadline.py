"""The clock of a game: when the present turn must have ended, and which bot plays in a person's place.

Time comes from the log: a deadline follows from the events, and a replay gives the same.
Rule: the clock of a turn runs from its start until turn time and time bank are used up: within the allowed hours, and
not while the game is paused or the turn's seat is on vacation. That of the first turn begins when all invited people
have accepted, or a turn's time after its start.
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
SILENT_MS: Final = 14 * 24 * 3600 * 1000
"""For so long the game has waited for a seat that is silent."""
FREE_AFTER_MS: Final = 3600 * 1000
"""For so long an abandoned seat waits for its person, before a new person may take it."""


def deadline(game: Game) -> int | None:
    """When the present turn must have ended; None where there is no turn or no pace, or while the game is paused."""
    pace = _pace_that_runs(game)
    bank = game.seats[game.turn_seat].bank or 0
    return None if pace is None else _when_used(game, pace, game.turn_since, 1000 * (pace.turn_seconds + bank))


def clock_from(game: Game) -> int:
    """When the clock of the present turn begins, which starts now."""
    if game.turn != 1 or not game.awaited:
        return game.at
    assert game.pace is not None
    return end_of(game.pace.hours, game.at, 1000 * game.pace.turn_seconds)


def is_awaited(game: Game, seat: int, at: int) -> bool:
    """Whether the clock of the first turn waits at that time, or will wait, until the seat's person has accepted."""
    waits = game.turn == 0 or (game.turn == 1 and at < game.turn_since)
    return waits and seat in game.awaited and not game.over


def bank_from(game: Game) -> int | None:
    """When the present turn begins to use its seat's time bank; None without one, and while the game is paused."""
    pace = _pace_that_runs(game) if game.seats[game.turn_seat].bank else None
    return None if pace is None else _when_used(game, pace, game.turn_since, 1000 * pace.turn_seconds)


def reminder_times(game: Game) -> list[int]:
    """When the present turn's player is reminded: so long before the turn's time is over, and when its bank begins.

    Never where the table has no reminders, while the game is paused, after the deadline, and where a bot plays.
    """
    pace = _pace_that_runs(game)
    if pace is None or pace.reminder_seconds is None or game.timed_out or player_of(game) is not None:
        return []
    before_bank = 1000 * (pace.turn_seconds - pace.reminder_seconds)
    times = _when_used(game, pace, game.turn_since, before_bank), bank_from(game)
    return [at for at in times if at is not None]


def silent_from(game: Game, seat: int | None) -> int | None:
    """When the game will have waited for the seat's person for SILENT_MS, by the clock of its turns.

    None where it doesn't wait for that one, or nobody knows, as in a pause.
    """
    if game.status != "playing" or game.turn_seat != seat or player_of(game) is not None or game.waits_in_copy:
        return None
    at, paused = _when_used(game, game.pace, game.waiting_since, SILENT_MS), game.paused_since
    return at if paused is None or at <= paused else None


def is_silent(game: Game, seat: int | None, at: int) -> bool:
    """Whether the game has waited for so long by that time."""
    return (since := silent_from(game, seat)) is not None and since <= at


def free_from(game: Game, abandoned: int) -> int:
    """When a new person may take a seat that was abandoned then: allowed hours count, a pause stops nothing."""
    return end_of(None if game.pace is None else game.pace.hours, abandoned, FREE_AFTER_MS)


def is_lost(game: Game, seat: int, more: int = 0) -> bool:
    """Whether so many turns of a seat have timed out, and `more`, that it is abandoned, where a bot plays for it."""
    place, most = game.seats[seat], None if game.pace is None else game.pace.timeouts
    is_over_limit = most is not None and place.late_turns - place.forgiven + more >= most
    return is_over_limit or place.timeouts + more >= TIMEOUTS_OF_ABANDONED


def seconds_of_bank(game: Game, at: int) -> int:
    """The full seconds that the present turn has used of its seat's time bank, if it ends at that time."""
    assert game.pace is not None
    left = game.seats[game.turn_seat].bank
    if not left:
        return 0
    if game.timed_out:
        return left
    over = _has_run(game, game.turn_since, at) // 1000 - game.pace.turn_seconds
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


def _when_used(game: Game, pace: Pace | None, at: int, duration: int) -> int:
    """When the clock of the present turn has run for so long from `at`, within the turn."""
    hours = None if pace is None else pace.hours
    for since, until in _stops(game):
        before = running(hours, at, since)
        if before >= duration:
            break
        duration -= before
        at = max(at, until)
    return end_of(hours, at, duration)


def _has_run(game: Game, at: int, until: int) -> int:
    """How long the clock of the present turn runs from `at`, within the turn, to `until`."""
    hours, total = None if game.pace is None else game.pace.hours, 0
    if game.paused_since is not None:  # a vacation may have begun since
        until = min(until, game.paused_since)
    for since, end in _stops(game):
        total += running(hours, at, min(since, until))
        at = max(at, end)
    return total + running(hours, at, until)


def _stops(game: Game) -> list[tuple[int, int]]:
    """From when to when the clock of the present turn is stopped, in the order of their beginnings."""
    return sorted((*game.pauses, *game.seats[game.turn_seat].vacations))
