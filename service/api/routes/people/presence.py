"""Whether a seat's person plays it: vacations, the way back to an abandoned seat, and the way out of the game."""

from typing import Final

from flask import Response

from domain.commands import EndVacation, ReclaimSeat, Resign, TakeVacation
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.people.seat_changes import REFUSED_UNLESS_PLAYING, REFUSED_UNLESS_RUNNING, carry_out, change
from service.api.schemas.requests import VacationSchema

routes: Final = RouteTable("play")


@routes.post(
    "/v1/games/<game>/vacation", change(REFUSED_UNLESS_PLAYING | {Reason.VACATION_REFUSED}, body=(VacationSchema,))
)
def take_vacation(request: GameRequest) -> Response:
    """Go on vacation: the clock of the seat's turns stops now.

    It begins at once, whichever seat is to play, and no deadline counts its time; the seat can act meanwhile. At most
    two vacations in a game, of 30 days together; what one that ended early has left over is for the other.
    """
    until = request.validate_body()["until"]
    return carry_out(request, TakeVacation(seat=request.seat, until=until), "vacation")


@routes.delete("/v1/games/<game>/vacation", change(REFUSED_UNLESS_PLAYING | {Reason.NOT_ON_VACATION}, takes_back=True))
def end_vacation(request: GameRequest) -> Response:
    """Come back from vacation before its end.

    The clock runs again.
    """
    return carry_out(request, EndVacation(seat=request.seat), "vacation", "end")


@routes.post("/v1/games/<game>/reclaim", change(REFUSED_UNLESS_RUNNING | {Reason.SEAT_NOT_ABANDONED}))
def reclaim_seat(request: GameRequest) -> Response:
    """Take an abandoned seat back.

    A seat is abandoned when two of its turns in a row, or `timeouts` of them, have timed out, or the others release it;
    a bot plays until its person is back. An accepted action takes the seat back, too. There is no body.
    """
    return carry_out(request, ReclaimSeat(seat=request.seat), "reclaim")


@routes.post("/v1/games/<game>/resign", change(REFUSED_UNLESS_PLAYING))
def resign(request: GameRequest) -> Response:
    """Leave the game for good; a bot plays on.

    The bot plays the seat to the end of the game, and its token can only watch and write messages. There is no body.
    """
    return carry_out(request, Resign(seat=request.seat), "resign")
