"""Cross-origin requests: what a page of another site may send to /v1, and read of its answers.

There are no cookies: a foreign page has no token but one that its user gave it, so that every origin is safe.
"""

from typing import Any, Final

from flask import Response

from config.settings import ANY_ORIGIN
from service.api.wsgi.requests import Request
from service.api.wsgi.responses import append_headers

_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID"
    ),
    "Access-Control-Max-Age": "86400",
}
"""The same for every path: an unknown path or method is refused by the request itself, readable for the page."""
_REQUESTED: Final = "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
_EXPOSED: Final = ("Access-Control-Expose-Headers", "ETag, Location, Retry-After, Idempotency-Replayed")
_FOR_ANY_ORIGIN: Final = (("Access-Control-Allow-Origin", ANY_ORIGIN), _EXPOSED)


class AllowedOrigins:
    """The origins whose pages may use the API."""

    def __init__(self, origins: frozenset[str]) -> None:
        """`origins`: every origin where ANY_ORIGIN is among them."""
        self._origins = origins
        self._allows_any = ANY_ORIGIN in origins

    def answer_preflight(self, request: Request) -> Response | None:
        """The answer to a preflight, alike for every path; it reads nothing. It counts against the rate limit."""
        environ = request.environ
        if environ["REQUEST_METHOD"] != "OPTIONS" or _REQUESTED not in environ or not _is_api(environ):
            return None
        return Response(status=204, headers=_PREFLIGHT if self._allowed_origin(environ) else None)

    def allow(self, request: Request, answer: Response) -> None:
        """Let pages of these origins read the answer."""
        environ = request.environ
        if not _is_api(environ):
            return
        if self._allows_any:
            append_headers(answer, _FOR_ANY_ORIGIN)
            return
        add = answer.headers.add
        add("Vary", "Origin")
        if origin := self._allowed_origin(environ):
            add("Access-Control-Allow-Origin", origin)
            add(*_EXPOSED)

    def _allowed_origin(self, environ: dict[str, Any]) -> str | None:
        if self._allows_any:
            return ANY_ORIGIN
        origin: str = environ.get("HTTP_ORIGIN", "")
        return origin if origin in self._origins else None


def _is_api(environ: dict[str, Any]) -> bool:
    path: str = environ["PATH_INFO"]
    return path.startswith("/v1/")
