"""Vacations: how long and how often the clock of a seat's turns may stand still. Times are in ms since 1970."""

from typing import Final

from domain.refusals import Reason, Refused
from domain.state import Seat

MOST_VACATION_DAYS: Final = 30
"""Of a seat in a game, all its vacations together."""
MOST_VACATIONS: Final = 2
"""Of a seat in a game."""
_DAY: Final = 24 * 3600 * 1000


def is_on_vacation(place: Seat, at: int) -> bool:
    """Whether a vacation of the seat lasts beyond that time."""
    return bool(place.vacations) and place.vacations[-1][1] > at


def left_of_vacation(place: Seat) -> int:
    """How long the seat's vacations may still be, in milliseconds."""
    return MOST_VACATION_DAYS * _DAY - sum(until - since for since, until in place.vacations)


def refuse_vacation(place: Seat, at: int, until: int) -> None:
    """Raise Refused where the seat can't be on vacation from `at` to `until`."""
    if is_on_vacation(place, at):
        raise Refused(Reason.VACATION_REFUSED, case="running")
    if len(place.vacations) >= MOST_VACATIONS:
        raise Refused(Reason.VACATION_REFUSED, case="number", most=MOST_VACATIONS)
    if until <= at:
        raise Refused(Reason.VACATION_REFUSED, case="past")
    left = left_of_vacation(place)
    if until - at > left:
        raise Refused(Reason.VACATION_REFUSED, case="days", most=MOST_VACATION_DAYS, hours=left * 24 // _DAY)
