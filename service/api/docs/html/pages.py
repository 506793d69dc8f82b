"""The page about the API, documents as pages, and what browsers and robots ask for unasked."""

import re
from functools import cache
from html import escape
from importlib.metadata import version
from typing import Final

from flask import Response

from service.api.docs.html.page_frame import A_DAY, read_static, render_page, respond_page
from service.api.docs.static_content import StaticContent
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_SERVED: Final = {
    "rules.md": "/rules",
    "by-post.md": "/by-post",
    "protocol.md": "/protocol",
    "../tests/oracle/vectors.json": "/protocol/vectors.json",
}
"""Documents that are served; a link to any other leads into the repository, and is dropped."""


@routes.get("/api")
def show_home(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
    """What programs and operators find here, and where."""
    return respond_page(_home())


@routes.get("/by-post")
def show_by_post(request: ApiRequest) -> Response:  # noqa: ARG001
    """How to play by post."""
    return respond_page(_document("by-post"))


@routes.get("/protocol")
def show_protocol(request: ApiRequest) -> Response:  # noqa: ARG001
    """What clients can rely on."""
    return respond_page(_document("protocol"))


@routes.get("/protocol/vectors.json")
def show_vectors(request: ApiRequest) -> Response:  # noqa: ARG001
    """Worked examples of the shuffle and the hash chain, for the tests of a verifier."""
    return _file("vectors.json").respond("application/json")


@routes.get("/favicon.ico")
def show_icon(request: ApiRequest) -> Response:  # noqa: ARG001
    """The icon, an SVG: browsers go by the media type."""
    return _file("icon.svg").respond("image/svg+xml", A_DAY)


@routes.get("/robots.txt")
def show_robots(request: ApiRequest) -> Response:  # noqa: ARG001
    """Nothing but `/` is for search engines."""
    return _file("robots.txt").respond("text/plain; charset=utf-8", A_DAY)


@cache
def _file(name: str) -> StaticContent:
    return StaticContent.of(read_static(name).encode())


@cache
def _home() -> StaticContent:
    return render_page("Reibach &amp; Co.", read_static("home.html"), f"Reibach log {version('reibach')}")


@cache
def _document(name: str) -> StaticContent:
    """A document of `docs/`, to which a link of that name in `static` leads, as a page."""
    from markdown_it import MarkdownIt  # a web process needn't import it to start

    content = MarkdownIt("commonmark").enable("table").render(read_static(name))
    content = re.sub(r'<a href="([^"]*)">(.*?)</a>', _link, content, flags=re.DOTALL)
    content = re.sub(r"<(h[23])>(.*?)</\1>", _heading, content)
    content = content.replace("<th></th>", "<td></td>")  # a corner is no heading
    content = content.replace("<table>", '<div class="table" tabindex="0"><table>').replace(
        "</table>", "</table></div>"
    )
    title = re.sub(r"<[^>]*>", "", content.partition("</h1>")[0]).strip()
    return render_page(f"{title} · Reibach &amp; Co.", content, '<a href="/">Reibach &amp; Co.</a>')


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
