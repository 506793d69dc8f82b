"""The pages about the API: Swagger UI on the OpenAPI document, with nothing loaded from other hosts."""

from functools import cache
from importlib.resources import files

from flask import Blueprint, Response, request

from service.api.protocol.problems import Problem

docs = Blueprint("docs", __name__)

_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
_ASSETS = {
    "swagger-ui.css": ("swagger_ui", "text/css"),
    "swagger-ui-bundle.js": ("swagger_ui", "text/javascript"),
    "favicon-32x32.png": ("swagger_ui", "image/png"),
    "docs.css": ("service.api.docs", "text/css"),
    "docs.js": ("service.api.docs", "text/javascript"),
}
"""The only files given out: name -> the package whose folder `static` holds it, media type."""


@docs.get("/docs")
def show_docs() -> Response:
    """The page."""
    answer = _file("service.api.docs", "docs.html", "text/html")
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer


@docs.get("/docs/<name>")
def show_asset(name: str) -> Response:
    """A part of the page."""
    if name not in _ASSETS:
        raise Problem("not-found", "No such resource.")
    return _file(_ASSETS[name][0], name, _ASSETS[name][1])


def _file(package: str, name: str, media_type: str) -> Response:
    answer = Response(_content(package, name), mimetype=media_type)
    answer.headers["Cache-Control"] = "no-cache"  # kept by browsers, but asked after: a release may bring new ones
    answer.add_etag()
    answer.make_conditional(request)
    return answer


@cache
def _content(package: str, name: str) -> bytes:
    return (files(package) / "static" / name).read_bytes()
