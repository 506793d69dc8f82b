"""What a seat's person writes: messages, part of the log and open to all who may watch; and a note to oneself.

No other seat is told of a note, and it is no part of the log.
"""

from typing import Final

from flask import Response

from domain.commands import PostMessage
from domain.refusals import Reason
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.routes.people.seat_changes import carry_out, change
from service.api.schemas.requests import MessageSchema, NoteSchema
from service.gamelog.notes import load_note, put_note
from service.signing.salts import new_salt
from service.signing.tokens import holds_secret

routes: Final = RouteTable("play")

_PATH: Final = "/v1/games/<game>/note"


@routes.put(_PATH, Operation(asker=Asker.SEAT, body=(NoteSchema,), answers={204: None}))
def write_note(request: GameRequest) -> Response:
    """Write the seat's note to oneself.

    Nobody else ever sees it. An empty text removes it, and so does the end of the seat's token.
    """
    put_note(request.services.store, request.seat_token, request.validate_body()["text"])
    return Response(status=204)


@routes.get(_PATH, Operation(asker=Asker.SEAT, answers={200: "NoteView"}))
def show_note(request: GameRequest) -> Response:
    """The seat's note to oneself.

    Empty where there is none.
    """
    request.load()
    return json_response({"text": load_note(request.services.store, request.game, request.seat)})


@routes.post("/v1/games/<game>/messages", change(frozenset({Reason.TOO_MANY_MESSAGES}), body=(MessageSchema,)))
def post_message(request: GameRequest) -> Response:
    """Write to all at the table, before, during or after the game.

    Before, during and after the game. A message makes a new version and changes nothing else.
    """
    body = request.validate_body()
    if holds_secret(body["text"], request.game):
        raise InvalidRequest({"text": [Sentence("reply.secret")]})
    return carry_out(request, PostMessage(seat=request.seat, **body, salt=new_salt()), "messages")
