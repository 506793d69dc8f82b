"""Where documents were served before, and what browsers and robots ask for unasked."""

from functools import cache, partial
from typing import Final

from flask import Response

from service.api.docs.html.page_frame import A_DAY, read_static
from service.api.docs.static_content import StaticContent
from service.api.protocol.routing import RouteTable

routes: Final = RouteTable()

_MOVED: Final = {"/api": "/docs", "/by-post": "/docs/by-post", "/protocol": "/docs/protocol"}


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
