"""Answers as the contract shapes them."""

from typing import Any, Final

import orjson
from flask import Response

from domain.view import Viewer, redact_event, view_of
from service.api.problems.language import language_headers, preferred_language
from service.api.problems.problem import problem_of
from service.api.wsgi import JsonResponse
from service.gamelog.log import Outcome
from service.signing.receipts import Receipts

NO_STORE: Final = {"Cache-Control": "no-store"}
CREATED: Final = 201


def json_response(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return JsonResponse(orjson.dumps(content), status, headers)


def etag(version: int) -> str:
    return f'"{version}"'


def outcome_view(outcome: Outcome, viewer: Viewer) -> dict[str, Any]:
    """The view at a request's own last event; a repeat shows nothing that the first answer did not."""
    loaded = outcome.loaded
    return view_of(loaded.game, viewer, loaded.hash.hex(), head=outcome.head, as_then=outcome.repeated)


def outcome_receipt(outcome: Outcome, receipts: Receipts) -> dict[str, Any]:
    game = outcome.loaded.game
    return receipts.sign(game.id, game.version, outcome.loaded.hash.hex())


def outcome_headers(outcome: Outcome) -> dict[str, str]:
    headers = {"ETag": etag(outcome.loaded.game.version)}
    return headers | {"Idempotency-Replayed": "true"} if outcome.repeated else headers


def outcome_response(outcome: Outcome, seat: int, receipts: Receipts, status: int = CREATED) -> Response:
    """The answer to an accepted request of a seat, other than actions."""
    return json_response(_outcome_content(outcome, seat, receipts), status, outcome_headers(outcome))


def action_response(outcome: Outcome, seat: int, receipts: Receipts) -> Response:
    refusal, version = outcome.refusal, outcome.loaded.game.version
    problem, headers = None, outcome_headers(outcome)
    if refusal is not None:
        language = preferred_language()
        problem = problem_of(refusal).to_json(version, language)
        headers |= language_headers(language)
    content = {"applied": outcome.applied, **_outcome_content(outcome, seat, receipts), "problem": problem}
    return json_response(content, CREATED, headers)


def _outcome_content(outcome: Outcome, seat: int, receipts: Receipts) -> dict[str, Any]:
    return {
        "version": outcome.loaded.game.version,
        "events": [redact_event(event, seat, outcome.head) for event in outcome.events],
        "game": outcome_view(outcome, seat),
        "receipt": outcome_receipt(outcome, receipts),
    }
