"""A seat's note to oneself. No other seat is told of it, and it is no part of the log."""

from typing import Final

from flask import Response

from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.requests import NoteSchema
from service.gamelog.notes import load_note, put_note

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
