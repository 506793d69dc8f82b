"""Answers as the contract shapes them."""

from typing import Any

import orjson
from flask import Response

from domain.state import Game
from domain.view import Viewer, redact_event, view_of
from service.api.protocol.problems import problem_of_refusal
from service.api.protocol.web import services
from service.gamelog.log import Outcome

NO_STORE = {"Cache-Control": "no-store"}


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(orjson.dumps(content), status, headers, content_type="application/json")


def etag(version: int) -> str:
    """The entity tag of a game at a version."""
    return f'"{version}"'


def view_then(outcome: Outcome, viewer: Viewer) -> dict[str, Any]:
    """The view at a request's own last event; a repeat shows nothing that the first answer did not."""
    loaded = outcome.loaded
    return view_of(loaded.game, viewer, loaded.hash.hex(), head=outcome.head, as_then=outcome.repeated)


def receipt_of(outcome: Outcome) -> dict[str, Any]:
    """The signed receipt for a request."""
    game: Game = outcome.loaded.game
    return services().receipts.sign(game.id, game.version, outcome.loaded.hash.hex())


def outcome_headers(outcome: Outcome) -> dict[str, str]:
    """The headers of an accepted request."""
    headers = {"ETag": etag(outcome.loaded.game.version)}
    return headers | {"Idempotency-Replayed": "true"} if outcome.repeated else headers


def accepted(outcome: Outcome, seat: int) -> Response:
    """The answer to an accepted request of a seat that is no action."""
    return answer(_done(outcome, seat), 201, outcome_headers(outcome))


def acted(outcome: Outcome, seat: int) -> Response:
    """The answer to an accepted action or list of actions."""
    refusal, version = outcome.refusal, outcome.loaded.game.version
    problem = None if refusal is None else problem_of_refusal(refusal, version)
    content = {"applied": outcome.applied, **_done(outcome, seat), "problem": problem}
    return answer(content, 201, outcome_headers(outcome))


def _done(outcome: Outcome, seat: int) -> dict[str, Any]:
    return {
        "version": outcome.loaded.game.version,
        "events": [redact_event(event, seat, outcome.head) for event in outcome.events],
        "game": view_then(outcome, seat),
        "receipt": receipt_of(outcome),
    }
