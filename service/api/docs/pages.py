"""The page at `/`, the rules and the protocol as pages, and what browsers and robots ask for unasked."""

import base64
import re
from functools import cache
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Final

from flask import Response
from flask import request as http

from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_STATIC: Final = files("service.api.docs") / "static"
_STYLE: Final = (_STATIC / "page.css").read_text("utf-8")
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self'; "
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)
_SERVED: Final = {"rules.md": "/rules", "protocol.md": "/protocol"}
"""Documents that have a page; a link to any other leads into the repository, and is dropped."""
_HTML: Final = "text/html; charset=utf-8"
_SVG: Final = "image/svg+xml"


@routes.get("/")
def show_home(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """What this is, and where everything is."""
    return _respond(_home(), _HTML)


@routes.get("/rules")
def show_rules(request: ApiRequest) -> Response:  # noqa: ARG001
    """The rules in brief."""
    return _respond(_document("rules"), _HTML)


@routes.get("/protocol")
def show_protocol(request: ApiRequest) -> Response:  # noqa: ARG001
    """What clients can rely on."""
    return _respond(_document("protocol"), _HTML)


@routes.get("/favicon.ico")
def show_icon(request: ApiRequest) -> Response:  # noqa: ARG001
    """The icon, an SVG: browsers go by the media type."""
    return _respond(_read("icon.svg"), _SVG)


@routes.get("/robots.txt")
def show_robots(request: ApiRequest) -> Response:  # noqa: ARG001
    """Nothing but `/` is for search engines."""
    return _respond(_read("robots.txt"), "text/plain; charset=utf-8")


def _respond(content: str, media_type: str) -> Response:
    answer = Response(content, content_type=media_type)
    answer.headers["Cache-Control"] = "public, max-age=3600"
    answer.headers["Content-Security-Policy"] = _POLICY
    answer.add_etag()
    answer.make_conditional(http)
    return answer


@cache
def _read(name: str) -> str:
    return (_STATIC / name).read_text("utf-8")


@cache
def _home() -> str:
    return _page("Reibach &amp; Co.", _read("home.html"), f"Reibach log {version('reibach')}")


@cache
def _document(name: str) -> str:
    """A document of `docs/`, to which a link of that name in `static` leads, as a page."""
    from markdown_it import MarkdownIt  # a web process needn't import it to start

    content = MarkdownIt("commonmark").enable("table").render(_read(name))
    content = re.sub(r'<a href="([^"]*)">(.*?)</a>', _link, content, flags=re.DOTALL)
    content = re.sub(r"<(h[23])>(.*?)</\1>", _heading, content)
    content = content.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    title = re.sub(r"<[^>]*>", "", content.partition("</h1>")[0]).strip()
    return _page(f"{title} · Reibach &amp; Co.", content, '<a href="/">Reibach &amp; Co.</a>')


def _page(title: str, content: str, footer: str) -> str:
    return _read("page.html").format(title=title, style=_STYLE, content=content, footer=footer)


def _link(found: re.Match[str]) -> str:
    target, text = found[1], found[2]
    if target in _SERVED:
        return f'<a href="{_SERVED[target]}">{text}</a>'
    return found[0] if target.startswith(("#", "https://")) else text


def _heading(found: re.Match[str]) -> str:
    """With the anchor by which the document's own links name it."""
    words = re.sub(r"<[^>]*>", "", found[2]).lower()
    anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
    return f'<{found[1]} id="{escape(anchor)}">{found[2]}</{found[1]}>'
