"""Taking a seat of a game that has open ones."""

from typing import Final

from flask import Response

from domain.commands import JoinGame
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import (
    CREATED,
    NO_STORE,
    json_response,
    outcome_headers,
    outcome_receipt,
    outcome_view,
)
from service.api.protocol.routing import SECRET_KEY, Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import JoinSchema
from service.gamelog.log import Outcome

routes: Final = RouteTable()

_JOIN: Final = JoinSchema()


@routes.post(
    "/v1/games/<game>/seats",
    Operation(
        asker=Asker.WATCHER,
        body=(JoinSchema,),
        example={"name": "Carla", "entropy": "parrot"},
        shortest_key=SECRET_KEY,
        takes=("If-Match",),
        answers={201: "Joined"},
        sends=("ETag",),
        refusals=frozenset({Reason.NO_OPEN_SEAT}),
    ),
)
def join_game(request: GameRequest) -> Response:
    """Take the lowest open seat."""
    outcome = request.carry_out(JoinGame(**validate_body(_JOIN, request.body)), "seats", "seats")
    seat = _find_joined_seat(outcome)
    content = {
        "seat": seat,
        "token": request.services.tokens.issue(request.game, seat),
        "game": outcome_view(outcome, seat),
        "receipt": outcome_receipt(outcome, request.services.receipts),
    }
    return json_response(content, CREATED, outcome_headers(outcome) | NO_STORE)


def _find_joined_seat(outcome: Outcome) -> int:
    seat: int = next(event["data"]["seat"] for event in outcome.events if event["type"] == "PlayerJoined")
    return seat
