"""Messages of the seats: part of the log, open to all who may watch."""

from typing import Final

from flask import Response

from domain.commands import PostMessage
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import MessageSchema

routes: Final = RouteTable("play")

_MESSAGE: Final = MessageSchema()


@routes.post(
    "/v1/games/<game>/messages",
    Operation(
        asker=Asker.SEAT,
        body=(MessageSchema,),
        example={"text": "Well played!\nAnother one?"},
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
        refusals=frozenset({Reason.TOO_MANY_MESSAGES}),
    ),
)
def post_message(request: GameRequest) -> Response:
    """Write to all at the table, before, during or after the game.

    Before, during and after the game. A message makes a new version and changes nothing else.
    """
    command = PostMessage(seat=request.seat, text=validate_body(_MESSAGE, request.body)["text"])
    outcome = request.carry_out(command, "messages", f"messages/{request.seat}")
    return outcome_response(outcome, request.seat, request.services.receipts)
