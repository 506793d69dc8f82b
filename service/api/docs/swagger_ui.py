"""Swagger UI on the OpenAPI document, with nothing loaded from other hosts."""

from functools import cache
from importlib.resources import files
from typing import Final

from flask import Response
from flask import request as http

from domain.words.refusals.sentences import Sentence
from service.api.protocol.problems import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_POLICY: Final = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
_ASSETS: Final = {
    "swagger-ui.css": ("swagger_ui", "text/css"),
    "swagger-ui-bundle.js": ("swagger_ui", "text/javascript"),
    "favicon-32x32.png": ("swagger_ui", "image/png"),
    "docs.css": ("service.api.docs", "text/css"),
    "docs.js": ("service.api.docs", "text/javascript"),
}
"""The only files that are served: name -> the package whose folder `static` holds it, media type."""


@routes.get("/docs")
def show_docs(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """The page."""
    answer = _file("service.api.docs", "docs.html", "text/html")
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


@routes.get("/docs/<name>")
def show_asset(request: ApiRequest) -> Response:
    """A part of the page."""
    name = request.path["name"]
    if name not in _ASSETS:
        raise Problem("not-found", Sentence("not-found"))
    return _file(_ASSETS[name][0], name, _ASSETS[name][1])


def _file(package: str, name: str, media_type: str) -> Response:
    answer = Response(_content(package, name), mimetype=media_type)
    answer.headers["Cache-Control"] = "no-cache"  # cached, but revalidated: a release may change it
    answer.add_etag()
    answer.make_conditional(http)
    return answer


@cache
def _content(package: str, name: str) -> bytes:
    return (files(package) / "static" / name).read_bytes()
