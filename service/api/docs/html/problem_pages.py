"""What the `type` of a problem points at: a short page on each code."""

import json
import re
from functools import cache
from html import escape
from typing import Final

from flask import Response

from domain.words.refusals.sentences import Sentence
from service.api.docs.examples import problem_example
from service.api.docs.html.page_frame import read_static, render_page, respond_page
from service.api.docs.static_content import StaticContent
from service.api.problems.codes import CODES
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()


@routes.get("/problems/<code>")
def show_problem(request: ApiRequest) -> Response:
    name = request.path["code"]
    if name not in CODES:
        raise Problem("not-found", Sentence("not-found"))
    return respond_page(_page(name))


@cache
def _page(name: str) -> StaticContent:
    code = CODES[name]
    example = json.dumps(problem_example(name), indent=2, ensure_ascii=False)
    title = _html(code.title)
    content = read_static("problem.html").format(
        code=name,
        status=code.status,
        title=title,
        meaning=_html(code.meaning),
        remedy=_html(code.remedy),
        example=escape(example, quote=False),
    )
    return render_page(f"{title} · Reibach &amp; Co.", content, '<a href="/docs">The API</a>')


def _html(text: str) -> str:
    """The text as HTML; what is between backticks is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
