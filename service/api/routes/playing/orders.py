"""Standing orders of a seat: what it does when its turn starts. No other seat sees that there are any."""

from typing import Any, Final

from flask import Response

from domain.orders.planner import Orders
from domain.orders.wishes import wish_of
from domain.refusals import Reason
from domain.state import Game
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from service.api.problems.language import language_headers, preferred_language
from service.api.problems.problem import Problem
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import OrdersSchema
from service.gamelog.orders.form import json_of_steps

routes: Final = RouteTable("play")

_ORDERS: Final = OrdersSchema()
_PATH: Final = "/v1/games/<game>/orders"


@routes.put(
    _PATH,
    Operation(
        asker=Asker.SEAT,
        body=(OrdersSchema,),
        example={
            "steps": [
                [{"type": "take", "card": "gold"}, {"type": "draw"}],
                [{"type": "append", "card": "gold", "row": 0}],
            ]
        },
        answers={200: "OrdersView"},
        sends=("Content-Language",),
        weight=4,
        refusals=frozenset({Reason.GAME_OVER, Reason.SEAT_RESIGNED}),
    ),
)
def put_orders(request: GameRequest) -> Response:
    """Say in advance what the seat does when its turn starts.

    When the seat's turn starts, each step does its first alternative that is legal then. A step without one drops
    itself and all the rest; steps that the turn doesn't reach, or that a scoring round cuts off, stay for later. Orders
    put in during one's own turn begin with the next, and replace those before. No other player sees them.
    """
    body = validate_body(_ORDERS, request.body)
    steps = tuple(tuple(wish_of(wish) for wish in step) for step in body["steps"])
    loaded, orders = request.services.orders.put(request.game, request.seat, steps, request.token)
    request.version_read = loaded.game.version
    return _respond(orders, loaded.game)


@routes.get(
    _PATH,
    Operation(
        asker=Asker.SEAT,
        answers={200: "OrdersView"},
        sends=("Content-Language",),
        refusals=frozenset({"not-found"}),
    ),
)
def show_orders(request: GameRequest) -> Response:
    """The standing orders of the asking seat.

    The steps that are left, and the last ones that were dropped, with a reason for each alternative of the first of
    them.
    """
    loaded = request.load()
    held = request.services.orders.load(request.game, request.seat)
    if held is None:
        raise Problem("not-found", Sentence("not-found.orders"))
    return _respond(held.orders, loaded.game)


@routes.delete(_PATH, Operation(asker=Asker.SEAT, answers={204: None}))
def delete_orders(request: GameRequest) -> Response:
    """Take the seat's standing orders back.

    No step is carried out after the answer. 204 also where there were none.
    """
    request.services.orders.cancel(request.game, request.seat, request.token)
    return Response(status=204)


def _respond(orders: Orders, game: Game) -> Response:
    language, dropped = preferred_language(), None
    if orders.dropped:
        dropped = {
            "turn": orders.dropped.turn,
            "steps": json_of_steps(orders.dropped.steps),
            "reasons": [phrase_refusal(refusal, language) for refusal in orders.dropped.refusals],
        }
    # No step of a game that is over will ever be carried out.
    content: dict[str, Any] = {"steps": [] if game.over else json_of_steps(orders.steps), "dropped": dropped}
    return json_response(content, headers=language_headers(language))
