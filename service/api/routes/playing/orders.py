"""Standing orders of a seat: what it does when its turn starts. No other seat sees that there are any."""

from typing import Any, Final

from flask import Response

from domain.legality import refuse_finished, refuse_resigned
from domain.orders.planner import Orders, Step, preview
from domain.orders.wishes import json_of, json_of_steps, steps_of
from domain.refusals import Reason
from domain.state import Game
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from service.api.problems.language import language_headers, preferred_language
from service.api.problems.problem import Problem
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import OrdersQuery
from service.api.schemas.requests import OrdersSchema

routes: Final = RouteTable("play")

_PATH: Final = "/v1/games/<game>/orders"


@routes.put(
    _PATH,
    Operation(
        asker=Asker.SEAT,
        query=OrdersQuery,
        body=(OrdersSchema,),
        answers={200: "OrdersView"},
        sends=("Content-Language",),
        weight=4,
        refusals=frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER, Reason.SEAT_RESIGNED}),
    ),
)
def put_orders(request: GameRequest) -> Response:
    """Say in advance what the seat does when its turn starts.

    When the seat's turn starts, each step does its first alternative that is legal then. Where none is, `if_none`
    says what happens. Steps that the turn doesn't reach, or that a scoring round cuts off, stay for later. The rest of
    a turn that times out is played by all steps, from the first. Orders put in during one's own turn begin with the
    next, or with its time-out, and replace those before. No other player sees them.
    """
    steps = steps_of(request.validate_body()["steps"])
    if request.query.get("preview"):
        return _preview(steps, request)
    loaded, orders = request.services.orders.put(request.game, request.seat, steps, request.token)
    request.version_read = loaded.game.version
    return _respond(orders, loaded.game)


@routes.get(
    _PATH,
    Operation(
        asker=Asker.SEAT, answers={200: "OrdersView"}, sends=("Content-Language",), refusals=frozenset({"not-found"})
    ),
)
def show_orders(request: GameRequest) -> Response:
    """The standing orders of the caller's seat.

    The steps that are left, and the last ones that were dropped, with a reason for each alternative of the first of
    them.
    """
    loaded = request.load()
    orders = request.services.orders.orders_of(request.game, request.seat)
    if orders.put_in is None:
        raise Problem("not-found", Sentence("not-found.orders"))
    return _respond(orders, loaded.game)


@routes.delete(_PATH, Operation(asker=Asker.SEAT, answers={204: None}))
def delete_orders(request: GameRequest) -> Response:
    """Take the seat's standing orders back.

    No step is carried out after the answer. 204 also where there were none.
    """
    request.services.orders.cancel(request.game, request.seat, request.token)
    return Response(status=204)


def _preview(steps: tuple[Step, ...], request: GameRequest) -> Response:
    game = request.load().game
    refuse_finished(game)
    refuse_resigned(game, request.seat)
    actions, orders = preview(steps, game, request.seat)
    return _respond(orders, game, preview=[json_of(action) for action in actions])


def _respond(orders: Orders, game: Game, **more: Any) -> Response:
    language, dropped = preferred_language(), None
    if orders.dropped:
        dropped = {
            "turn": orders.dropped.turn,
            "steps": json_of_steps(orders.dropped.steps),
            "reasons": [phrase_refusal(refusal, language) for refusal in orders.dropped.refusals],
        }
    # No step of a game that is over will ever be carried out.
    steps = [] if game.over else json_of_steps(orders.steps)
    return json_response({"steps": steps, "dropped": dropped, **more}, headers=language_headers(language))
