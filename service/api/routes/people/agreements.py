"""What happens when all people who play agree: a seat gives its consent, or withdraws it."""

from typing import Final

from flask import Response

from domain.commands import GiveConsent, WithdrawConsent
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation, RouteTable

routes: Final = RouteTable()

_STATE: Final = frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER, Reason.SEAT_RESIGNED, Reason.CONSENT_UNCHANGED})


@routes.post(
    "/v1/games/<game>/cancel",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=_STATE | {Reason.TOO_MANY_CONSENTS},
    ),
)
def agree_to_cancel(request: GameRequest) -> Response:
    """Agree to cancel the game; with the last consent it is over, without a winner."""
    command = GiveConsent(seat=request.seat, to="cancel")
    outcome = request.carry_out(command, "cancel", f"cancel/{request.seat}")
    return outcome_response(outcome, request.seat, request.services.receipts)


@routes.delete(
    "/v1/games/<game>/cancel",
    Operation(
        asker=Asker.SEAT,
        shortest_key=1,
        takes=("If-Match",),
        answers={200: "Accepted"},
        sends=("ETag",),
        refusals=_STATE,
    ),
)
def withdraw_cancel(request: GameRequest) -> Response:
    """Agree no longer to cancel the game."""
    command = WithdrawConsent(seat=request.seat, to="cancel")
    outcome = request.carry_out(command, "cancel", f"cancel/withdraw/{request.seat}")
    return outcome_response(outcome, request.seat, request.services.receipts, 200)
