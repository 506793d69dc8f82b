"""Changes that a seat's person makes to its part in the game: each takes a POST, some are taken back by DELETE."""

from typing import Final

from flask import Response
from marshmallow import Schema

from domain.commands import Command
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation

REFUSED_UNLESS_RUNNING: Final = frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER})
"""Refusals of a change that needs a running game."""
REFUSED_UNLESS_PLAYING: Final = REFUSED_UNLESS_RUNNING | {Reason.SEAT_RESIGNED}
"""Refusals of a change that needs a seat which has not resigned, too."""


def change(refusals: frozenset[str], *, takes_back: bool = False, body: tuple[type[Schema], ...] = ()) -> Operation:
    """What such a route takes and answers. `takes_back`: it is a DELETE."""
    return Operation(
        asker=Asker.SEAT,
        body=body,
        shortest_key=1,
        takes=("If-Match",),
        answers={200 if takes_back else 201: "Accepted"},
        sends=("ETag",),
        refusals=refusals,
    )


def carry_out(request: GameRequest, command: Command, resource: str, undo: str = "") -> Response:
    """Append what the command causes. `resource`: the last word of the path; `undo`: of a DELETE, what it does."""
    parts = [resource, undo, request.path.get("seat", ""), str(request.seat)]
    outcome = request.carry_out(command, resource, "/".join(filter(None, parts)))
    return outcome_response(outcome, request.seat, request.services.receipts, 200 if undo else 201)
