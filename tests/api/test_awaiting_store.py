"""A web process whose store is away, or a wrong one, refuses everything, and serves as soon as its store is there."""

from threading import Event, Lock
from typing import Any

import pytest
from werkzeug.test import Client as HttpClient
from werkzeug.wrappers import Response

from service.api.problems import awaiting
from service.api.problems.awaiting import AwaitingStore, open_or_await
from service.gamelog.store.errors import StoreUnavailable
from service.signing.deployment import BadDeployment, WrongStore
from tests.support.waiting import patience, wait_until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaiting, "_LOOK_S", 0)


class Opening:
    """What opens the application: after it was let go on, and one call at a time."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.opened = 0
        self.is_called, self.goes_on = Event(), Event()
        self._one = Lock()

    def __call__(self) -> Any:
        """The application. Raises the error, if there is one."""
        assert self._one.acquire(blocking=False)
        try:
            self.is_called.set()
            assert self.goes_on.wait(patience(30))
            if self.error:
                raise self.error
            self.opened += 1
            return Response("served")
        finally:
            self._one.release()


def says(http: HttpClient, path: str) -> tuple[int, Any]:
    answer = http.get(path)
    return answer.status_code, answer.get_json()


@pytest.mark.parametrize(
    ("error", "word"), [(WrongStore("another store"), "wrong-store"), (StoreUnavailable("another store"), "no-store")]
)
def test_everything_is_refused_until_the_store_is_there(error: Exception, word: str) -> None:
    """At once, also while a thread waits for the store; that hands over once."""
    opening = Opening()
    http = HttpClient(AwaitingStore(opening, error))
    assert opening.is_called.wait(patience(10))
    assert says(http, "/healthz") == (200, {"status": "up"})
    assert says(http, "/readyz") == (503, {"status": word})
    for answer in (http.get("/v1/games/g"), http.post("/v1/games", json={}), http.get("/")):
        assert (answer.status_code, answer.mimetype) == (503, "application/problem+json")
        assert answer.get_json()["type"] == "/problems/store-unavailable"
        assert answer.headers["Retry-After"]
        assert "another store" not in answer.get_data(as_text=True)
    opening.goes_on.set()
    wait_until(lambda: http.get("/v1/games/g").get_data(as_text=True) == "served")
    assert http.get("/healthz").get_data(as_text=True) == "served"
    assert opening.opened == 1


def test_a_store_that_was_away_may_be_a_wrong_one() -> None:
    """What `/readyz` says follows the last look at it."""
    opening = Opening()
    opening.error = WrongStore("another store")
    opening.goes_on.set()
    http = HttpClient(AwaitingStore(opening, StoreUnavailable("it is away")))
    wait_until(lambda: says(http, "/readyz") == (503, {"status": "wrong-store"}))
    opening.error = None
    wait_until(lambda: opening.opened == 1)


@pytest.mark.parametrize("error", [WrongStore("another store"), StoreUnavailable("it is away")])
def test_what_may_pass_is_awaited(error: Exception) -> None:
    """A web process whose store isn't there at its start doesn't end."""
    errors: list[Exception] = [error]

    def open_application() -> Any:
        if errors:
            raise errors.pop()
        return Response("served")

    http = HttpClient(open_or_await(open_application))
    wait_until(lambda: http.get("/").get_data(as_text=True) == "served")
    errors.append(BadDeployment("no keys"))  # this stays
    with pytest.raises(BadDeployment):
        open_or_await(open_application)
