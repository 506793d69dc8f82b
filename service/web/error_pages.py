"""What a browser is shown where no page is, or where none can be shown now; every other client gets a problem."""

from collections.abc import Collection
from functools import cache
from typing import Final

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from service.api.limits.bounds import read_header
from service.api.problems.problem import MEDIA_TYPE, Problem, problem_of, respond
from service.api.wsgi.requests import Request
from service.web.frame import Tongue, read_tongue, respond_notice
from service.web.words import PAGE_WORDS

_API: Final = "/v1"
_JSON: Final = ("application/json", MEDIA_TYPE)
_PASSING: Final = frozenset({429, 500, 503})
"""Statuses of problems that any page can have, and that pass."""


def register(app: Flask) -> None:
    """Let `app` answer so where nothing is at a path."""
    app.register_error_handler(NotFound, _answer)


def show_passing_problem(_request: Request, answer: Response) -> None:
    """Turn the problem of a page that a browser asks for into a page. Its status and `Retry-After` stay."""
    if answer.status_code not in _PASSING or answer.mimetype != MEDIA_TYPE:
        return
    try:
        if not _is_for_browser({"GET", "HEAD", "POST"}):
            return
    except Problem:
        return
    content, headers = _passing_page(read_tongue(), is_busy=answer.status_code == 429)
    answer.set_data(content)
    answer.headers.update(headers)
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers.add("Vary", "Accept, Accept-Language")


@cache  # two pages in each language, with it in their links or not: a refusal costs no rendering
def _passing_page(tongue: Tongue, *, is_busy: bool) -> tuple[bytes, dict[str, str]]:
    """Its content, and the headers that differ from those of a problem."""
    words = PAGE_WORDS[tongue.language]
    title = words.common.too_many if is_busy else words.common.unavailable
    page = respond_notice(tongue, title, [words.common.again_hint])
    names = ("Content-Type", "Content-Language", "Content-Security-Policy", "Cache-Control")
    return page.get_data(), {name: page.headers[name] for name in names}


def _answer(error: NotFound) -> Response:
    try:
        if not _is_for_browser({"GET", "HEAD"}):
            return respond(problem_of(error))
    except Problem as problem:
        return respond(problem)
    tongue = read_tongue()
    words = PAGE_WORDS[tongue.language]
    answer = respond_notice(tongue, words.common.no_page, [words.common.no_page_hint])
    answer.status_code = 404
    answer.headers.add("Vary", "Accept")
    return answer


def _is_for_browser(methods: Collection[str]) -> bool:
    """Whether the client prefers a page to JSON, outside the API. Raises Problem for a header too long."""
    is_page = request.method in methods and not f"{request.path}/".startswith(f"{_API}/")
    if not is_page or not read_header("Accept"):
        return False
    accepted = request.accept_mimetypes
    return accepted["text/html"] > max(accepted[kind] for kind in _JSON)
