"""Requests that wait have threads of their own. On a running server: `test_webserver.py`."""

import threading
from io import BytesIO
from typing import Any

from granian.server import mp

from service.runtime.waiting import AT_DOOR, BODY_LEFT, NO_THREAD, answer_apart, is_apart
from tests.support.waiting import wait_until

HERE = threading.get_ident


class Request:
    """Granian's side of one request."""

    def __init__(self) -> None:
        """It has no answer."""
        self.statuses: list[int] = []

    def response_bytes(self, status: int, _headers: list[tuple[str, str]], _body: bytes) -> None:
        """Take the answer."""
        self.statuses.append(status)


def wrapped(monkeypatch: Any, handler: Any, most: int) -> Any:
    """The handler as granian gets it; a request waits if its environment has `waits`."""
    monkeypatch.setattr(mp, "_wsgi_call_wrap", lambda callback, *_: callback)
    answer_apart(lambda environ: "waits" in environ, most)
    return mp._wsgi_call_wrap(handler, {}, None)  # type: ignore[attr-defined]  # granian's own name for it


def test_one_more_than_may_wait_stays_with_the_pool(monkeypatch: Any) -> None:
    """It is told so; a place that gets free serves the next one."""
    go_on, seen = threading.Event(), list[tuple[bool, bool]]()

    def handle(request: Request, environ: dict[str, Any]) -> None:
        assert is_apart() == (HERE() != main)
        seen.append((is_apart(), NO_THREAD in environ))
        if is_apart():
            go_on.wait(30)
        request.response_bytes(200, [], b"")

    main, before = HERE(), threading.active_count()
    call = wrapped(monkeypatch, handle, 2)
    waiting = [Request() for _ in range(AT_DOOR + 2)]
    for request in waiting:
        call(request, {"waits": True})
    wait_until(lambda: len(seen) == AT_DOOR + 2)
    assert set(seen) == {(True, False)}
    assert not any(request.statuses for request in waiting)
    over, short = Request(), Request()
    call(over, {"waits": True})
    call(short, {})
    assert seen[-2:] == [(False, True), (False, False)]
    assert over.statuses == short.statuses == [200]
    go_on.set()
    wait_until(lambda: threading.active_count() == before)
    assert all(request.statuses == [200] for request in waiting)
    call(Request(), {"waits": True})
    wait_until(lambda: len(seen) == AT_DOOR + 5)
    assert seen[-1] == (True, False)


def test_without_a_thread_a_request_stays_with_the_pool(monkeypatch: Any) -> None:
    """Where the system gives no more threads: also the next ones, and none of the places is lost."""
    seen = list[bool]()

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    call = wrapped(monkeypatch, lambda _request, environ: seen.append(NO_THREAD in environ), 1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        for _ in range(3 * AT_DOOR):
            call(Request(), {"waits": True})
    assert seen == [True] * 3 * AT_DOOR
    call(Request(), {"waits": True})
    wait_until(lambda: len(seen) == 3 * AT_DOOR + 1)
    assert not seen[-1]


def test_a_request_that_fails_is_answered(monkeypatch: Any) -> None:
    """With 500; its thread's place gets free, and the process goes on."""

    def handle(_request: Request, _environ: dict[str, Any]) -> None:
        raise ValueError("of the application")

    call = wrapped(monkeypatch, handle, 1)
    failed = [Request() for _ in range(3 * AT_DOOR)]
    for request in failed:
        call(request, {"waits": True})
        wait_until(lambda: request.statuses)  # noqa: B023 - now
    assert all(request.statuses == [500] for request in failed)


def test_only_a_thread_of_the_pool_reads_a_body(monkeypatch: Any) -> None:
    """Granian waits for a reader with Python's lock held, once the pool's call has returned."""
    read = list[tuple[bool, bytes]]()

    def handle(request: Request, environ: dict[str, Any]) -> None:
        read.append((BODY_LEFT in environ, environ["wsgi.input"].read()))
        request.response_bytes(200, [], b"")

    call, apart = wrapped(monkeypatch, handle, 1), Request()
    call(apart, {"waits": True, "wsgi.input": BytesIO(b"body")})
    wait_until(lambda: apart.statuses)
    call(Request(), {"wsgi.input": BytesIO(b"body")})
    assert read == [(True, b""), (False, b"body")]
