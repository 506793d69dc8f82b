"""Whether a seat's person plays it: the way back to an abandoned seat, and the way out of the game."""

from typing import Final

from flask import Response

from domain.commands import ReclaimSeat, Resign
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation, RouteTable

routes: Final = RouteTable()


@routes.post(
    "/v1/games/<game>/reclaim",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER, Reason.SEAT_NOT_ABANDONED}),
    ),
)
def reclaim_seat(request: GameRequest) -> Response:
    """Take an abandoned seat back."""
    outcome = request.carry_out(ReclaimSeat(seat=request.seat), "reclaim", f"reclaim/{request.seat}")
    return outcome_response(outcome, request.seat, request.services.receipts)


@routes.post(
    "/v1/games/<game>/resign",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER, Reason.SEAT_RESIGNED}),
    ),
)
def resign(request: GameRequest) -> Response:
    """Leave the game for good; a bot plays on."""
    outcome = request.carry_out(Resign(seat=request.seat), "resign", f"resign/{request.seat}")
    return outcome_response(outcome, request.seat, request.services.receipts)
