"""Flask, with a shorter way for most requests.

Flask's own way gives each request a session, signals and an application's context, none of which this service uses; it
takes twice as long. What the shorter way doesn't know (an unknown path, another method, a WebSocket's upgrade) goes
Flask's way; whatever both do is one method that both call. `tests/api/test_application.py` sends the same requests both
ways, so that it fails if a release of Flask or werkzeug changes what this module rests on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias, cast

import flask
from flask.globals import _cv_request
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import MapAdapter, Rule

from service.api.wsgi.requests import Request
from service.api.wsgi.responses import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Check: TypeAlias = Callable[[Request], flask.Response | None]
"""Looks at each request before its view; raises Problem, or answers in the view's place."""
Finish: TypeAlias = Callable[[Request, flask.Response], None]
"""Completes each answer."""
_Found: TypeAlias = tuple[Rule, Mapping[str, Any]]
"""A route, and the variable parts of the path."""
_MOST_FOUND: Final = 10_000
_LONGEST: Final = 300
"""Characters of the path and the host of a request whose route is kept."""
_MOST_SLASHES: Final = 100
"""Far more than a route has; to search one for a path of 60,000 costs ten actions."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE"})


class _Context(NamedTuple):
    """What `flask.request` is found in. Flask's own context also has a session, and the application's context."""

    request: Request


class _MatchedRule(Rule):
    """A route that is only matched. werkzeug compiles two functions for each, which build addresses from it: 15 ms."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., NoReturn]:  # noqa: FBT002 - werkzeug's
        return _build_nothing


def _build_nothing(*_: Any) -> NoReturn:
    raise NotImplementedError("no address is built from a route")


class Application(flask.Flask):
    """A WSGI application. `flask.request` works in it; `g`, sessions, signals and hooks of Flask's do not."""

    url_rule_class = _MatchedRule
    request_class = Request
    response_class = Response

    def __init__(self, name: str, checks: Sequence[Check] = (), finishes: Sequence[Finish] = ()) -> None:
        """`checks` and `finishes` are called in their order."""
        super().__init__(name, static_folder=None)
        self._checks = checks
        self._finishes = finishes
        self._found: dict[tuple[str, str, str | None, str | None], _Found] = {}

    def wsgi_app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        if environ["REQUEST_METHOD"] not in _METHODS or "HTTP_UPGRADE" in environ:
            return super().wsgi_app(environ, start_response)
        request = Request(environ)
        try:
            request.url_rule, view_args = self._route_of(request)
            request.view_args = dict(view_args)
        except HTTPException:  # no such path, or not with this method: Flask's way to say so
            return super().wsgi_app(environ, start_response)
        token = _cv_request.set(cast("Any", _Context(request)))
        try:
            try:
                answer = self._answer(request)
            except Exception as error:  # noqa: BLE001 - as Flask does it
                answer = self.handle_exception(error)
            return answer(environ, start_response)
        finally:
            request.close()
            _cv_request.reset(token)
            environ["werkzeug.request"] = None  # as Flask does it: else both would be left to the garbage collector

    def _route_of(self, request: Request) -> _Found:
        """The request's route. Raises HTTPException where there is none.

        Found routes are kept by all that werkzeug finds them by, as players ask for the same paths again and again.
        """
        environ = request.environ
        asked = environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("HTTP_HOST"), environ.get("SCRIPT_NAME")
        found = self._found.get(asked)
        if found is None:
            adapter = self.create_url_adapter(request)
            assert adapter is not None
            found = adapter.match(return_rule=True)
            if len(asked[1]) + len(asked[2] or "") <= _LONGEST:
                if len(self._found) >= _MOST_FOUND:
                    self._found = {}
                self._found[asked] = found
        return found

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """What finds a route, for both ways. Raises NotFound for a path with too many slashes for every route."""
        if request is not None and request.environ["PATH_INFO"].count("/") > _MOST_SLASHES:
            raise NotFound
        return super().create_url_adapter(request)

    def _answer(self, request: Request) -> flask.Response:
        """The answer of the request's view, or the problem in its place. Raises what is not foreseen."""
        try:
            answer: Any = self.preprocess_request()
            if answer is None:
                assert request.url_rule is not None
                assert request.view_args is not None
                answer = self.view_functions[request.url_rule.endpoint](**request.view_args)
        except Exception as error:  # noqa: BLE001 - as Flask does it
            answer = self.handle_user_exception(error)
        return self.process_response(answer if isinstance(answer, Response) else self.make_response(answer))

    def preprocess_request(self) -> flask.Response | None:
        """Make all checks, in the place of Flask's `before_request`; the answer of one that gives one."""
        request = current_request()
        for check in self._checks:
            answer = check(request)
            if answer is not None:
                return answer
        return None

    def process_response(self, response: flask.Response) -> flask.Response:
        """Complete an answer, in the place of Flask's `after_request` and its session."""
        request = current_request()
        for finish in self._finishes:
            finish(request, response)
        return response


def current_request() -> Request:
    """The request that this thread answers; to ask it is cheaper than to ask `flask.request`."""
    return cast("Request", _cv_request.get().request)
