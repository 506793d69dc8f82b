"""Acting: what a seat does, and what it may do."""

from flask import Blueprint, Response

from domain.commands import Act, Action
from domain.legality import legal_actions
from service.api.protocol.body import load, read_json
from service.api.protocol.metrics import counted
from service.api.protocol.request import accept, game_known, idempotency_key, if_match, seat_of
from service.api.protocol.response import acted, answer
from service.api.protocol.web import services
from service.api.schemas.requests import ActionListSchema, ActionSchema, action_of, json_of

actions = Blueprint("actions", __name__)

_ACTION = ActionSchema()
_ACTIONS = ActionListSchema()


@actions.post("/v1/games/<game>/actions")
def act(game: str) -> Response:
    """Carry out one action, or a list of up to three."""
    seat = seat_of(game)
    seen = game_known(game)
    accept("application/json")
    body = read_json()
    asked = _asked(body)
    key = idempotency_key(f"actions/{seat}", body)
    command = Act(seat=seat, actions=asked)
    outcome = counted("actions", services().games.handle(game, command, key=key, matches=if_match(), seen=seen))
    return acted(outcome, seat)


def _asked(body: object) -> tuple[Action, ...]:
    if isinstance(body, dict) and "actions" in body:
        return tuple(action_of(one) for one in load(_ACTIONS, body)["actions"])
    return (action_of(load(_ACTION, body)),)


@actions.get("/v1/games/<game>/legal-actions")
def show_legal_actions(game: str) -> Response:
    """Every action that the asking seat could take now."""
    seat = seat_of(game)
    game_known(game)
    accept("application/json")
    now = services().games.load(game).game
    return answer({"version": now.version, "actions": [json_of(action) for action in legal_actions(now, seat)]})
