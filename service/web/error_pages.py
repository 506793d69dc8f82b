"""What a browser is shown where no page is, or where none can be shown now; every other client gets a problem."""

from collections.abc import Collection
from functools import cache
from typing import Final

from flask import Response
from werkzeug.exceptions import NotFound

from service.api.limits.bounds import read_header
from service.api.problems.problem import MEDIA_TYPE, Problem, problem_of, respond
from service.api.wsgi import HeaderPairs, Request, current_request
from service.web.frame import Tongue, read_tongue, respond_not_found, respond_notice
from service.web.words import page_words

_API: Final = "/v1"
_JSON: Final = ("application/json", MEDIA_TYPE)
_PASSING: Final = frozenset({429, 500, 503})
"""Statuses of problems that any page can have, and that pass."""


def refuse(error: Exception) -> Response:
    """The answer to an exception that no route has answered: a problem, or for a browser that there is no page."""
    try:
        if isinstance(error, NotFound) and _is_for_browser({"GET", "HEAD"}):
            return _show_no_page()
    except Problem as problem:
        return respond(problem)
    return respond(problem_of(error))


def show_passing_problem(_request: Request, answer: Response) -> HeaderPairs:
    """Turn the problem of a page that a browser asks for into a page. Its status and `Retry-After` stay."""
    if answer.status_code not in _PASSING or answer.mimetype != MEDIA_TYPE:
        return ()
    try:
        if not _is_for_browser({"GET", "HEAD", "POST"}):
            return ()
    except Problem:
        return ()
    content, headers = _passing_page(read_tongue(), is_busy=answer.status_code == 429)
    answer.set_data(content)
    answer.headers.update(headers)
    answer.headers["Referrer-Policy"] = "no-referrer"
    return (("Vary", "Accept, Accept-Language"),)


@cache  # two pages in each language, with it in their links or not: a refusal costs no rendering
def _passing_page(tongue: Tongue, *, is_busy: bool) -> tuple[bytes, dict[str, str]]:
    """Its content, and the headers that differ from those of a problem."""
    words = page_words(tongue.language).common
    title = words.too_many if is_busy else words.unavailable
    page = respond_notice(tongue, title, [words.again_hint])
    names = ("Content-Type", "Content-Language", "Content-Security-Policy", "Cache-Control")
    return page.get_data(), {name: page.headers[name] for name in names}


def _show_no_page() -> Response:
    tongue = read_tongue()
    words = page_words(tongue.language).common
    answer = respond_not_found(tongue, words.no_page, words.no_page_hint)
    answer.headers.add("Vary", "Accept")
    return answer


def _is_for_browser(methods: Collection[str]) -> bool:
    """Whether the client prefers a page to JSON, outside the API. Raises Problem for a header too long."""
    is_page = current_request().method in methods and not f"{current_request().path}/".startswith(f"{_API}/")
    if not is_page or not read_header("Accept"):
        return False
    accepted = current_request().accept_mimetypes
    return accepted["text/html"] > max(accepted[kind] for kind in _JSON)
