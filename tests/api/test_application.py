"""The application's one way: routes, checks, answers, and what the web server is handed."""

import io
from collections.abc import Callable
from typing import Any

import flask
import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart, run_wsgi_app

from service.api.wsgi import Application, JsonResponse, Request, current_request
from tests.api.worlds import World
from tests.support.cases import cases


def refuse(error: Exception) -> flask.Response:
    return flask.Response(f"problem: {error}", getattr(error, "code", 500))


def application(
    view: Callable[..., Any], finish: Callable[[Request, Any], Any] = lambda *_: [("X-More", "1"), ("X-More", "2")]
) -> Application:
    app = Application("test", refuse, [], [finish])
    app.add_url_rule("/", "view", view, methods=["GET", "POST"])
    app.add_url_rule("/<response>", "name", flask.Response)
    return app


def fail(*_: Any) -> Any:
    raise LookupError("unforeseen")


def well() -> flask.Response:
    return flask.Response("well")


@pytest.mark.parametrize(("method", "path", "headers", "status"), cases(__file__, "every_request_is_answered"))
def test_every_request_is_answered(method: str, path: str, headers: dict[str, str], status: int) -> None:
    answer = application(well).test_client().open(path, method=method, headers=headers)
    assert (answer.status_code, answer.headers.getlist("X-More")) == (status, ["1", "2"])
    assert bool(answer.data) == (method not in {"HEAD", "OPTIONS"})
    if method == "OPTIONS":
        assert set(answer.allow) == {"GET", "HEAD", "OPTIONS", "POST"}


def test_a_request_without_a_path_is_for_the_start_page() -> None:
    """As `GET http://host` is, without a slash after it; CONNECT names no page."""
    asking = application(well).test_client()
    nothing = {"PATH_INFO": ""}
    assert asking.get(environ_overrides=nothing).text == "well"
    assert asking.open(method="CONNECT", environ_overrides=nothing).status_code == 404


def test_what_is_not_foreseen_is_answered() -> None:
    for app in (application(fail), application(well, fail)):
        answer = app.test_client().get("/")
        assert (answer.status_code, answer.text) == (500, "problem: unforeseen")
        with pytest.raises(LookupError):
            current_request()


def test_no_request_outlives_its_answer() -> None:
    """Whatever a view raises; the uploads of a form are closed."""
    uploads = []

    def view() -> Any:
        uploads.append(current_request().files["upload"].stream)
        raise KeyboardInterrupt

    app = application(view)
    boundary, form = encode_multipart({"upload": FileStorage(io.BytesIO(b"x" * 600_000), "name")})
    with pytest.raises(KeyboardInterrupt):
        app.test_client().post("/", data=form, content_type=f'multipart/form-data; boundary="{boundary}"')
    with pytest.raises(LookupError):
        current_request()
    assert uploads[0].closed


@pytest.mark.parametrize(
    ("host", "status"), [("Reibach.Example:8000", 200), ("..", 400), ("a" * 64, 400), ("a,b", 400)]
)
def test_a_host_that_is_no_name_is_refused(world: World, host: str, status: int) -> None:
    """As two headers are, which arrive joined by a comma."""
    assert world.ask("GET", "/healthz", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("headers", [None, {"ETag": '"5"', "Idempotency-Replayed": "true"}])
@pytest.mark.parametrize("status", [200, 201, 204, 304, 409, 418, 500])
def test_a_json_answer_is_sent_as_werkzeug_sends_it(status: int, headers: dict[str, str] | None) -> None:
    for method in ("GET", "HEAD"):
        ours = JsonResponse(b'{"a":1}', status, headers, "application/problem+json")
        theirs = flask.Response(b'{"a":1}', status, headers, content_type="application/problem+json")
        sent, expected = (run_wsgi_app(made, {"REQUEST_METHOD": method}, buffered=True) for made in (ours, theirs))
        assert (list(sent[0]), sent[1], list(sent[2])) == (list(expected[0]), expected[1], list(expected[2]))
