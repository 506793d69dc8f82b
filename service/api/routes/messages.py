"""What the seats write to each other: part of the log, open to all who may watch."""

from flask import Blueprint, Response

from domain.commands import PostMessage
from service.api.protocol.body import load, read_json
from service.api.protocol.metrics import counted
from service.api.protocol.request import accept, game_known, idempotency_key, if_match, seat_of
from service.api.protocol.response import accepted
from service.api.protocol.web import services
from service.api.schemas.requests import MessageSchema

messages = Blueprint("messages", __name__)

_MESSAGE = MessageSchema()


@messages.post("/v1/games/<game>/messages")
def post_message(game: str) -> Response:
    """Write to all at the table, before, during or after the game."""
    seat = seat_of(game)
    seen = game_known(game)
    accept("application/json")
    body = read_json()
    command = PostMessage(seat=seat, text=load(_MESSAGE, body)["text"])
    key = idempotency_key(f"messages/{seat}", body)
    outcome = counted("messages", services().games.handle(game, command, key=key, matches=if_match(), seen=seen))
    return accepted(outcome, seat)
