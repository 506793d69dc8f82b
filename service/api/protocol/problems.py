"""Every error answer: application/problem+json (RFC 9457) with the contract's codes."""

import json
from typing import Any, Final

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge, RequestTimeout

from domain.refusals import Reason, Refused
from service.gamelog.errors import CorruptLog, KeyReused, NoSuchGame, NoSuchVersion, StaleVersion, StoreUnavailable

TITLES: Final = {
    "malformed-json": (400, "The body is not JSON"),
    "bad-request": (400, "The request is malformed"),
    "missing-token": (401, "A seat token is needed"),
    "invalid-token": (401, "The seat token is not valid"),
    "not-your-game": (403, "The seat token is for another game"),
    "forbidden": (403, "Not allowed from here"),
    "no-such-game": (404, "There is no such game"),
    "no-such-version": (404, "The game has no such version"),
    "not-found": (404, "There is nothing here"),
    "method-not-allowed": (405, "The method is not allowed here"),
    "not-acceptable": (406, "Not available in an accepted media type"),
    "stale-version": (412, "The game has gone on"),
    "body-too-large": (413, "The body is too large"),
    "unsupported-media-type": (415, "The body must be JSON"),
    "invalid-request": (422, "The request is not valid"),
    "idempotency-key-reused": (422, "The idempotency key came with another body"),
    "too-many-requests": (429, "Too many requests"),
    "store-unavailable": (503, "The store is not available"),
    "too-many-waiting": (503, "Too many requests are waiting"),
    "internal-error": (500, "Something went wrong"),
}


class Problem(Exception):
    """A refusal of the API itself."""

    def __init__(self, code: str, detail: str, *, headers: dict[str, str] | None = None, **members: Any) -> None:
        """`members` are added to the answer, as `errors` for a bad request."""
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.members = members


def title_of(reason: Reason) -> str:
    """The title of a refusal by the rules."""
    return reason.replace("-", " ").capitalize()


def problem_of_refusal(refusal: Refused, version: int) -> dict[str, Any]:
    """A refusal by the rules, as a problem."""
    return {
        "type": f"/problems/{refusal.reason}",
        "title": title_of(refusal.reason),
        "status": 409,
        "detail": refusal.detail,
        "version": version,
    }


def _answer(code: str, detail: str, headers: dict[str, str] | None = None, **members: Any) -> Response:
    status, title = TITLES[code]
    problem = {"type": f"/problems/{code}", "title": title, "status": status, "detail": detail, **members}
    return _respond(problem, headers)


def _respond(problem: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    if "version" not in problem and (version := _present_version()) is not None:
        problem["version"] = version
    body = json.dumps(problem, ensure_ascii=False, separators=(",", ":"))
    answer = Response(body, problem["status"], headers, content_type="application/problem+json")
    if problem["status"] == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _present_version() -> int | None:
    """Where the request's game is, once it has been said that it exists."""
    look = getattr(g, "present_version", None)
    try:
        return None if look is None else look()
    except (NoSuchGame, StoreUnavailable, CorruptLog):
        return None


def register(app: Flask) -> None:
    """Answer every exception as a problem."""
    app.register_error_handler(Problem, lambda error: _answer(error.code, error.detail, error.headers, **error.members))
    app.register_error_handler(Refused, lambda refusal: _respond(problem_of_refusal(refusal, _present_version() or 0)))
    app.register_error_handler(NoSuchGame, lambda _: _answer("no-such-game", "No game has this id."))
    app.register_error_handler(NoSuchVersion, lambda _: _answer("no-such-version", "The game has no such version."))
    app.register_error_handler(
        StaleVersion,
        lambda stale: _answer("stale-version", f"The game is at version {stale.version}.", version=stale.version),
    )
    app.register_error_handler(
        KeyReused, lambda _: _answer("idempotency-key-reused", "This key was used for a request with another body.")
    )
    app.register_error_handler(StoreUnavailable, _store_unavailable)
    app.register_error_handler(CorruptLog, _corrupt_log)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unforeseen)


def _store_unavailable(_: StoreUnavailable) -> Response:
    detail = "Nothing was accepted, unless a repeat with the same Idempotency-Key says so."
    return _answer("store-unavailable", detail, {"Retry-After": "2"})


def _corrupt_log(error: CorruptLog) -> Response:
    g.logger.error("corrupt log", reason=str(error))
    return _answer("store-unavailable", "The game's log can't be read.", {"Retry-After": "60"})


def _http_error(error: HTTPException) -> Response:
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return _answer("method-not-allowed", f"Allowed here: {allowed}.", {"Allow": allowed})
    if isinstance(error, RequestEntityTooLarge):
        return _answer("body-too-large", "A body may have up to 65536 bytes.")
    if isinstance(error, NotFound):
        return _answer("not-found", "No such resource.")
    if isinstance(error, RequestTimeout) or (error.code is not None and 400 <= error.code < 500):
        return _answer("bad-request", "The request can't be understood.")
    return _unforeseen(error)


def _unforeseen(error: Exception) -> Response:
    # The traceback names code, never values: bodies, tokens and cards stay out of logs.
    g.logger.error("unforeseen error", kind=type(error).__name__, route=str(request.url_rule), exc_info=error)
    return _answer("internal-error", "This is a fault of the service.")
