"""What stops the clock of a game and lets it run again: vacations of a seat, and pauses that all agree on."""

from typing import Final

from flask import Response

from domain.commands import Command, EndVacation, GiveConsent, ResumeGame, TakeVacation, WithdrawConsent
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import VacationSchema

routes: Final = RouteTable()

_VACATION: Final = VacationSchema()
_STATE: Final = frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER, Reason.SEAT_RESIGNED})


@routes.post(
    "/v1/games/<game>/vacation",
    Operation(
        asker=Asker.SEAT,
        body=(VacationSchema,),
        example={"until": "2026-08-15T12:00:00Z"},
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.VACATION_REFUSED},
    ),
)
def take_vacation(request: GameRequest) -> Response:
    """Go on vacation: the clock of the seat's turns stands still from now on."""
    until = validate_body(_VACATION, request.body)["until"]
    return _carry_out(request, TakeVacation(seat=request.seat, until=until), "vacation")


@routes.delete(
    "/v1/games/<game>/vacation",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={200: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.NOT_ON_VACATION},
    ),
)
def end_vacation(request: GameRequest) -> Response:
    """Come back from vacation before its end."""
    return _carry_out(request, EndVacation(seat=request.seat), "vacation", "end")


@routes.post(
    "/v1/games/<game>/pause",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.CONSENT_UNCHANGED, Reason.TOO_MANY_CONSENTS, Reason.GAME_PAUSED},
    ),
)
def agree_to_pause(request: GameRequest) -> Response:
    """Agree to pause the game; with the last consent the clock stands still."""
    return _carry_out(request, GiveConsent(seat=request.seat, to="pause"), "pause")


@routes.delete(
    "/v1/games/<game>/pause",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={200: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.CONSENT_UNCHANGED},
    ),
)
def withdraw_pause(request: GameRequest) -> Response:
    """Agree no longer to pause the game."""
    return _carry_out(request, WithdrawConsent(seat=request.seat, to="pause"), "pause", "withdraw")


@routes.post(
    "/v1/games/<game>/resume",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.GAME_NOT_PAUSED},
    ),
)
def resume_game(request: GameRequest) -> Response:
    """End a pause."""
    return _carry_out(request, ResumeGame(seat=request.seat), "resume")


def _carry_out(request: GameRequest, command: Command, resource: str, undo: str = "") -> Response:
    """Append what the command causes. `undo`: a word for a DELETE, which takes back what a POST has done."""
    scope = f"{resource}/{undo}/{request.seat}" if undo else f"{resource}/{request.seat}"
    outcome = request.carry_out(command, resource, scope)
    return outcome_response(outcome, request.seat, request.services.receipts, 200 if undo else 201)
