"""What a seat does, and what it may do."""

from typing import Any, Final

from flask import Response

from domain.commands import Act, Action
from domain.legality import open_actions
from domain.orders.wishes import action_of, json_of
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import action_response, json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import ActionListSchema, ActionSchema

routes: Final = RouteTable("play")

_REFUSALS: Final = frozenset(
    {
        Reason.GAME_NOT_STARTED,
        Reason.GAME_OVER,
        Reason.SCORING_IN_PROGRESS,
        Reason.NOT_YOUR_TURN,
        Reason.SEAT_RESIGNED,
        Reason.NOT_ENOUGH_ACTION_POINTS,
        Reason.CARD_NOT_IN_HAND,
        Reason.NO_SUCH_ROW,
        Reason.ROW_CLOSED,
        Reason.ROW_NEEDS_BUSINESS_FIRST,
        Reason.WRONG_BUSINESS,
        Reason.BUSINESS_ALREADY_HAS_ROW,
        Reason.TOO_MANY_BUSINESSMAKERS,
    }
)
_ACTION: Final = ActionSchema()
_ACTIONS: Final = ActionListSchema()
_MOST_ACTIONS: Final = 3
"""Of a list."""


@routes.post(
    "/v1/games/<game>/actions",
    Operation(
        asker=Asker.SEAT,
        body=(ActionSchema, ActionListSchema),
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Acted"},
        sends=("ETag",),
        refusals=_REFUSALS,
    ),
)
def act(request: GameRequest) -> Response:
    """Carry out one action, or a list of up to three.

    A list is carried out in order, up to the first action that is refused; those before it can't be taken back. With
    `If-Match` nothing happens if the game has a newer version. When the 4th, 7th or 10th Reibach card turns up, the
    status is `scoring` until the round is done.
    """
    seat = request.seat
    command = Act(seat=seat, actions=_read_actions(request.body))
    outcome = request.carry_out(command, "actions", f"actions/{seat}")
    return action_response(outcome, seat, request.services.receipts)


def _read_actions(body: Any) -> tuple[Action, ...]:
    """The actions that a body means. Raises Problem `invalid-request`."""
    is_list = isinstance(body, dict) and "actions" in body
    listed = body["actions"] if is_list else [body]
    try:
        if type(listed) is list and 1 <= len(listed) <= _MOST_ACTIONS and not (is_list and len(body) > 1):
            return tuple(map(action_of, listed))
    except ValueError:
        pass  # the schemas, which take three times as long, also read 1.0 as 1, and say what is wrong
    read = validate_body(_ACTIONS, body)["actions"] if is_list else [validate_body(_ACTION, body)]
    return tuple(map(action_of, read))


@routes.get("/v1/games/<game>/legal-actions", Operation(asker=Asker.SEAT, answers={200: "LegalActions"}))
def show_legal_actions(request: GameRequest) -> Response:
    """Every action that the caller's seat could take now.

    Each can be sent as it is. None when it isn't the seat's turn. What others ask the seat to agree to is in the
    view's `consents`: `POST …/pause`, `…/cancel` and `…/seats/{seat}/release` agree.
    """
    game = request.load().game
    actions = [json_of(action) for action in open_actions(game, request.seat)]
    return json_response({"version": game.version, "actions": actions})
