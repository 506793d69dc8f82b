"""The application of a web process that has no store: it refuses all requests until the deployment's store is there."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import structlog

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import MEDIA_TYPE, Problem
from service.api.wsgi import JsonResponse
from service.gamelog.store.errors import StoreUnavailable
from service.runtime.periodic import Periodic
from service.signing.deployment import BadDeployment, WrongStore

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOOK_S: Final = 1.0
"""Seconds between two looks at the store."""
_PROBLEM: Final = Problem("store-unavailable", Sentence("store-unavailable")).to_json()

logger = structlog.get_logger("service.web")


def open_or_await(open_application: "Callable[[], WSGIApplication]") -> "WSGIApplication":
    """The application; while its store is away, or a wrong one, what takes its place. Raises BadDeployment.

    `open_application`: raises StoreUnavailable and BadDeployment.
    """
    try:
        return open_application()
    except (WrongStore, StoreUnavailable) as error:
        return AwaitingStore(open_application, error)


class AwaitingStore:
    """Hands over to the application as soon as that can be opened. Safe for threads.

    A thread of its own opens it, which may wait long for a store: requests are answered at once.
    """

    def __init__(self, open_application: "Callable[[], WSGIApplication]", error: Exception) -> None:
        """`open_application`: as for `open_or_await`; it has failed with `error`."""
        self._open = open_application
        self._application: WSGIApplication | None = None
        self._status = ""
        """The word of `/readyz`."""
        self._note(error)
        self._looks = Periodic("awaiting store", self._look, _LOOK_S)
        self._looks.start()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if self._application is not None:
            return self._application(environ, start_response)
        states = {"/healthz": {"status": "up"}, "/readyz": {"status": self._status}}
        path = environ.get("PATH_INFO", "")
        body = json.dumps(states.get(path, _PROBLEM), separators=(",", ":")).encode()
        headers = {"Retry-After": "5", "Connection": "close"}  # its body stays unread
        media_type = "application/json" if path in states else MEDIA_TYPE
        return JsonResponse(body, 200 if path == "/healthz" else 503, headers, media_type)(environ, start_response)

    def _look(self) -> None:
        try:
            self._application = self._open()
        except (BadDeployment, StoreUnavailable) as error:
            self._note(error)
        else:
            logger.warning("the store is there: requests are served")
            self._looks.end()

    def _note(self, error: Exception) -> None:
        """Take over why there is no store; logged where that is another reason than before."""
        is_away = isinstance(error, StoreUnavailable)
        status = "no-store" if is_away else "wrong-store"
        if status != self._status:
            self._status = status
            log = logger.warning if is_away else logger.error
            log("no request is served", reason=str(error))
