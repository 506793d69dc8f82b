"""Requests that wait are answered by threads of their own, so that they hold none of the web server's pool.

Granian hands the application a protocol object that takes an answer also after the call has returned, from any thread.
`tests/runtime/test_webserver.py` fails if a release of granian changes that.
"""

import threading
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final, Protocol, TypeAlias

import structlog
from granian.server import mp

from service.runtime.guards.threads import name_fault

logger = structlog.get_logger(__name__)

Environ: TypeAlias = dict[str, Any]
NO_THREAD: Final = "reibach.no_thread"
"""In the environment of a request that may not wait: it would hold one of the pool's threads."""
BODY_LEFT: Final = "reibach.body_left"
"""In the environment of a request whose body, if it has one, can't be read: `wsgi.input` is empty.

When the call has returned, granian takes the body back. Had another thread begun to read it, granian would wait for
that with Python's lock held: one client that sends no more than the head would stop the whole process.
"""
AT_DOOR: Final = 64
"""Requests that may wait, but are still looked at: they will wait, are answered at once, or refused."""
_SERVER_ERROR: Final = 500


class Answering(Protocol):
    """Granian's side of one request."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Answer it, unless it is answered."""
        ...


Handler: TypeAlias = Callable[[Answering, Environ], object]
"""Answers a request before it returns."""


class WaitingThread(threading.Thread):
    """A thread of a request that waits."""


def is_apart() -> bool:
    """Whether the calling thread is one of those."""
    return isinstance(threading.current_thread(), WaitingThread)


def answer_apart(waits: Callable[[Environ], bool], most: int) -> None:
    """Have the web server that this process is about to run answer requests that wait by threads of their own.

    `most`: that wait at once, beside AT_DOOR others. One more is handed to the application by a thread of the pool,
    with NO_THREAD in its environment.
    """
    server: Any = mp
    wrap = server._wsgi_call_wrap  # noqa: SLF001 - granian has no public place for it

    def wrap_apart(*arguments: Any) -> Handler:
        return _Apart(wrap(*arguments), waits, most + AT_DOOR)

    server._wsgi_call_wrap = wrap_apart  # noqa: SLF001 - as above


class _Apart:
    """Calls `handler`, in a thread of its own for a request that waits."""

    def __init__(self, handler: Handler, waits: Callable[[Environ], bool], most: int) -> None:
        self._handler, self._waits = handler, waits
        self._room = threading.Semaphore(most)

    def __call__(self, protocol: Answering, environ: Environ) -> None:
        """Answer a request, now or later."""
        if self._waits(environ):
            if self._is_started(protocol, environ):
                return
            environ[NO_THREAD] = True
        self._handler(protocol, environ)

    def _is_started(self, protocol: Answering, environ: Environ) -> bool:
        """Whether a thread of its own answers the request."""
        if not self._room.acquire(blocking=False):
            return False
        try:
            WaitingThread(target=self._wait, args=(protocol, environ), name="waiting", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            self._room.release()
            return False
        return True

    def _wait(self, protocol: Answering, environ: Environ) -> None:
        environ["wsgi.input"], environ[BODY_LEFT] = BytesIO(), True
        try:
            self._handler(protocol, environ)
        except Exception as error:  # noqa: BLE001 - as the pool's threads have it
            logger.error("a request that waited has failed", reason=name_fault(error))
            protocol.response_bytes(_SERVER_ERROR, [], b"")
        finally:
            self._room.release()
