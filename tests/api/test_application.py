"""The application's shorter way answers as Flask's own, and rests on nothing that a new release has changed."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import flask
import pytest
from granian.wsgi import _callback_wrapper
from werkzeug.datastructures import FileStorage
from werkzeug.routing import Rule
from werkzeug.test import TestResponse, encode_multipart, run_wsgi_app

from service.api.protocol.response import json_response
from service.api.wsgi.application import _MOST_FOUND, Application, _build_nothing, current_request
from service.api.wsgi.requests import Request
from service.api.wsgi.responses import JsonResponse, Response, append_headers
from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World

DEPLOYMENT = Deployment.new(SHARDS)
UPGRADE = {"Upgrade": "websocket", "Connection": "Upgrade"}
TAKE = {"type": "take", "slot": 1}
Asked = tuple[str, str, int | None, dict[str, Any]]
SCOPE = {"SERVER_NAME": "x", "SERVER_PORT": "1", "wsgi.url_scheme": "http"}
REQUESTS: list[Asked] = [
    ("GET", "{game}", 0, {}),
    ("HEAD", "{game}", 0, {}),
    ("GET", "{game}", None, {"headers": {"If-None-Match": '"5"'}}),
    ("GET", "{game}", None, {"headers": UPGRADE}),
    ("GET", "{game}", None, {"headers": {"Upgrade": "websocket"}}),
    ("GET", "{game}/events?after=2", 1, {"headers": {"Accept": "application/x-ndjson"}}),
    ("HEAD", "{game}/events", 1, {"headers": {"Accept": "text/event-stream"}}),
    ("GET", "{game}/scores", 0, {"headers": {"Accept": "text/html", "Accept-Language": "de"}}),
    ("GET", "{game}/replay", 0, {"headers": {"Accept-Encoding": "gzip"}}),
    ("POST", "{game}/actions", 0, {"json": TAKE, "headers": UPGRADE}),
    ("POST", "{game}/actions", 0, {"json": TAKE}),
    ("POST", "{game}/actions", 0, {"json": TAKE, "headers": {"If-Match": '"1"'}}),
    ("POST", "{game}/actions", 1, {"json": TAKE}),
    ("POST", "{game}/actions", None, {"json": TAKE}),
    ("POST", "{game}/actions", 0, {"data": "{", "content_type": "application/json"}),
    ("POST", "{game}/actions", 0, {"data": b"x" * 70_000, "content_type": "application/json"}),
    ("POST", "{game}/actions/", 0, {"json": TAKE}),
    ("PUT", "{game}/orders", 1, {"json": {"steps": [[{"type": "draw"}]]}}),
    ("DELETE", "{game}/orders", 1, {}),
    ("DELETE", "{game}", 0, {}),
    ("OPTIONS", "{game}", 0, {}),
    ("OPTIONS", "{game}", 0, {"headers": {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}}),
    ("TRACE", "{game}", 0, {}),
    ("PROPFIND", "{game}", 0, {}),
    ("GET", "/v1/games/{{", None, {}),
    ("GET", "/v1/nothing", None, {}),
    ("GET", "//v1/games", None, {}),
    ("GET", "/v1/games/%E4%FF", None, {}),
    ("GET", "/v1/games/sp%C3%A4t", None, {}),
    ("GET", "/docs/../docs", None, {}),
    ("GET", "/", None, {"headers": {"Host": ".."}}),
    ("GET", "/", None, {"headers": {"Host": "a,b"}}),
    ("GET", "/", None, {"headers": {"Host": "Reibach.Example:8000"}}),
    ("POST", "/g/nowhere", None, {"data": {"token": "x"}}),
    ("GET", "/healthz", None, {}),
]


class Pair:
    """A service, and the same one that answers everything Flask's own way."""

    def __init__(self) -> None:
        self.worlds = World(DEPLOYMENT), World(DEPLOYMENT)
        for world in self.worlds:
            made = world.ask(
                "POST",
                "/v1/games",
                json={"seats": [{"name": "Anna"}, {"name": "Bert"}]},
                headers={"Idempotency-Key": "a key for the same game twice"},
            )
            world.path = made.headers["Location"]
            world.tokens = {one["seat"]: one["token"] for one in made.get_json()["seats"]}
        longer = self.worlds[1].client.application
        longer.wsgi_app = partial(flask.Flask.wsgi_app, longer)  # type: ignore[method-assign]

    def ask(self, asked: Asked) -> list[TestResponse]:
        """Both answers to a request."""
        method, path, seat, more = asked
        return [world.ask(method, path.format(game=world.path), seat, **more) for world in self.worlds]

    def close(self) -> None:
        """End what waits."""
        for world in self.worlds:
            world.hub.close()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """One for all requests, which follow each other."""
    pair = Pair()
    yield pair
    pair.close()


@pytest.mark.parametrize("asked", REQUESTS, ids=lambda asked: f"{asked[0]} {asked[1]}")
def test_both_ways_answer_alike(pair: Pair, asked: Asked) -> None:
    """Status, headers and their order, and body; three times, as the path is known after the first."""
    for _ in range(3):
        shorter, longer = pair.ask(asked)
        assert (shorter.status, list(shorter.headers), shorter.data) == (
            longer.status,
            list(longer.headers),
            longer.data,
        )


def test_most_requests_go_the_shorter_way(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flask's own is only for what has no route, or asks for another protocol."""
    ways: list[str] = []
    original = flask.Flask.wsgi_app

    def longer(app: flask.Flask, environ: Any, start_response: Any) -> Any:
        ways.append(environ["PATH_INFO"])
        return original(app, environ, start_response)

    monkeypatch.setattr(flask.Flask, "wsgi_app", longer)
    world = pair.worlds[0]
    assert world.ask("GET", world.path, 0).status_code == 200
    assert world.ask("POST", f"{world.path}/actions", 1, json=TAKE).status_code == 409
    assert not ways
    assert world.ask("GET", "/nothing").status_code == 404
    assert world.ask("GET", world.path, 0, headers=UPGRADE).status_code == 400
    assert ways == ["/nothing", world.path]


def application(view: Callable[[], Any], finish: Callable[[Request, Any], None] = lambda *_: None) -> Application:
    """An application with one route."""
    app = Application("test", [], [finish])
    app.add_url_rule("/", "view", view, methods=["GET", "POST"])
    app.register_error_handler(Exception, lambda error: (f"problem: {error}", 500))
    return app


def fail(*_: Any) -> Any:
    """Raise what is not foreseen."""
    raise LookupError("unforeseen")


def test_what_is_not_foreseen_is_answered() -> None:
    """By the handler of all errors, from a view as from what completes an answer."""
    for app in (application(fail), application(lambda: "well", fail)):
        answer = app.test_client().get("/")
        assert answer.status_code == 500
        assert not flask.has_request_context()
    assert application(fail).test_client().get("/").text == "problem: unforeseen"


def test_no_request_outlives_its_answer() -> None:
    """Whatever a view raises; the uploads of a form are closed."""
    uploads = []

    def view() -> Any:
        request = current_request()
        assert flask.request.path == request.path == "/"
        uploads.append(request.files["upload"].stream)
        raise KeyboardInterrupt

    app = application(view)
    boundary, form = encode_multipart({"upload": FileStorage(io.BytesIO(b"x" * 600_000), "name")})
    with pytest.raises(KeyboardInterrupt):
        app.test_client().post("/", data=form, content_type=f'multipart/form-data; boundary="{boundary}"')
    assert not flask.has_request_context()
    assert uploads[0].closed


def test_a_route_is_kept_by_method_path_and_host() -> None:
    """By nothing less, and not for ever: a client that varies its requests fills the memory only so far."""
    app = Application("test")
    app.add_url_rule("/<name>", "name", lambda name: name)
    app.add_url_rule("/<name>", "change", lambda name: f"changed {name}", methods=["POST"])
    client = app.test_client()
    for _ in range(2):
        assert [client.get("/a").text, client.get("/b").text, client.post("/a").text] == ["a", "b", "changed a"]
        assert client.get("/a", headers={"Host": ".."}).status_code == 400
        assert client.get("/a", headers=UPGRADE).status_code in (400, 405)
        assert client.delete("/a").status_code == 405
    assert len(app._found) == 3
    assert client.get(f"/{'x' * 400}").status_code == 200
    assert len(app._found) == 3
    for number in range(_MOST_FOUND + 10):
        app._route_of(Request({"REQUEST_METHOD": "GET", "PATH_INFO": f"/{number}", "HTTP_HOST": "x"} | SCOPE))
    assert len(app._found) <= _MOST_FOUND
    assert client.get("/a").text == "a"


def test_no_address_is_built_from_a_route() -> None:
    """So nothing is compiled for it, which was most of what it took to make an application."""
    app = application(lambda: "well")
    assert callable(Rule._compile_builder)
    for rule in app.url_map.iter_rules():
        assert rule._build.__func__ is rule._build_unknown.__func__ is _build_nothing
    with app.test_request_context(), pytest.raises(NotImplementedError):
        app.url_for("view")


class Protocol:
    """What granian has an answer sent by."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int, list[Any], Any]] = []

    def response_bytes(self, status: int, headers: list[Any], body: bytes) -> None:
        """Send an answer at once."""
        self.sent.append(("at once", status, headers, body))

    def response_iter(self, status: int, headers: list[Any], pieces: Any) -> None:
        """Send an answer piece by piece."""
        self.sent.append(("by piece", status, headers, pieces.__next__()))
        pieces.close()


def sent_by_granian(answer: Any, method: str = "GET") -> tuple[str, int, list[Any], Any]:
    """How granian's own code takes an answer."""
    protocol = Protocol()
    scope = {"REQUEST_METHOD": method, "PATH_INFO": "/", "SERVER_NAME": "x", "SERVER_PORT": "1", "HTTP_HOST": "x"}
    more = {"wsgi.url_scheme": "http", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.input": io.BytesIO()}
    _callback_wrapper(application(lambda: answer), {})(protocol, scope | more)
    (sent,) = protocol.sent
    return sent


@pytest.mark.parametrize(
    "more",
    [
        {
            "REQUEST_METHOD": "post",
            "PATH_INFO": "/sp\u00c3\u00a4t",
            "QUERY_STRING": "a=%20",
            "REMOTE_ADDR": "192.0.2.1",
        },
        {"SCRIPT_NAME": "/under", "PATH_INFO": "//a\u00ff", "HTTP_HOST": "a:1", "HTTP_X_A": "b", "CONTENT_LENGTH": "0"},
        {},
    ],
)
def test_a_request_is_as_werkzeug_makes_it(more: dict[str, str]) -> None:
    """With the same attributes, of which some are set when one is asked for."""
    environ = SCOPE | more
    request, longer = Request(dict(environ)), flask.Request(dict(environ))
    names = vars(longer).keys() - {"environ", "headers"}
    assert {name: getattr(request, name) for name in names} == {name: getattr(longer, name) for name in names}
    assert list(request.headers) == list(longer.headers)
    assert vars(request).keys() - {"began"} == vars(longer).keys()
    assert request.environ["werkzeug.request"] is request
    assert "werkzeug.request" not in Request({}, populate_request=False).environ
    assert not hasattr(request, "no_such_attribute")


@pytest.mark.parametrize("headers", [None, {"ETag": '"5"', "Idempotency-Replayed": "true"}])
@pytest.mark.parametrize("status", [200, 201, 304, 409, 413, 418, 500])
def test_a_json_answer_is_made_as_werkzeug_makes_it(status: int, headers: dict[str, str] | None) -> None:
    """With all of its attributes; what is appended to its headers is as if it was added."""
    answer = JsonResponse(b'{"a":1}', status, headers, "application/problem+json")
    longer = flask.Response(b'{"a":1}', status, headers, content_type="application/problem+json")
    append_headers(answer, (("Vary", "Accept"), ("Vary", "Origin")))
    longer.headers.add("Vary", "Accept")
    longer.headers.add("Vary", "Origin")
    assert vars(answer) == vars(longer)
    for method in ("GET", "HEAD"):
        sent, expected = (run_wsgi_app(made, {"REQUEST_METHOD": method}, buffered=True) for made in (answer, longer))
        assert (list(sent[0]), sent[1], list(sent[2])) == (list(expected[0]), expected[1], list(expected[2]))


def test_a_json_answer_can_change() -> None:
    """As every answer: its content, its status, its address, what follows it."""
    for kind in (JsonResponse, partial(flask.Response, content_type="application/json")):
        closed: list[str] = []
        answer = kind(b"{}", 201)
        answer.headers["Location"] = "/sp\u00e4t"
        answer.call_on_close(lambda: closed.append("closed"))  # noqa: B023 - called in this round
        answer.set_data(b"[1]")
        pieces, status, sent = run_wsgi_app(answer, {"REQUEST_METHOD": "GET"}, buffered=True)
        assert (list(pieces), status, closed) == ([b"[1]"], "201 CREATED", ["closed"])
        assert (sent["Location"], sent["Content-Length"]) == ("/sp%C3%A4t", "3")
        answer.status_code = 204
        pieces, status, sent = run_wsgi_app(answer, {"REQUEST_METHOD": "GET"}, buffered=True)
        assert (list(pieces), status, "Content-Length" in sent) == ([], "204 NO CONTENT", False)


def test_granian_takes_a_whole_answer_at_once() -> None:
    """As a list; what is made while it is sent goes piece by piece. Either is closed."""
    closed = []
    whole = Response("well")
    whole.call_on_close(lambda: closed.append("whole"))
    assert sent_by_granian(whole)[::3] == ("at once", b"well")
    assert sent_by_granian(json_response({"a": 1}))[::3] == ("at once", b'{"a":1}')
    assert sent_by_granian(json_response({"a": 1}), "HEAD")[::3] == ("at once", b"")
    assert sent_by_granian(flask.Response("plain"))[::3] == ("at once", b"plain")
    stream = Response(piece for piece in (b"one", b"two"))
    stream.call_on_close(lambda: closed.append("stream"))
    assert sent_by_granian(stream)[::3] == ("by piece", b"one")
    assert closed == ["whole", "stream"]
