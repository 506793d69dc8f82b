"""A small WSGI application to try the web server with; run as a module, it serves itself with `serve_web`.

    python -m tests.support.webserver_app PORT {polite|stubborn}

Both kinds hold `/poll` for up to 30 s. At a stop the polite one ends its polls, the stubborn one doesn't. `/meet` waits
until MEETING requests are in it at once in its process.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from config.settings import BadSetting, Settings
from service.runtime.webserver import StopSignal, serve_web

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]
IMPORTED_BY = os.getpid()
MEETING = 12
THREADS = 64


def create(stop: StopSignal, *, polite: bool = True) -> Callable[[Environ, StartResponse], Iterable[bytes]]:
    """Build the application; each answer is JSON with the process's ids and objects, `/echo` adds a body's length."""
    stopping = threading.Event()
    met, arrivals = threading.Event(), threading.Semaphore(MEETING - 1)
    if polite:
        stop.call(stopping.set)

    def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        answer: dict[str, object] = {
            "pid": os.getpid(),
            "port": os.environ.get("REIBACH_PORT"),
            "imported_by": IMPORTED_BY,
        }
        if environ["PATH_INFO"] == "/poll":
            answer["stopped"] = stopping.wait(30)
        elif environ["PATH_INFO"] == "/meet":
            if not arrivals.acquire(blocking=False):
                met.set()
            answer["met"] = met.wait(30)
        elif environ["PATH_INFO"] == "/echo":
            answer["length"] = len(environ["wsgi.input"].read())
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(answer).encode()]

    return application


def create_stubborn(stop: StopSignal) -> Callable[[Environ, StartResponse], Iterable[bytes]]:
    """Build the application that keeps its polls at a stop."""
    return create(stop, polite=False)


def main(port: int, kind: str) -> None:
    """Serve with two processes; exit status 2 and one line on stderr if the address can't be listened on."""
    names = {"polite": "create", "stubborn": "create_stubborn"}
    try:
        serve_web(
            Settings(port=port, web_threads=THREADS, poll_limit=6 * THREADS),
            target=f"tests.support.webserver_app:{names[kind]}",
        )
    except BadSetting as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
