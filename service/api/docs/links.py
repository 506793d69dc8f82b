"""Links of the OpenAPI document: which operations continue from an answer, and with what of it."""

from typing import Any, Final

from service.api.docs.members import TEXTS

_BODIES: Final = {("showLegalActions", "act"): {"requestBody": "$response.body#/actions/0"}}
"""Operation, operation that continues from its answer -> the body."""


def links_of(operation: str) -> dict[str, Any]:
    return {
        target: {"operationId": target, "parameters": parameters, "description": "Continues with the same game."}
        | _BODIES.get((operation, target), {})
        for target, parameters in TEXTS["links"].get(operation, {}).items()
    }
