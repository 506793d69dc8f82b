"""What the `type` of a problem points at: a short page on each code."""

import base64
import json
import re
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from flask import Response

from domain.words.refusals.sentences import Sentence
from service.api.docs.examples import problem_example
from service.api.docs.static_content import StaticContent
from service.api.protocol.problem_codes import CODES
from service.api.protocol.problems import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_FOLDER: Final = files("service.api.docs") / "static"
_PAGE: Final = (_FOLDER / "problem.html").read_text("utf-8")
_STYLE: Final = (_FOLDER / "problem.css").read_text("utf-8")
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)
_A_DAY: Final = "public, max-age=86400"


@routes.get("/problems/<code>")
def show_problem(request: ApiRequest) -> Response:
    """The page on one code."""
    name = request.path["code"]
    if name not in CODES:
        raise Problem("not-found", Sentence("not-found"))
    answer = _page(name).respond("text/html; charset=utf-8", _A_DAY)
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


@cache
def _page(name: str) -> StaticContent:
    code = CODES[name]
    example = json.dumps(problem_example(name), indent=2, ensure_ascii=False)
    page = _PAGE.format(
        style=_STYLE,
        code=name,
        status=code.status,
        title=_html(code.title),
        meaning=_html(code.meaning),
        remedy=_html(code.remedy),
        example=escape(example, quote=False),
    )
    return StaticContent.of(page.encode())


def _html(text: str) -> str:
    """The text as HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
