"""Messages of the seats: part of the log, open to all who may watch."""

from typing import Final

from flask import Response

from domain.commands import PostMessage
from domain.refusals import Reason
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.people.seat_changes import carry_out, change
from service.api.schemas.requests import MessageSchema
from service.signing.salts import new_salt
from service.signing.tokens import holds_secret

routes: Final = RouteTable("play")


@routes.post("/v1/games/<game>/messages", change(frozenset({Reason.TOO_MANY_MESSAGES}), body=(MessageSchema,)))
def post_message(request: GameRequest) -> Response:
    """Write to all at the table, before, during or after the game.

    Before, during and after the game. A message makes a new version and changes nothing else.
    """
    body = request.validate_body()
    if holds_secret(body["text"], request.game):
        raise InvalidRequest({"text": [Sentence("reply.secret")]})
    return carry_out(request, PostMessage(seat=request.seat, **body, salt=new_salt()), "messages")
