"""The application: a Flask whose every request goes one way, and the requests and answers on it.

Flask's own `wsgi_app` gives each request a session, signals and two contexts, none of which this service uses; that
takes a fifth of an action. This one has the request's route found, makes all checks, calls the view, and completes its
answer. So `flask.request`, `g`, sessions, signals and hooks don't work here: a request is found by `current_request`.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import flask
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import Rule

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

HeaderPairs: TypeAlias = Sequence[tuple[str, str]]
"""Names and values that are right as they are: no line breaks, only Latin-1."""
_MOST_SLASHES: Final = 100
"""Far more than a route has; to search one for a path of 60,000 costs ten actions."""
_MOST_MATCHED: Final = 10_000
"""Routes that are remembered by method and path: werkzeug's search takes 8 % of an action, and 15 % of a view."""
_LONGEST: Final = 300
"""Characters of a path whose route is remembered."""
_WITHOUT_CONTENT: Final = frozenset({204, 304})


class Request(flask.Request):
    def __init__(self, environ: "WSGIEnvironment") -> None:
        """Without a reference in `environ`, which would leave both to the garbage collector."""
        super().__init__(environ, populate_request=False)
        self.began = time.perf_counter()
        """By `time.perf_counter`, in seconds."""
        self.used = time.thread_time_ns()
        """The thread's processor time then."""
        self.weight = 1
        """What was counted for it when it came, see `service.api.limits.rates`."""
        self.reader: int | None = None
        """The client for which it counts as a request that is being answered."""


class Response(flask.Response):
    """An answer that is handed over as a list where it is whole: granian takes any other iterable piece by piece."""

    def get_app_iter(self, environ: "WSGIEnvironment") -> Iterable[bytes]:
        """The pieces that are sent: those of a list, or of an iterator with `close`."""
        pieces = super().get_app_iter(environ)
        if not self.is_sequence:
            return pieces
        whole = list(pieces)
        self.close()
        return whole


class JsonResponse(Response):
    """A whole JSON answer, made and sent without what werkzeug does for answers of all kinds, which takes 15 us."""

    def __init__(
        self,
        content: bytes,
        status: int,
        headers: Mapping[str, str] | None = None,
        media_type: str = "application/json",
    ) -> None:
        """`headers`: of any names but those of the content."""
        all_headers = Headers()
        for name, value in headers.items() if headers else ():
            all_headers.add(name, value)
        all_headers.add("Content-Type", media_type)
        all_headers.add("Content-Length", str(len(content)))
        super().__init__([content], status, all_headers)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if self.status_code in _WITHOUT_CONTENT or has_header(self, "Location"):
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        self.close()
        return [] if environ["REQUEST_METHOD"] == "HEAD" else cast("list[bytes]", self.response)


def has_header(answer: flask.Response, name: str) -> bool:
    """Whether an answer has a header of this name, in this spelling; werkzeug makes an exception where it has none."""
    for other, _ in answer.headers:  # noqa: SIM110 - a generator takes twice as long
        if other == name:
            return True
    return False


PRESENT: Final[ContextVar[Request]] = ContextVar("request")
current_request: Final = PRESENT.get
"""The request that this thread answers."""
Check: TypeAlias = Callable[[Request], flask.Response | None]
"""Looks at each request before its view; raises Problem, or answers in the view's place."""
Finish: TypeAlias = Callable[[Request, flask.Response], HeaderPairs]
"""Completes each answer; what it gives is appended to the headers, also of names that the answer has."""


class Application(flask.Flask):
    """A WSGI application. Its views get the variable parts of their path, and give an answer."""

    request_class = Request
    response_class = Response

    def __init__(
        self,
        name: str,
        refuse: Callable[[Exception], flask.Response],
        checks: Sequence[Check] = (),
        finishes: Sequence[Finish] = (),
    ) -> None:
        """`refuse`: the answer to an exception; `checks` and `finishes` are called in their order."""
        super().__init__(name, static_folder=None)
        self._refuse = refuse
        self._checks = checks
        self._finishes = finishes
        self.url_map.merge_slashes = False
        self._routes = self.url_map.bind("localhost")
        self._match: Callable[..., tuple[Rule, Mapping[str, Any]]] = partial(self._routes.match, return_rule=True)
        self._match_again = lru_cache(_MOST_MATCHED)(self._match)

    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        request = Request(environ)
        token = PRESENT.set(request)
        more: list[tuple[str, str]] = []
        try:
            try:
                answer = self._answer(request)
                for finish in self._finishes:
                    more += finish(request, answer)
            except Exception as error:  # noqa: BLE001 - every exception has an answer
                answer = self._refuse(error)
            if not isinstance(answer, Response):
                answer = cast("Response", Response.force_type(answer, environ))
            return answer(environ, lambda status, headers, *rest: start_response(status, headers + more, *rest))
        finally:
            request.close()
            PRESENT.reset(token)

    def _answer(self, request: Request) -> flask.Response:
        """The answer of the request's view, or that to an exception."""
        try:
            self._find_route(request)
            for check in self._checks:
                if answer := check(request):
                    return answer
            if request.routing_exception is not None:
                raise request.routing_exception
            assert request.url_rule is not None
            assert request.view_args is not None
            if request.method == "OPTIONS":
                options = Response()
                options.allow.update(self._routes.allowed_methods(request.path))
                return options
            return cast("flask.Response", self.view_functions[request.url_rule.endpoint](**request.view_args))
        except Exception as error:  # noqa: BLE001 - as above
            return self._refuse(error)

    def _find_route(self, request: Request) -> None:
        """Set the request's route, or the exception that says why it has none: the checks come first."""
        environ = request.environ
        try:
            path = request.path  # `/` where a request has none
            if request.method == "CONNECT" or path.count("/") > _MOST_SLASHES:
                raise NotFound
            websocket = "HTTP_UPGRADE" in environ and _asks_for_websocket(environ)
            match = self._match_again if len(path) <= _LONGEST else self._match
            request.url_rule, variables = match(path, request.method, websocket=websocket)
            request.view_args = dict(variables)
        except HTTPException as error:
            request.routing_exception = error


def _asks_for_websocket(environ: "WSGIEnvironment") -> bool:
    connection = [word.strip() for word in environ.get("HTTP_CONNECTION", "").lower().split(",")]
    return "upgrade" in connection and environ["HTTP_UPGRADE"].lower() == "websocket"
