"""The web server: two processes, long polls, crashes and stops."""

import http.client
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from config.settings import BadSetting
from service.runtime import webserver
from tests.support.ports import free_port
from tests.support.waiting import is_running, patience, wait_until
from tests.support.webserver_app import MEETING, THREADS

ROOT = Path(__file__).resolve().parents[2]
POLLS = 3 * THREADS
"""So that each process gets more than it has threads for other requests: 6 times the deviation lies between."""
Start = Callable[..., tuple["subprocess.Popen[str]", int]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a server on a free port and wait until both of its processes answer."""
    with ExitStack() as stack:

        def launch(kind: str = "polite") -> tuple["subprocess.Popen[str]", int]:
            port = free_port()
            server = run(port, kind)
            stack.callback(end, server)
            wait_until(lambda: len(children(server.pid)) == 2 and is_listening(port, 2))
            return server, port

        yield launch


def run(port: int, kind: str = "polite") -> "subprocess.Popen[str]":
    """Run the server in a process group of its own, as a shell does."""
    command = [sys.executable, "-m", "tests.support.webserver_app", str(port), kind]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, process_group=0)


def end(server: "subprocess.Popen[str]") -> None:
    server.kill()
    server.communicate()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_listening(port: int, processes: int) -> bool:
    """Whether `processes` sockets listen on the port: each web process has its own."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows) == processes


def ask(port: int, path: str = "/", **request: Any) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience(10))
    try:
        connection.request("POST" if request else "GET", path, **request)
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer


def threads(server: "subprocess.Popen[str]") -> int:
    return sum(len(list(Path(f"/proc/{child}/task").iterdir())) for child in children(server.pid))


@contextmanager
def open_polls(server: "subprocess.Popen[str]", port: int) -> Iterator[list[http.client.HTTPConnection]]:
    """Hold POLLS long polls; each of them holds a thread."""
    with ExitStack() as stack:
        before = threads(server)
        polls = [stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", port))) for _ in range(POLLS)]
        for poll in polls:
            poll.request("GET", "/poll")
        wait_until(lambda: threads(server) >= before + POLLS - 2)  # each process has one thread to begin with
        yield polls


def test_answers_with_the_settings_in_the_environment(start: Start) -> None:
    """Those that `serve_web` was given; the application's module is imported once, and shared by the processes."""
    server, port = start()
    answer = ask(port)
    assert answer["port"] == str(port)
    assert answer["imported_by"] == server.pid
    assert answer["pid"] in children(server.pid)


def test_request_passes_open_polls(start: Start) -> None:
    """Requests are answered while more polls are held than there are threads for other requests."""
    server, port = start()
    with open_polls(server, port):
        begun = time.monotonic()
        for _ in range(10):  # the kernel spreads them over both processes
            ask(port)
        assert time.monotonic() - begun < patience(2)


def test_waiting_for_the_store_overlaps(start: Start) -> None:
    """Requests that wait for something outside do so together: a slow store doesn't queue them up behind each other."""
    _, port = start()
    asked = 6 * MEETING  # over both processes: one gets fewer than MEETING once in ten million times
    with ThreadPoolExecutor(asked) as pool:
        assert all(answer["met"] for answer in pool.map(lambda _: ask(port, "/meet"), range(asked)))


def test_killed_process_is_started_again(start: Start) -> None:
    """A web process that dies is replaced, and the server keeps answering."""
    server, port = start()
    dead = children(server.pid)[0]
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: dead not in children(server.pid) and len(children(server.pid)) == 2)
    wait_until(lambda: is_listening(port, 2))
    assert ask(port)["pid"] in children(server.pid)


@pytest.mark.parametrize("to_group", [False, True], ids=["SIGTERM", "Ctrl-C"])
def test_stop_answers_open_polls(start: Start, to_group: bool) -> None:
    server, port = start()
    with open_polls(server, port) as polls:
        begun = time.monotonic()
        if to_group:
            os.killpg(server.pid, signal.SIGINT)
        else:
            server.send_signal(signal.SIGTERM)
        assert server.wait(patience(10)) == 0
        assert time.monotonic() - begun < patience(1.5)
        assert all(json.loads(poll.getresponse().read())["stopped"] for poll in polls)


def test_stop_reaches_the_main_thread(start: Start) -> None:
    """Also where the kernel gives the signal to another thread; else a process would be killed two seconds later."""
    server, _ = start()
    child = children(server.pid)[0]
    other = max(int(task.name) for task in Path(f"/proc/{child}/task").iterdir())
    assert other != child
    os.kill(other, signal.SIGTERM)  # the kernel prefers the named thread
    wait_until(lambda: not is_running(child))


@pytest.mark.nightly
@pytest.mark.slow
def test_stop_cuts_stubborn_polls(start: Start) -> None:
    """Polls that won't end delay a stop by no more than the two seconds they are given."""
    server, port = start("stubborn")
    with open_polls(server, port):
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(patience(10)) == 0
        assert time.monotonic() - begun < patience(4)


def test_web_processes_die_with_the_server(start: Start) -> None:
    server, _ = start()
    orphans = children(server.pid)
    server.kill()
    server.wait()
    wait_until(lambda: not any(is_running(orphan) for orphan in orphans))


def test_taken_port_is_refused(start: Start) -> None:
    """A second server on the port is refused, though the kernel would let both share it."""
    _, port = start()
    second = run(port)
    _, stderr = second.communicate(timeout=patience(10))
    assert second.returncode == 2
    assert stderr.startswith(f"can't listen on 127.0.0.1:{port}: Address already in use (--host and --port")
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("limit", [64, 256, 1215])
def test_too_few_open_files_are_refused(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """By one line with the limit and what is needed: a server without free descriptors would only spin."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    with pytest.raises(BadSetting, match=rf"may open {limit} files, and needs 1216 .* REIBACH_WEB_THREADS"):
        webserver._connections(576)


@pytest.mark.parametrize(
    ("soft", "hard", "connections"),
    [
        (256, 1216, 576),
        (1024, 2000, 1360),
        (1024, resource.RLIM_INFINITY, 2304),
        (1024, 10_000, 2304),
        (10_000, 10_000, 2304),
    ],
)
def test_connections_fit_the_limit_of_open_files(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, connections: int
) -> None:
    """The limit is raised as far as it may be; beside the connections each thread has one to the store."""
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: limits.append(both))
    assert webserver._connections(576) == connections
    assert limits[-1][0] >= connections + 576 + 64
    assert limits[-1][1] == hard
