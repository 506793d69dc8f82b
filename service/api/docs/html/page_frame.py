"""The frame of all pages for reading: head, style, icon and footer; no script, and nothing from other hosts."""

from importlib.resources import files
from typing import Final

from flask import Response

from service.api.content.page_policy import page_policy
from service.api.docs.static_content import StaticContent

A_DAY: Final = "public, max-age=86400"
"""`Cache-Control` of pages: a release may change them, and nothing depends on them."""


def read_static(name: str) -> str:
    return (files("service.api.docs") / "static" / name).read_text("utf-8")


_FRAME: Final = read_static("page.html")
_STYLE: Final = read_static("page.css")
_POLICY: Final = page_policy(_STYLE, "img-src 'self'")


def render_page(title: str, content: str, footer: str) -> StaticContent:
    """A page. All three are HTML."""
    return StaticContent.of(_FRAME.format(title=title, style=_STYLE, content=content, footer=footer).encode())


def respond_page(page: StaticContent) -> Response:
    answer = page.respond("text/html; charset=utf-8", A_DAY)
    answer.headers["Content-Security-Policy"] = _POLICY
    return answer
