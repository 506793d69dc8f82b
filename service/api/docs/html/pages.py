"""The list of documents with Swagger UI below it, and what both lead to; nothing is loaded from other hosts.

Besides: a page on each code, to which the `type` of a problem points; where documents were served before; and what
browsers and robots ask for unasked.
"""

import json
import re
from collections.abc import Iterable
from functools import cache, partial
from html import escape
from importlib.resources import files
from typing import Final

from flask import Response

from config.release import release
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import JSON
from service.api.docs.examples import problem_example
from service.api.docs.html.documents import DOCUMENTS, list_documents, render_document
from service.api.docs.html.page_frame import A_DAY, read_static, render_page, respond_page
from service.api.docs.static_content import FOR_EVER, REVALIDATE, StaticContent
from service.api.problems.problem import CODES, Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import Operation, Route, RouteTable
from service.api.wsgi import current_request

routes: Final = RouteTable()

_MOVED: Final = {"/api": "/docs", "/by-post": "/docs/by-post", "/protocol": "/docs/protocol"}
_POLICY: Final = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
_ASSETS: Final = {
    "swagger-ui.css": ("swagger_ui", "text/css; charset=utf-8"),
    "swagger-ui-bundle.js": ("swagger_ui", "text/javascript; charset=utf-8"),
    "docs.css": ("service.api.docs", "text/css; charset=utf-8"),
    "docs.js": ("service.api.docs", "text/javascript; charset=utf-8"),
}
"""The page's files: name -> the package whose folder `static` holds it, media type."""


@routes.get("/docs")
def show_docs(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    answer = _docs_page().respond("text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


@routes.get("/docs/<name>")
def show_part(request: ApiRequest) -> Response:
    """A document, or a file of the page, whose own addresses of these name their digests, so that they never expire."""
    name = request.path["name"]
    if name in DOCUMENTS:
        return respond_page(render_document(name))
    if name not in _ASSETS:
        raise Problem("not-found", Sentence("not-found"))
    content = _asset(name)
    is_named = current_request().query_string == f"v={content.digest}".encode()
    return content.respond(_ASSETS[name][1], FOR_EVER if is_named else REVALIDATE)


@cache
def _docs_page() -> StaticContent:
    page = read_static("docs.html").format(style=read_static("page.css"), list=list_documents(), release=release())
    for name in _ASSETS:
        page = page.replace(f'"/docs/{name}"', f'"/docs/{name}?v={_asset(name).digest}"')
    return StaticContent.of(page.encode())


@cache
def _asset(name: str) -> StaticContent:
    return StaticContent.of((files(_ASSETS[name][0]) / "static" / name).read_bytes())


def document_routes(others: Iterable[Route]) -> RouteTable:
    """The route of the OpenAPI document, which describes the other ones and itself."""
    table = RouteTable("service")

    @cache
    def document(*, fixed_seed: bool, contact: tuple[str, str] | None) -> StaticContent:
        from service.api.docs.openapi import build  # at the first request: a start compiles a twentieth less

        made = build([*others, *table], fixed_seed=fixed_seed)
        if contact:
            made["info"]["contact"] = dict(zip(("name", "url"), contact, strict=True))
        return StaticContent.of(json.dumps(made).encode())

    @table.get("/v1/openapi.json", Operation(answers={200: "Document", 304: None}))
    def show_document(request: ApiRequest) -> Response:
        """The OpenAPI document of this service.

        It is made from the schemas that validate requests.
        """
        settings = request.services.settings
        return document(fixed_seed=settings.allow_fixed_seed, contact=next(iter(settings.footer), None)).respond(JSON)

    return table


@routes.get("/problems/<code>")
def show_problem(request: ApiRequest) -> Response:
    name = request.path["code"]
    if name not in CODES:
        raise Problem("not-found", Sentence("not-found"))
    return respond_page(_problem_page(name))


@cache
def _problem_page(name: str) -> StaticContent:
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


@cache
def _file(name: str) -> StaticContent:
    return StaticContent.of(read_static(name).encode())


for _old, _new in _MOVED.items():
    routes.serve(_old, partial(Response, status=301, headers={"Location": _new}))
# Worked examples of the shuffle and the hash chain, for the tests of a verifier.
routes.serve("/protocol/vectors.json", lambda: _file("vectors.json").respond("application/json"))
# An SVG: browsers go by the media type.
routes.serve("/favicon.ico", lambda: _file("icon.svg").respond("image/svg+xml", A_DAY))
routes.serve("/robots.txt", lambda: _file("robots.txt").respond("text/plain; charset=utf-8", A_DAY))
