"""What is answered where nothing is at a path: a page for a browser, a problem for every other client."""

from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from service.api.limits.bounds import read_header
from service.api.problems.problem import MEDIA_TYPE, Problem, problem_of, respond
from service.web.frame import read_tongue, respond_notice
from service.web.words import PAGE_WORDS

_API: Final = "/v1"
_JSON: Final = ("application/json", MEDIA_TYPE)


def register(app: Flask) -> None:
    """Let `app` answer so."""
    app.register_error_handler(NotFound, _answer)


def _answer(error: NotFound) -> Response:
    try:
        if not _is_for_browser():
            return respond(problem_of(error))
    except Problem as problem:
        return respond(problem)
    tongue = read_tongue()
    words = PAGE_WORDS[tongue.language]
    answer = respond_notice(tongue, words.common.no_page, [words.common.no_page_hint])
    answer.status_code = 404
    answer.headers.add("Vary", "Accept")
    return answer


def _is_for_browser() -> bool:
    """Whether the client reads a page more gladly than JSON, outside the API. Raises Problem for a header too long."""
    is_page = request.method in {"GET", "HEAD"} and not f"{request.path}/".startswith(f"{_API}/")
    if not is_page or not read_header("Accept"):
        return False
    accepted = request.accept_mimetypes
    return accepted["text/html"] > max(accepted[kind] for kind in _JSON)
