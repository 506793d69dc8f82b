"""Every error answer: application/problem+json (RFC 9457) with the contract's codes."""

import json
from typing import Any, Final

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge, RequestTimeout

from domain.refusals import Refused
from domain.words import LANGUAGES
from domain.words.refusals import word_refusal
from domain.words.refusals.sentences import Sentence, sentence_of
from service.api.protocol.problem_codes import CODES
from service.gamelog.errors import (
    CorruptLog,
    KeyReused,
    NoSuchGame,
    NoSuchVersion,
    StaleVersion,
    StoreFull,
    StoreUnavailable,
    TooManyBotGames,
)

MEDIA_TYPE: Final = "application/problem+json"

logger = structlog.get_logger("service.web")


class Problem(Exception):
    """A refusal, with what its answer says."""

    def __init__(
        self, code: str, detail: Sentence | str, *, headers: dict[str, str] | None = None, **members: Any
    ) -> None:
        """`detail`: a sentence, or a text that is English whatever the reader prefers.

        `members` are added to the answer, such as `errors` of an invalid request.
        """
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.members = members

    def to_json(self, version: int | None = None, language: str = LANGUAGES[0]) -> dict[str, Any]:
        """The body of the answer. `version`: the game's present one; None where there is no game."""
        code = CODES[self.code]
        body = {
            "type": f"/problems/{self.code}",
            "title": code.title,
            "status": code.status,
            "detail": word_refusal(self.detail, language) if isinstance(self.detail, Sentence) else self.detail,
            **self.members,
        }
        if version is not None:
            body.setdefault("version", version)
        return body


def problem_of(error: Exception) -> Problem:  # noqa: C901, PLR0911 - a table
    """The problem that an exception is answered with; an unforeseen one is logged."""
    match error:
        case Problem():
            return error
        case Refused():
            return Problem(error.reason, sentence_of(error))
        case NoSuchGame():
            return Problem("no-such-game", "No game has this id.")
        case NoSuchVersion():
            return Problem("no-such-version", "The game has no such version.")
        case StaleVersion():
            return Problem("stale-version", f"The game is at version {error.version}.", version=error.version)
        case KeyReused():
            return Problem("idempotency-key-reused", "This key was already used for a request with another body.")
        case TooManyBotGames():
            detail = f"{error.most} games between bots are running, as many as this service plays at once."
            return Problem("too-many-requests", detail, headers={"Retry-After": "10"})
        case StoreFull():
            detail = "The store's memory is nearly full: no game is opened at the moment. Running games go on."
            return Problem("store-unavailable", detail, headers={"Retry-After": "60"})
        case StoreUnavailable():
            detail = "Nothing was accepted, unless a repeat with the same Idempotency-Key says so."
            return Problem("store-unavailable", detail, headers={"Retry-After": "2"})
        case CorruptLog():
            logger.error("corrupt log", reason=str(error))
            return Problem("store-unavailable", "The game's log can't be read.", headers={"Retry-After": "60"})
        case HTTPException():
            return _problem_of_http(error)
        case _:
            return _unforeseen(error)


def respond(problem: Problem, version: int | None = None) -> Response:
    """The answer with a problem. `version`: as in `Problem.to_json`."""
    body = json.dumps(problem.to_json(version), ensure_ascii=False, separators=(",", ":"))
    status = CODES[problem.code].status
    answer = Response(body, status, problem.headers, content_type=MEDIA_TYPE)
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def register(app: Flask) -> None:
    """Answer every exception with a problem."""
    app.register_error_handler(Exception, lambda error: respond(problem_of(error)))


def _problem_of_http(error: HTTPException) -> Problem:
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return Problem("method-not-allowed", f"Allowed here: {allowed}.", headers={"Allow": allowed})
    if isinstance(error, RequestEntityTooLarge):
        return Problem("body-too-large", "A body may have up to 65536 bytes.")
    if isinstance(error, NotFound):
        return Problem("not-found", "No such resource.")
    if isinstance(error, RequestTimeout) or (error.code is not None and 400 <= error.code < 500):
        return Problem("bad-request", "The request is not well-formed HTTP.")
    return _unforeseen(error)


def _unforeseen(error: Exception) -> Problem:
    # The traceback names code, never values: bodies, tokens and cards must not get into the log.
    logger.error("unforeseen error", kind=type(error).__name__, route=str(request.url_rule), exc_info=error)
    return Problem("internal-error", "This is a fault of the service.")
