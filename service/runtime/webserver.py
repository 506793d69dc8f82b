"""The web server: granian over WSGI, processes with a pool of threads each, which are started on demand.

Rules: a long poll never starves a POST (the pool has `poll_limit` threads more than POSTs need, and the application
lets no more requests wait); a stop takes milliseconds if the application ends its polls, and KILL_AFTER at most; a port
is never shared with another server.
"""

import os
import resource
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import resolve_name
from types import FrameType
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels

from config.settings import BadSetting, Settings
from service.runtime import shared
from service.runtime.lifeline import die_with_parent
from service.runtime.logs import WebExitFilter

KILL_AFTER = 2
"""Seconds in which a web process must finish its requests after SIGTERM."""

CONNECTIONS_PER_THREAD = 4
"""An idle connection holds no thread, but counts among those that a process accepts."""

_FILES = 64
"""Files that a web process has open besides its connections to clients and to the store."""

_WAKE = signal.SIGURG
"""A signal that nobody else sends, and that does nothing."""

THREAD_IDLE_SECONDS = 600
"""The longest that granian allows: threads that a burst of polls has started stay for the next one."""

HTTP1 = HTTP1Settings(
    # Timeout of a slow request head, and of the pause between two requests of a connection. Longer than the 60 s after
    # which a usual proxy closes idle connections: if the server closed first, a POST could be lost.
    header_read_timeout=65_000,
    # Request heads of more than about twice this are answered with 431. It doesn't limit bodies.
    max_buffer_size=64 * 1024,
)


def serve_web(settings: Settings, target: str = "service.app:create_from_environment") -> None:
    """Serve `target` until SIGTERM or SIGINT: a factory that takes a StopSignal and builds a WSGI application.

    Returns after a clean stop.

    SIGTERM is followed by `drain_seconds` of further answers, which a second one, or SIGINT, ends.

    Call it in the main thread, before any connection is opened: the web processes are forked here, once the factory's
    module is imported. Each calls the factory once, with `settings` in its environment. A web process that ends is
    restarted; SystemExit(1) if it ends again within 5.5 s, as it does if the factory fails. SIGHUP replaces
    the web processes one by one. Raises BadSetting if the address can't be listened on, or too few files may be open.
    """
    server = Granian(
        target=target,
        address=_free_address(settings.host, settings.port),
        port=settings.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=settings.web_processes,
        blocking_threads=settings.web_threads + settings.poll_limit,
        blocking_threads_idle_timeout=THREAD_IDLE_SECONDS,
        backpressure=_connections(settings.web_threads + settings.poll_limit),
        backlog=2048,
        runtime_mode=RuntimeModes.mt,
        http1_settings=HTTP1,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER,
        # Below error: start and stop messages, and a warning about many threads, which are intended. Without handlers
        # of its own, granian's logger uses those of the service.
        log_level=LogLevels.error,
        log_dictconfig={
            "formatters": {},
            "handlers": {},
            "filters": {"exits": {"()": WebExitFilter}},
            "loggers": {"_granian": {"propagate": True, "filters": ["exits"]}},
        },
    )
    import_module(target.partition(":")[0])
    if settings.drain_seconds:
        server.on_startup(partial(_drain_at_sigterm, settings.drain_seconds, server.signal_handler_interrupt))
    server.serve(target_loader=partial(_load, os.getpid(), settings))


def _drain_at_sigterm(seconds: float, end: Callable[[], None]) -> None:
    """Let the first SIGTERM begin to drain, and a second one, or the end of that time, end the server.

    Called after granian has installed its handlers. Its web processes have handlers of their own.
    """

    def drain(_number: int, _frame: FrameType | None) -> None:
        if shared.is_draining():
            end()
            return
        shared.begin_draining()
        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()

    signal.signal(signal.SIGTERM, drain)


class StopSignal:
    """The SIGTERM of a web process. Requests still open KILL_AFTER seconds later get no answer.

    Granian replaces the signal handlers after the factory; the wakeup descriptor still gets each signal. Handlers run
    in the main thread, which sleeps; the kernel may give the signal to another one, such as one that starts a thread.
    """

    def __init__(self) -> None:
        """Call it in the main thread."""
        self._callbacks: list[Callable[[], None]] = []
        self._main = threading.get_ident()
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer)
        signal.signal(_WAKE, lambda *_: None)
        threading.Thread(target=self._await, args=(reader,), name="stop-watch", daemon=True).start()

    def call(self, callback: Callable[[], None]) -> None:
        """Call `callback` once, in a thread of its own, when the signal comes: to end long polls, say."""
        self._callbacks.append(callback)

    def _await(self, reader: int) -> None:
        while os.read(reader, 1)[0] != signal.SIGTERM:
            pass
        signal.pthread_kill(self._main, _WAKE)
        for callback in self._callbacks:
            callback()


def _load(parent: int, settings: Settings, target: str) -> Callable[..., Any]:
    """Build the application inside a web process, whose parent is the process `parent`."""
    die_with_parent(parent)
    # Ctrl-C reaches the whole process group. Granian's processes can hang if they get two signals, one from the
    # terminal and one from their parent, so SIGINT is blocked here.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(settings.to_environment())
    application: Callable[..., Any] = resolve_name(target)(StopSignal())
    return application


def _connections(threads: int) -> int:
    """How many connections a web process accepts; more wait in the kernel. Raises BadSetting.

    Raises the process's limit of open files if necessary. If the hard limit is too low, fewer connections are accepted,
    one a thread at least: granian without free descriptors would loop in accept.
    """
    others = threads + _FILES  # each thread may have a connection to the store
    wanted = threads * CONNECTIONS_PER_THREAD + others
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < threads + others:
        raise BadSetting(
            f"a web process may open {hard} files, and needs {threads + others} for its {threads} threads: raise the "
            "limit (ulimit -n, LimitNOFILE= of systemd), or set REIBACH_WEB_THREADS and REIBACH_POLL_LIMIT lower"
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return soft - others
    return wanted - others


def _free_address(host: str, port: int) -> str:
    """Return the numeric address of `host`, IPv4 if it has one. Raises BadSetting if it can't be listened on.

    Granian listens with SO_REUSEPORT: without this check a second service on the port would start, and get half of the
    requests.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = min(addresses, key=lambda entry: entry[0] != socket.AF_INET)
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise BadSetting(
            f"can't listen on {host}:{port}: {error.strerror} (--host and --port choose another address)"
        ) from None
    return str(address[0])
