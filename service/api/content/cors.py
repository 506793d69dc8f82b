"""Cross-origin requests: what a page of another site may send to /v1, and read of its answers.

There are no cookies: a foreign page has no token but one that its user gave it, so that every origin is safe.
"""

from typing import Any, Final

from flask import Flask, Response, request

from config.settings import ANY_ORIGIN

_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID"
    ),
    "Access-Control-Max-Age": "86400",
}
"""The same for every path: an unknown path or method is refused by the request itself, readable for the page."""
_REQUESTED: Final = "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
_EXPOSED: Final = "ETag, Location, Retry-After, Idempotency-Replayed"


def register(app: Flask, origins: frozenset[str]) -> None:
    """Allow pages of these origins; of every origin where ANY_ORIGIN is among them.

    A preflight is answered alike for every path, and reads nothing. It counts against the rate limit.
    """
    allows_any = ANY_ORIGIN in origins

    @app.before_request
    def answer_preflight() -> Response | None:
        environ = request.environ
        if environ["REQUEST_METHOD"] != "OPTIONS" or _REQUESTED not in environ or not _is_api(environ):
            return None
        return Response(status=204, headers=_PREFLIGHT if _allowed_origin(environ) else None)

    @app.after_request
    def allow(answer: Response) -> Response:
        environ, add = request.environ, answer.headers.add
        if _is_api(environ):
            if not allows_any:
                add("Vary", "Origin")
            if origin := _allowed_origin(environ):
                add("Access-Control-Allow-Origin", origin)
                add("Access-Control-Expose-Headers", _EXPOSED)
        return answer

    def _allowed_origin(environ: dict[str, Any]) -> str | None:
        if allows_any:
            return ANY_ORIGIN
        origin: str = environ.get("HTTP_ORIGIN", "")
        return origin if origin in origins else None


def _is_api(environ: dict[str, Any]) -> bool:
    path: str = environ["PATH_INFO"]
    return path.startswith("/v1/")
