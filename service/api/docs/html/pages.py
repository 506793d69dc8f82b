"""The page about the API, documents as pages, and what browsers and robots ask for unasked."""

import re
from functools import cache
from html import escape
from typing import Final

from config.release import release
from service.api.docs.html.page_frame import A_DAY, read_static, render_page, respond_page
from service.api.docs.static_content import StaticContent
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_SERVED: Final = {
    "rules.md": "/rules",
    "by-post.md": "/by-post",
    "protocol.md": "/protocol",
    "../tests/oracle/vectors.json": "/protocol/vectors.json",
}
"""Documents that are served; a link to any other leads into the repository, and is dropped."""


@cache
def _file(name: str) -> StaticContent:
    return StaticContent.of(read_static(name).encode())


@cache
def _home() -> StaticContent:
    return render_page("Reibach &amp; Co.", read_static("home.html"), f"Reibach log {release()}")


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


routes.serve("/api", lambda: respond_page(_home()))
routes.serve("/by-post", lambda: respond_page(_document("by-post")))
routes.serve("/protocol", lambda: respond_page(_document("protocol")))
# Worked examples of the shuffle and the hash chain, for the tests of a verifier.
routes.serve("/protocol/vectors.json", lambda: _file("vectors.json").respond("application/json"))
# An SVG: browsers go by the media type.
routes.serve("/favicon.ico", lambda: _file("icon.svg").respond("image/svg+xml", A_DAY))
routes.serve("/robots.txt", lambda: _file("robots.txt").respond("text/plain; charset=utf-8", A_DAY))
