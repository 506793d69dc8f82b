"""Runs the web processes: granian over WSGI, each process with a pool of threads that grows on demand.

Rules kept: a long poll never starves a POST (threads are plenty, and those not needed are never started); a stop takes
milliseconds when `at_stop` ends the polls and KILL_AFTER at most; a port is never shared with another server.
"""

import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels

from config.settings import BadSetting, Settings
from service.runtime.lifeline import die_with_parent

KILL_AFTER = 2
"""Seconds a web process may take to finish its requests once it was told to stop."""

CONNECTIONS_PER_THREAD = 4
"""An idle connection holds no thread, but it counts against the connections that a process accepts."""

THREAD_IDLE_SECONDS = 600
"""The longest that granian allows: a pool that has grown stays, so that a burst of polls finds it ready."""

HTTP1 = HTTP1Settings(
    # Bounds a slow request head, and equally the pause between two requests of one connection. Longer than the 60 s
    # after which a usual proxy drops its idle connections: the proxy must be the one to close, or a POST gets lost.
    header_read_timeout=65_000,
    # Request heads of more than about twice this are answered 431. Bodies are not bound by it.
    max_buffer_size=64 * 1024,
)

_stop_callbacks: list[Callable[[], None]] = []


def serve_web(settings: Settings, target: str = "service.app:create_from_environment") -> None:
    """Serve `target`, a factory of a WSGI application, until SIGTERM or SIGINT; returns after a clean stop.

    Must be called in the main thread, before anything opens a connection, as the web processes are forked from here.
    Each calls the factory once, with `settings` in its environment. One that dies is started again; SystemExit(1) if it
    dies again within 5.5 s of that, as it does when the factory fails. SIGHUP replaces the web processes one by one.
    Raises BadSetting if the address can't be listened on.
    """
    server = Granian(
        target=target,
        address=_free_address(settings.host, settings.port),
        port=settings.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=settings.web_processes,
        blocking_threads=settings.web_threads,
        blocking_threads_idle_timeout=THREAD_IDLE_SECONDS,
        backpressure=_connections(settings.web_threads),
        backlog=2048,
        runtime_mode=RuntimeModes.mt,
        http1_settings=HTTP1,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER,
        # Below error are greetings, farewells and a warning about many threads, which are meant. No handlers of its
        # own: what is left goes where the service's own log goes.
        log_level=LogLevels.error,
        log_dictconfig={"formatters": {}, "handlers": {}, "loggers": {"_granian": {"propagate": True}}},
    )
    server.serve(target_loader=partial(_load, os.getpid(), settings.to_environment()))


def at_stop(callback: Callable[[], None]) -> None:
    """Have `callback` called, once and in a thread of its own, when this web process is told to stop.

    For the factory: end the long polls here. Those still open after KILL_AFTER are cut off without an answer.
    """
    _stop_callbacks.append(callback)


def _load(parent: int, environment: Mapping[str, str], target: str) -> Callable[..., Any]:
    """Build the application inside a web process, whose parent is the process `parent`."""
    die_with_parent(parent)
    # Ctrl-C reaches the whole process group. Granian's workers can hang on hearing of a stop twice, from the terminal
    # and from their parent, so they are deaf to the terminal.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(environment)
    _watch_for_stop()
    application: Callable[..., Any] = resolve_name(target)()
    return application


def _watch_for_stop() -> None:
    """Call the stop callbacks on SIGTERM.

    Granian takes the signal handlers for itself after the factory; the wakeup descriptor hears of signals all the same.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer)
    threading.Thread(target=_await_stop, args=(reader,), name="stop-watch", daemon=True).start()


def _await_stop(reader: int) -> None:
    while os.read(reader, 1)[0] != signal.SIGTERM:
        pass
    for callback in _stop_callbacks:
        callback()


def _connections(threads: int) -> int:
    """How many connections a web process accepts at once; the rest wait in the kernel.

    Raises the process's limit of open files as far as that needs. What can't be had is taken off the connections, as
    granian, once out of files, accepts in an endless loop.
    """
    others = threads + 64  # at worst each thread has a connection to the store
    wanted = threads * CONNECTIONS_PER_THREAD + others
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(threads, soft - others)
    return wanted - others


def _free_address(host: str, port: int) -> str:
    """Return the numeric address of `host`, IPv4 if it has one. Raises BadSetting if it can't be listened on.

    Granian listens with SO_REUSEPORT: without this check a second service on the port would start and silently take
    half of the requests.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise BadSetting(f"can't listen on {host}:{port}: {error.strerror}") from None
    return str(address[0])
