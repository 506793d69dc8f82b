"""The application of a web process that has no store: it refuses all requests until the deployment's store is there."""

import json
import time
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Final

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import MEDIA_TYPE, Problem
from service.connections.clients import STORE_ERRORS
from service.gamelog.errors import StoreUnavailable
from service.signing.deployment import BadDeployment

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOOK_S: Final = 1.0
"""Seconds between two looks at the store."""
_STATES: Final = {"/healthz": ("200 OK", {"status": "up"}), "/readyz": ("503 ", {"status": "wrong-store"})}
_PROBLEM: Final = Problem("store-unavailable", Sentence("store-unavailable")).to_json()


class AwaitingStore:
    """Hands over to the application as soon as that can be opened. Safe for threads."""

    def __init__(self, open_application: "Callable[[], WSGIApplication]", look_s: float = _LOOK_S) -> None:
        """`open_application`: raises BadDeployment while the store is a wrong one; tried once in `look_s` at most."""
        self._open = open_application
        self._look_s = look_s
        self._application: WSGIApplication | None = None
        self._look_at = time.monotonic() + look_s
        self._lock = Lock()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        application = self._application or self._look()
        if application is not None:
            return application(environ, start_response)
        path = environ.get("PATH_INFO", "")
        status, content = _STATES.get(path, ("503 ", _PROBLEM))
        media_type = "application/json" if path in _STATES else MEDIA_TYPE
        body = json.dumps(content, separators=(",", ":")).encode()
        headers = [("Content-Type", media_type), ("Content-Length", str(len(body))), ("Retry-After", "5")]
        # Its body stays unread.
        start_response(status.replace("503 ", "503 Service Unavailable"), [*headers, ("Connection", "close")])
        return [body]

    def _look(self) -> "WSGIApplication | None":
        if not self._lock.acquire(blocking=False):
            return None  # another thread is looking
        try:
            if self._application is None and time.monotonic() >= self._look_at:
                try:
                    self._application = self._open()
                except (BadDeployment, StoreUnavailable, *STORE_ERRORS):
                    self._look_at = time.monotonic() + self._look_s
            return self._application
        finally:
            self._lock.release()
