"""Links of the OpenAPI document: which operations continue from an answer, and with what of it."""

from typing import Any, Final

_AFTER_ACTION: Final = ("showGame", "showLegalActions", "act", "postMessage", "showEvents")
_OF_A_SEAT: Final = ("resign", "agreeToCancel", "takeVacation", "agreeToPause", "resumeGame", "postMessage")
_ABOUT_NEW_GAME: Final = ("joinGame", *_AFTER_ACTION, "showReceipt")
_GAME: Final = {"id": "$response.body#/game/id"}
_SAME_GAME: Final = {"id": "$request.path.id"}

_LINKS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "createGame": dict.fromkeys(_ABOUT_NEW_GAME, _GAME),
    "joinGame": dict.fromkeys(_AFTER_ACTION, _GAME),
    "act": dict.fromkeys(_AFTER_ACTION, _GAME),
    **{name: {"showGame": _GAME, "showEvents": _GAME} for name in _OF_A_SEAT},
    "showLegalActions": {"act": _SAME_GAME},
    "showGame": {
        "act": _SAME_GAME,
        "showEvents": _SAME_GAME,
        "showReceipt": _SAME_GAME | {"at": "$response.body#/version"},
        "showScores": _SAME_GAME,
        "showScoresNow": _SAME_GAME,
    },
    "showEvents": {"showEvents": _SAME_GAME | {"after": "$response.body#/next"}},
    "showRecap": {"showRecap": _SAME_GAME | {"since": "$response.body#/next"}},
}
"""Operation -> operation that continues from its answer -> its parameters."""
_BODIES: Final = {("showLegalActions", "act"): {"requestBody": "$response.body#/actions/0"}}
"""Operation, operation that continues from its answer -> the body."""


def links_of(operation: str) -> dict[str, Any]:
    return {
        target: {"operationId": target, "parameters": parameters, "description": "Continues with the same game."}
        | _BODIES.get((operation, target), {})
        for target, parameters in _LINKS.get(operation, {}).items()
    }
