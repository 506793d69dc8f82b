"""Cross-origin requests: what a page of another site may send to /v1, and read of its answers.

There are no cookies: a foreign page has no token but one that its user gave it, so that every origin is safe.
"""

from typing import Final

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
_EXPOSED: Final = "ETag, Location, Retry-After, Idempotency-Replayed"


def register(app: Flask, origins: frozenset[str]) -> None:
    """Allow pages of these origins; of every origin where ANY_ORIGIN is among them.

    A preflight is answered before the route is looked up, and reads nothing. It counts against the rate limit.
    """
    allows_any = ANY_ORIGIN in origins

    @app.before_request
    def answer_preflight() -> Response | None:
        if request.method != "OPTIONS" or "Access-Control-Request-Method" not in request.headers or not _is_api():
            return None
        return Response(status=204, headers=_PREFLIGHT if _allowed_origin() else None)

    @app.after_request
    def allow(answer: Response) -> Response:
        if _is_api():
            if not allows_any:
                answer.headers.add("Vary", "Origin")
            if origin := _allowed_origin():
                answer.headers.add("Access-Control-Allow-Origin", origin)
                answer.headers.add("Access-Control-Expose-Headers", _EXPOSED)
        return answer

    def _allowed_origin() -> str | None:
        if allows_any:
            return ANY_ORIGIN
        origin = request.headers.get("Origin", "")
        return origin if origin in origins else None


def _is_api() -> bool:
    path: str = request.environ["PATH_INFO"]
    return path.startswith("/v1/")
