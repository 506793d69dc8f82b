"""Cross-origin requests: what a page of another site may send to /v1, and read of its answers.

There are no cookies: a foreign page has no token but one that its user gave it, so that every origin is safe.
"""

from typing import Any, Final

from flask import Response

from config.settings import ANY_ORIGIN
from service.api.wsgi import HeaderPairs, Request

_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Reibach-Opening-Key"
    ),
    "Access-Control-Max-Age": "86400",
}
"""The same for every path: an unknown path or method is refused by the request itself, readable for the page."""
_REQUESTED: Final = "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
_EXPOSED: Final = (
    "Access-Control-Expose-Headers",
    "ETag, Location, Retry-After, Idempotency-Replayed, RateLimit, RateLimit-Policy",
)


class AllowedOrigins:
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

    def allow(self, request: Request, _answer: Response) -> HeaderPairs:
        if not _is_api(request.environ):
            return ()
        origin = self._allowed_origin(request.environ)
        allowed = (("Access-Control-Allow-Origin", origin), _EXPOSED) if origin else ()
        return allowed if self._allows_any else (("Vary", "Origin"), *allowed)

    def _allowed_origin(self, environ: dict[str, Any]) -> str | None:
        if self._allows_any:
            return ANY_ORIGIN
        origin: str = environ.get("HTTP_ORIGIN", "")
        return origin if origin in self._origins else None


def _is_api(environ: dict[str, Any]) -> bool:
    path: str = environ["PATH_INFO"]
    return path.startswith("/v1/")
