"""What the `type` of a problem points at: a short page on each code."""

from html import escape
from typing import Final

from flask import Response

from domain.words.refusals.sentences import Sentence
from service.api.protocol.problem_codes import CODES
from service.api.protocol.problems import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<h1>{title}</h1>
<p>{meaning}</p>
<p><code>{code}</code>, status {status}. <a href="/docs">The API</a></p>
</html>
"""


@routes.get("/problems/<code>")
def show_problem(request: ApiRequest) -> Response:
    """The page on one code."""
    name = request.path["code"]
    if name not in CODES:
        raise Problem("not-found", Sentence("not-found"))
    code = CODES[name]
    title, meaning = escape(code.title), escape(code.meaning, quote=False)
    page = _PAGE.format(title=title, meaning=meaning, code=name, status=code.status)
    headers = {"Content-Security-Policy": "default-src 'none'"}
    return Response(page, content_type="text/html; charset=utf-8", headers=headers)
