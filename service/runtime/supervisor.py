"""The processes of `reibach serve`: the store, the web server, the workers and post, kept running and ended together.

Rules of this file:

* A process that ends is restarted: at once the first time, then with a growing back-off while it keeps failing early.
* Web server and workers end before the store, so that what they finish can be written.
* Each process leads a session of its own: Ctrl-C in a terminal reaches the supervisor only, and processes that a child
  leaves behind are found by its process group. Children end with the supervisor, even if that is killed
  (`service.runtime.lifeline`).
* The loop sleeps until a signal arrives, a restart is due, or the disk of the embedded store must be looked at.
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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Final, Self, TypeAlias

from config.settings import Settings
from service.connections.loopback import is_loopback
from service.runtime.embedded import EmbeddedStore, StoreError
from service.runtime.guards.disk import LOOK_EVERY, DiskGuard
from service.runtime.parts import Part

BACK_OFF = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds before the first, second, ... restart after failures in a row."""
STABLE_AFTER = 5.0
"""Seconds after which a process counts as stable: its next failure is the first of a row."""
STOP_TIMEOUT = 5.0
"""Seconds in which web server and workers must end after SIGTERM."""
READY_TIMEOUT = 60.0
"""Seconds in which the service must be ready after its start."""
READY_POLL = 0.05
MAX_FAILURES = 3
"""Failures in a row of a process after which a service that was never ready gives up."""

COMMAND: Final = (sys.executable, "-P", "-m", "service.cli")
"""`-P`: not with the modules of the folder in which the service is started, such as its `config.py`."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Process: TypeAlias = subprocess.Popen[bytes] | Part

logger = logging.getLogger(__name__)


class ServeFailed(Exception):
    """The service couldn't be started; the message is one line for the operator."""


def supervise(settings: Settings, *, announce: Callable[[str], None], parts: Mapping[str, Callable[[], object]]) -> int:
    """Run the whole service until a signal ends it; returns the exit status, 0. Main thread only.

    `announce` is called once with the address, when `/readyz` has answered 200. `parts`: what the processes beside the
    store run, with the settings in their environment; there are as many workers as the settings say. Raises ServeFailed
    or StoreError if the service can't be started; all processes have ended then.
    """
    store = None if settings.redis_url else EmbeddedStore(settings.data, settings.valkey_binary)
    guard = DiskGuard(store) if store else None
    with _Signals() as signals:
        children = _Children(signals)
        try:
            if store and store.data.exists():
                store.claim()
            settings = replace(settings, port=_free_port(settings.host, settings.port))
            if store and guard:
                store.claim()  # only now: a new folder isn't made for a port that is taken
                _start_store(store, guard, children, signals)
                settings = replace(settings, redis_url=store.url)
            environment = os.environ | settings.to_environment()  # passed on as it is, not read
            for name, run in parts.items():
                numbers = range(1, settings.worker_processes + 1) if name == "worker" else [""]
                for number in numbers:
                    title = f"{name} {number}".rstrip()
                    children.start(title, partial(Part, title, run, environment))
            if _wait_until_ready(settings, children, signals, guard):
                address = _address(settings)
                if store:
                    store.note_address(address)
                announce(address)
                _warn_without_proxy(settings)
            _keep_running(children, signals, guard)
        finally:
            children.drain(settings.drain_seconds)
            children.stop()
            if store:
                store.stop()
    return 0


def _keep_running(children: "_Children", signals: "_Signals", guard: DiskGuard | None) -> None:
    """Restart what ends, and look at the disk of the embedded store, until a signal arrives."""
    while not signals.stops:
        until_restart = children.seconds_until_restart()
        if guard:
            until_restart = LOOK_EVERY if until_restart is None else min(until_restart, LOOK_EVERY)
        signals.wait(until_restart)
        children.restart_ended()
        if guard:
            guard.look()


def _start_store(store: EmbeddedStore, guard: DiskGuard, children: "_Children", signals: "_Signals") -> None:
    children.start("store", guard.launch, hint=lambda: f" ({store.failure_hint()})")
    while not signals.stops and not store.is_ready():
        signals.wait(READY_POLL)


def _free_port(host: str, port: int) -> int:
    """`port`, or a free one for 0. Raises ServeFailed if it is taken: the web server would fail at every restart."""
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


def _wait_until_ready(settings: Settings, children: "_Children", signals: "_Signals", guard: DiskGuard | None) -> bool:
    """True once `/readyz` answers 200; False if a signal arrives first. Raises ServeFailed.

    On a full disk `/readyz` needs only answer: games can be read then.
    """
    end = time.monotonic() + READY_TIMEOUT
    while not signals.stops:
        signals.wait(READY_POLL)
        children.restart_ended()
        status = _ask_readyz(settings)
        if status == http.HTTPStatus.OK or (status and guard and guard.is_full):
            return True
        if failed := children.failed_child():
            raise ServeFailed(f"{failed} ended {MAX_FAILURES} times before the service was ready; see its output above")
        if time.monotonic() > end:
            raise ServeFailed(f"the service wasn't ready within {READY_TIMEOUT:.0f} s")
    return False


def _ask_readyz(settings: Settings) -> int:
    connection = http.client.HTTPConnection(_reachable(settings.host), settings.port, timeout=1)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def _reachable(host: str) -> str:
    """The address by which a client on this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - not listening here


def _warn_without_proxy(settings: Settings) -> None:
    if not settings.trusted_proxies and not is_loopback(settings.host):
        logger.warning(
            "listening on %s without a proxy: the web server has no time limit for a request's body, so use a proxy "
            "that buffers requests, and set REIBACH_TRUSTED_PROXIES",
            settings.host or "all addresses",
        )


def _address(settings: Settings) -> str:
    """Where players reach the service: where it listens on all addresses, that of this machine in its network."""
    host = _reachable(settings.host)
    if host != settings.host:
        family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
        with socket.socket(family, socket.SOCK_DGRAM) as probe, suppress(OSError):
            probe.connect((elsewhere, 9))  # sends nothing
            host = probe.getsockname()[0]
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


@dataclass(slots=True)
class _Child:
    """A supervised process. Times are those of the monotonic clock, in seconds."""

    name: str
    launch: Callable[[], Process]
    hint: Callable[[], str]
    """Added to the message that it has ended."""
    process: Process | None
    started_at: float
    failures: int = 0
    """In a row."""
    failure: str = ""
    """The last one, in words."""
    restart_at: float = 0.0
    """While there is no process."""


@dataclass(slots=True)
class _Children:
    signals: "_Signals"
    all: list[_Child] = field(default_factory=list)

    def start(self, name: str, launch: Callable[[], Process], hint: Callable[[], str] = str) -> None:
        self.all.append(_Child(name=name, launch=launch, hint=hint, process=launch(), started_at=time.monotonic()))

    def restart_ended(self) -> None:
        """Plan a restart for each process that has ended, and start those whose restart is due."""
        for child in self.all:
            if child.process and (status := child.process.poll()) is not None:
                _kill_group(child.process)
                how = f"with status {status}"
                if status < 0:  # a new failure each time, where a process that ends by itself again has the same one
                    how, child.failure = f"by signal {-status}", ""
                self._plan_restart(child, f"ended {how}{child.hint()}")
            if child.process is None and child.restart_at <= time.monotonic():
                child.started_at = time.monotonic()
                try:
                    child.process = child.launch()
                except (OSError, StoreError) as error:  # memory or process limits, for example: that may pass
                    self._plan_restart(child, f"couldn't be started: {error}{child.hint()}")

    def _plan_restart(self, child: _Child, failure: str) -> None:
        now = time.monotonic()
        child.failures = child.failures + 1 if now - child.started_at < STABLE_AFTER else 1
        delay = BACK_OFF[min(child.failures, len(BACK_OFF)) - 1]
        child.process, child.restart_at = None, now + delay
        is_new, child.failure = failure != child.failure or child.failures == 1, failure
        if is_new:  # a failure that lasts, such as a full disk, is logged once
            logger.warning("%s %s; restarting it in %.2f s", child.name, failure, delay)

    def seconds_until_restart(self) -> float | None:
        waits = [child.restart_at - time.monotonic() for child in self.all if child.process is None]
        return max(0.0, min(waits)) if waits else None

    def failed_child(self) -> str | None:
        """The name of a process that has failed MAX_FAILURES times in a row."""
        return next((child.name for child in self.all if child.failures >= MAX_FAILURES), None)

    def drain(self, seconds: float) -> None:
        """End the web server before the others: it answers for so many seconds more, unless a second signal comes."""
        if not (seconds and self.signals.stops):
            return
        web = [child.process for child in self.all if child.process and child.name == "web"]
        for process in web:
            process.terminate()
        self._await_end(web, seconds + STOP_TIMEOUT)
        self.signals.stops = 1  # a second one has ended this wait, and not the next

    def stop(self) -> None:
        """End all but the store: by SIGTERM, then by SIGKILL after STOP_TIMEOUT or a second signal."""
        processes = [child.process for child in self.all if child.process and child.name != "store"]
        for process in processes:
            process.terminate()
        self._await_end(processes, STOP_TIMEOUT)
        for process in processes:
            _kill_group(process)
            process.wait()

    def _await_end(self, processes: Sequence[Process], seconds: float) -> None:
        """Return when the processes have ended, the time is over, or a second signal has come."""
        end = time.monotonic() + seconds
        while [process for process in processes if process.poll() is None]:
            left = end - time.monotonic()
            if left <= 0 or self.signals.stops > 1:
                break
            self.signals.wait(left)


def _kill_group(process: Process) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # no process left; macOS raises the latter if all have ended
        return


class _Signals:
    """Signals that can be waited for: the number of each arrives as a byte in a socket pair, so none is missed."""

    def __init__(self) -> None:
        self.stops = 0

    def __enter__(self) -> Self:
        self._in, self._out = socket.socketpair()
        self._in.setblocking(False)
        self._old_wakeup = signal.set_wakeup_fd(self._in.fileno())
        # A program that was started with nohup keeps running when its terminal is closed.
        handled = [s for s in STOP_SIGNALS if s != signal.SIGHUP or signal.getsignal(s) != signal.SIG_IGN]
        # No handler does anything: the signal's byte is in the socket pair already.
        self._old = {number: signal.signal(number, lambda *_: None) for number in (*handled, signal.SIGCHLD)}
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
