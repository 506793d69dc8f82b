"""Links of the OpenAPI document: which operations continue from an answer, and with what of it."""

from typing import Any, Final

_ABOUT_NEW_GAME: Final = ("joinGame", "showGame", "showLegalActions", "act", "showEvents", "showReceipt")
_AFTER_ACTION: Final = ("showGame", "showLegalActions", "act", "showEvents")
_GAME: Final = {"id": "$response.body#/game/id"}
_SAME_GAME: Final = {"id": "$request.path.id"}

_LINKS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "createGame": dict.fromkeys(_ABOUT_NEW_GAME, _GAME),
    "joinGame": dict.fromkeys(_AFTER_ACTION, _GAME),
    "act": dict.fromkeys(_AFTER_ACTION, _GAME),
    "showGame": {
        "act": _SAME_GAME,
        "showEvents": _SAME_GAME,
        "showReceipt": _SAME_GAME | {"at": "$response.body#/version"},
        "showScores": _SAME_GAME,
    },
    "showEvents": {"showEvents": _SAME_GAME | {"after": "$response.body#/next"}},
}
"""Operation -> operation that continues from its answer -> its parameters."""


def links_of(operation: str) -> dict[str, Any]:
    """The links of an operation's answer."""
    return {
        target: {"operationId": target, "parameters": parameters, "description": "Continues with the same game."}
        for target, parameters in _LINKS.get(operation, {}).items()
    }
