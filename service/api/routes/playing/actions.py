"""What a seat does, and what it may do."""

from typing import Any, Final

import orjson
from flask import Response

from domain.commands import Act, Action
from domain.legality import open_actions
from domain.orders.wishes import action_of, json_of
from domain.refusals import Reason
from service.api.protocol.body import KnownBodies, parse_json
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
_KNOWN: Final[KnownBodies[tuple[Any, tuple[Action, ...]]]] = KnownBodies()
"""Body -> its JSON value and its actions. Parsing and validating takes a tenth of an accepted action's time."""
_KNOWN_ACTIONS: Final[KnownBodies[Action]] = KnownBodies()
"""JSON of an action -> the action. Lists are of many kinds, and validating one takes a quarter of its time."""
_MOST_ACTIONS: Final = 3
"""Of a list."""


@routes.post(
    "/v1/games/<game>/actions",
    Operation(
        asker=Asker.SEAT,
        body=(ActionSchema, ActionListSchema),
        parses_body=False,
        example={"actions": [{"type": "take", "slot": 1}, {"type": "append", "card": "gold", "row": 0}]},
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
    known = _KNOWN.find(request.raw_body)
    request.body, actions = known or _parse_actions(request.raw_body)
    command = Act(seat=request.seat, actions=actions)
    outcome = request.carry_out(command, "actions", f"actions/{request.seat}")
    if known is None and outcome.refusal is None:
        _keep(request.raw_body, request.body, actions)
    return action_response(outcome, request.seat, request.services.receipts)


def _parse_actions(raw: bytes) -> tuple[Any, tuple[Action, ...]]:
    body = parse_json(raw)
    if isinstance(body, dict) and "actions" in body:
        actions = _find_actions(body)
        return body, actions or tuple(action_of(action) for action in validate_body(_ACTIONS, body)["actions"])
    return body, (action_of(validate_body(_ACTION, body)),)


def _find_actions(body: dict[str, Any]) -> tuple[Action, ...] | None:
    """The actions of a list that is valid because each of them is known; None where that isn't so."""
    listed = body["actions"]
    if len(body) > 1 or type(listed) is not list or len(listed) > _MOST_ACTIONS:
        return None
    try:
        found = [_KNOWN_ACTIONS.find(orjson.dumps(action)) for action in listed]
    except TypeError:  # a number that is too large, which no action has
        return None
    return tuple(action for action in found if action is not None) if None not in found else None


def _keep(raw: bytes, body: Any, actions: tuple[Action, ...]) -> None:
    _KNOWN.keep(raw, (body, actions))
    for data, action in zip(body.get("actions", [body]), actions, strict=True):
        _KNOWN_ACTIONS.keep(orjson.dumps(data), action)


@routes.get("/v1/games/<game>/legal-actions", Operation(asker=Asker.SEAT, answers={200: "LegalActions"}))
def show_legal_actions(request: GameRequest) -> Response:
    """Every action that the asking seat could take now.

    Each can be sent as it is. None when it isn't the seat's turn. What others ask the seat to agree to stands in the
    view's `consents`: `POST …/pause`, `…/cancel` and `…/seats/{seat}/release` agree.
    """
    game = request.load().game
    actions = [json_of(action) for action in open_actions(game, request.seat)]
    return json_response({"version": game.version, "actions": actions})
