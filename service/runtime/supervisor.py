"""The processes of `reibach serve`: the store, the web server and the workers, kept running and ended together.

Rules of this file:

* A part that dies is started again: at once the first time, later and later when it keeps dying young.
* Web and workers end before the store, so that nothing they finish is lost.
* Every part is the leader of its own session: the terminal's Ctrl-C reaches this process only, and what a part leaves
  behind is found by its process group. Parts end with this process even when it is killed (`service.runtime.lifeline`).
* The loop sleeps until a signal or a planned restart wakes it.
"""

import http.client
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType, TracebackType
from typing import Self

from config.settings import Settings
from service.runtime.embedded import EmbeddedStore, StoreError
from service.runtime.lifeline import tied

BACK_OFF = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds before the first, second ... restart in a row."""
LONG_LIFE = 5.0
"""A part that lived this many seconds begins the row anew."""
GRACE = 5.0
"""Seconds that web and workers have to end by themselves."""
READY_PATIENCE = 60.0
"""Seconds until the service must have answered once."""
READY_POLL = 0.05
TRIES = 3
"""Deaths of a part in a row, before the service was ever ready, after which starting it has failed."""

COMMAND = (sys.executable, "-m", "service.cli")
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

logger = logging.getLogger(__name__)


class ServeFailed(Exception):
    """The service couldn't be started; the message is one line for the person who started it."""


def supervise(
    settings: Settings,
    *,
    announce: Callable[[str], None],
    web: Sequence[str] = (*COMMAND, "web"),
    worker: Sequence[str] = (*COMMAND, "worker"),
) -> int:
    """Run the whole service until a signal ends it; returns the exit status, 0. Main thread only.

    `announce` is called once with the address, when `/readyz` has answered 200. Raises ServeFailed or StoreError when
    the service can't be started, with all that was started ended again.
    """
    store = None if settings.redis_url else EmbeddedStore(settings.data, settings.valkey_binary)
    with _Signals() as signals:
        parts = _Parts(signals)
        try:
            if store:
                store.claim()
            settings = replace(settings, port=_free_port(settings.host, settings.port))
            if store:
                _start_store(store, parts, signals)
                settings = replace(settings, redis_url=store.url)
            environment = os.environ | settings.to_environment()  # passed on as it is, not read
            parts.start("web", lambda: _spawn(web, environment))
            for number in range(1, settings.worker_processes + 1):
                parts.start(f"worker {number}", lambda: _spawn(worker, environment))
            if _wait_until_ready(settings, parts, signals):
                announce(_address(settings))
            while not signals.stops:
                signals.wait(parts.idle())
                parts.tend()
        finally:
            parts.stop()
            if store:
                store.stop()
    return 0


def _start_store(store: EmbeddedStore, parts: "_Parts", signals: "_Signals") -> None:
    parts.start("store", store.launch, hint=lambda: f" ({store.trouble()})")
    while not signals.stops and not store.answers():
        signals.wait(READY_POLL)


def _spawn(argv: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(tied(argv), env=environment, stdin=subprocess.DEVNULL, start_new_session=True)


def _free_port(host: str, port: int) -> int:
    """`port`, or a free one for 0. Raises ServeFailed when it is taken, rather than have the web server die of it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except OSError as error:
        raise ServeFailed(
            f"can't listen on {host} port {port}: {error.strerror} (--host and --port choose another address)"
        ) from None


def _wait_until_ready(settings: Settings, parts: "_Parts", signals: "_Signals") -> bool:
    """True once `/readyz` answers 200; False when a signal came first. Raises ServeFailed."""
    end = time.monotonic() + READY_PATIENCE
    while not signals.stops:
        signals.wait(READY_POLL)
        parts.tend()
        if _is_ready(settings):
            return True
        if dying := parts.hopeless():
            raise ServeFailed(f"{dying} ended {TRIES} times before the service was ready; see what it wrote above")
        if time.monotonic() > end:
            raise ServeFailed(f"the service wasn't ready within {READY_PATIENCE:.0f} s")
    return False


def _is_ready(settings: Settings) -> bool:
    connection = http.client.HTTPConnection(_reachable(settings.host), settings.port, timeout=1)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _reachable(host: str) -> str:
    """An address that reaches a server which listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - not listening here


def _address(settings: Settings) -> str:
    host = _reachable(settings.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


@dataclass(slots=True)
class _Part:
    """One supervised process. Times are of the monotonic clock, in seconds."""

    name: str
    launch: Callable[[], subprocess.Popen[bytes]]
    hint: Callable[[], str]
    process: subprocess.Popen[bytes] | None
    born: float
    deaths: int = 0
    """How many in a row."""
    due: float = 0.0
    """When it is to be started again; only while there is no process."""


@dataclass(slots=True)
class _Parts:
    """All processes of the service."""

    signals: "_Signals"
    all: list[_Part] = field(default_factory=list)

    def start(self, name: str, launch: Callable[[], subprocess.Popen[bytes]], hint: Callable[[], str] = str) -> None:
        self.all.append(_Part(name=name, launch=launch, hint=hint, process=launch(), born=time.monotonic()))

    def tend(self) -> None:
        """Note who died, and start again whoever is due."""
        for part in self.all:
            if part.process and (status := part.process.poll()) is not None:
                _sweep(part.process)
                self._plan(part, f"ended {_in_words(status)}")
            if part.process is None and part.due <= time.monotonic():
                part.born = time.monotonic()
                try:
                    part.process = part.launch()
                except (OSError, StoreError) as error:  # out of memory or processes, say: that passes
                    self._plan(part, f"couldn't be started: {error}")

    def _plan(self, part: _Part, what: str) -> None:
        now = time.monotonic()
        part.deaths = part.deaths + 1 if now - part.born < LONG_LIFE else 1
        delay = BACK_OFF[min(part.deaths, len(BACK_OFF)) - 1]
        part.process, part.due = None, now + delay
        logger.warning("%s %s%s; starting it again in %.2f s", part.name, what, part.hint(), delay)

    def idle(self) -> float | None:
        """Seconds until somebody is due; None when nobody is."""
        waits = [part.due - time.monotonic() for part in self.all if part.process is None]
        return max(0.0, min(waits)) if waits else None

    def hopeless(self) -> str | None:
        """The name of a part that has died too often to go on."""
        return next((part.name for part in self.all if part.deaths >= TRIES), None)

    def stop(self) -> None:
        """End all but the store: politely, by force after GRACE or when a second signal came."""
        processes = [part.process for part in self.all if part.process and part.name != "store"]
        for process in processes:
            process.terminate()
        end = time.monotonic() + GRACE
        while [process for process in processes if process.poll() is None]:
            left = end - time.monotonic()
            if left <= 0 or self.signals.stops > 1:
                break
            self.signals.wait(left)
        for process in processes:
            _sweep(process)
            process.wait()


def _sweep(process: subprocess.Popen[bytes]) -> None:
    """Kill the part and whatever it started: all that is left of its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # nobody left; macOS says the latter of a group of the dead
        return


def _in_words(status: int) -> str:
    return f"with status {status}" if status >= 0 else f"by signal {-status}"


class _Signals:
    """Signals as something to wait for: each one's number arrives as a byte in a socket pair, none is missed."""

    def __init__(self) -> None:
        self.stops = 0
        """How many signals have asked for the end."""

    def __enter__(self) -> Self:
        self._in, self._out = socket.socketpair()
        self._in.setblocking(False)
        self._old_wakeup = signal.set_wakeup_fd(self._in.fileno())
        # A program that was started with nohup goes on when its terminal closes.
        heard = [s for s in STOP_SIGNALS if s != signal.SIGHUP or signal.getsignal(s) != signal.SIG_IGN]
        self._old = {number: signal.signal(number, _note) for number in (*heard, signal.SIGCHLD)}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._old_wakeup)
        self._in.close()
        self._out.close()

    def wait(self, seconds: float | None) -> None:
        """Sleep until a signal arrives, `seconds` at most."""
        if select.select([self._out], [], [], seconds)[0]:
            self.stops += sum(number in STOP_SIGNALS for number in self._out.recv(4096))


def _note(_number: int, _frame: FrameType | None) -> None:
    """Nothing: the signal's byte is in the socket pair already."""
