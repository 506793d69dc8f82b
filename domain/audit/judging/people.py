"""The commands that cause the events about people: who plays a seat, what stops its clock, what all agree on."""

from collections.abc import Callable
from typing import Final

from domain.audit.compare import whole_number
from domain.audit.opening import name_fault
from domain.clock.deadline import deadline, player_of
from domain.clock.timestamps import milliseconds, timestamp
from domain.commands import (
    Command,
    EndVacation,
    GiveConsent,
    JoinGame,
    ReclaimSeat,
    Resign,
    ResumeGame,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.fairness.canonical import JsonObject
from domain.people.consent import AGREEMENTS
from domain.state import Game

_OF_A_PERSON: Final[dict[str, Callable[..., Command]]] = {
    "SeatReclaimed": ReclaimSeat,
    "PlayerResigned": Resign,
    "VacationEnded": EndVacation,
    "GameResumed": ResumeGame,
}
"""By event: the command that causes it, and that says nothing but the seat."""


def command_about_people(kind: str, data: JsonObject, game: Game, at: int) -> Command | str | None:
    """The command whose first event is of this type, one of OF_PEOPLE, and has this data.

    `game`: right before it; `at`: when it happened, in ms since 1970. In words what should have been there, where it is
    another event of the type; None where no event of the type may stand there.
    Raises one of CANT_HAPPEN.
    """
    match kind:
        case _ if kind in _OF_A_PERSON:
            return _OF_A_PERSON[kind](seat=_person(game, data))
        case "VacationTaken":
            return TakeVacation(seat=_person(game, data), until=milliseconds(data["until"]))
        case "SeatReplaced":
            return name_fault(kind, data) or JoinGame(name=data["name"])
        case "ConsentGiven" | "ConsentWithdrawn" if data["to"] in AGREEMENTS:
            consent = GiveConsent if kind == "ConsentGiven" else WithdrawConsent
            return consent(seat=_person(game, data), to=data["to"])
        case "TurnTimedOut":
            return _time_out(game, at)
    return None


def _time_out(game: Game, at: int) -> TimeOut | str | None:
    until = deadline(game)
    may_time_out = not game.timed_out and game.status == "playing" and player_of(game) is None
    if until is None or not may_time_out:
        return None
    return TimeOut(turn=game.turn) if at >= until else f"TurnTimedOut at {timestamp(until)} or later"


def _person(game: Game, data: JsonObject) -> int:
    """The seat that the event is about. AssertionError where it is no person's."""
    seat = whole_number(data["seat"])
    assert game.seats[seat].name is not None
    assert game.seats[seat].bot is None
    return seat
