"""A web process that starts on a wrong store refuses everything, and serves as soon as the right one is there."""

from typing import Any

from werkzeug.test import Client as HttpClient
from werkzeug.wrappers import Response

from service.api.problems.awaiting import AwaitingStore
from service.signing.deployment import WrongStore


def test_everything_is_refused_until_the_store_is_there() -> None:
    """The process is up; it looks again by itself, and hands over once."""
    is_there, opened = False, 0

    def open_application() -> Any:
        nonlocal opened
        if not is_there:
            raise WrongStore("another store")
        opened += 1
        return Response("served")

    http = HttpClient(AwaitingStore(open_application, look_s=0))
    assert (http.get("/healthz").status_code, http.get("/healthz").get_json()) == (200, {"status": "up"})
    assert (http.get("/readyz").status_code, http.get("/readyz").get_json()) == (503, {"status": "wrong-store"})
    for answer in (http.get("/v1/games/g"), http.post("/v1/games", json={}), http.get("/")):
        assert (answer.status_code, answer.mimetype) == (503, "application/problem+json")
        assert answer.get_json()["type"] == "/problems/store-unavailable"
        assert answer.headers["Retry-After"]
        assert "another store" not in answer.get_data(as_text=True)
    is_there = True
    assert [http.get("/v1/games/g").get_data(as_text=True) for _ in range(2)] == ["served"] * 2
    assert opened == 1
