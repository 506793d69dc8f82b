"""An upgrade without a gap, by the document's steps: processes behind HAProxy restarted one after the other, in use."""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Final

import httpx
import pytest

from service.connections.clients import connect
from service.runtime.embedded import EmbeddedStore
from tests.support.client import Api
from tests.support.ports import free_port
from tests.support.shell import COMMAND, ROOT, environment
from tests.support.waiting import patience, wait_until

PAGE: Final = (ROOT / "docs" / "operating.md").read_text("utf-8")
HAPROXY: Final = shutil.which("haproxy", path=f"/usr/sbin:/usr/local/sbin:{os.environ['PATH']}")
AROUND: Final = """
global
    stats socket {folder}/stats
defaults
    mode http
    timeout connect 5s
    timeout client 600s
    timeout server 600s
frontend reibach
    bind 127.0.0.1:{port}
    default_backend reibach
"""
SETTINGS: Final = {
    "REIBACH_RATE_LIMIT": "0",
    "REIBACH_WEB_PROCESSES": "1",
    "REIBACH_WEB_THREADS": "16",
    "REIBACH_POLL_LIMIT": "8",
    "REIBACH_BOT_DELAY": "0",
    "REIBACH_DRAIN_SECONDS": "3600",
}
"""A web server drains until a second signal ends it, which is sent when the proxy has found out: at no fixed time."""
CALLER: Final = """#!{python}
import socket, sys
with socket.socket(socket.AF_UNIX) as asking:
    asking.connect({path!r})
    asking.sendall(" ".join([{name!r}, *sys.argv[1:]]).encode() + b"\\n")
    sys.exit(0 if asking.recv(1) == b"0" else 1)
"""
"""A program of the document's steps, played by the test."""
pytestmark = [pytest.mark.slow, pytest.mark.skipif(HAPROXY is None, reason="haproxy isn't installed")]


@dataclass
class Deployment:
    """Processes by the names of their units, and the proxy in front of the web servers."""

    folder: Path
    store: str
    units: dict[str, list[str]]
    ports: dict[str, str]
    """By the document's port: this one's."""
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    restarted: list[str] = field(default_factory=list)

    def start(self, unit: str) -> None:
        """Start the process of a unit."""
        settings = SETTINGS | {"REIBACH_REDIS_URL": self.store}
        command = [*COMMAND, *self.units[unit]]
        self.running[unit] = subprocess.Popen(command, cwd=ROOT, env=environment(**settings), process_group=0)

    def restart(self, unit: str) -> None:
        """As systemd does: SIGTERM, wait, start. A web server ends when the proxy sends it nothing any more."""
        process = self.running[unit]
        process.terminate()
        if unit.startswith("reibach-web@"):
            server = {"8001": "web1", "8002": "web2"}[unit.partition("@")[2]]
            wait_until(lambda: self.state(server)["status"] == "DOWN", 60)
            wait_until(lambda: int(self.state(server)["scur"]) <= self.streams(server), 60)
            process.terminate()
        assert process.wait(patience(30)) == 0
        self.start(unit)
        self.restarted.append(unit)

    def streams(self, server: str) -> int:
        """How many event streams a web server has open."""
        port = self.ports["8001" if server == "web1" else "8002"]
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=patience(10)).text
        return round(float(re.findall(r"^reibach_streams_open(?:{.*})? (\S+)", metrics, re.MULTILINE)[0]))

    def settle(self) -> None:
        """Wait until the proxy uses both web servers, and each worker that runs has reported."""
        wait_until(lambda: {self.state(name)["status"] for name in ("web1", "web2")} == {"UP"}, 60)
        pids = {process.pid for unit, process in self.running.items() if "worker" in unit}
        with closing(connect(self.store)) as client:
            wait_until(
                lambda: pids <= {int(name.rpartition(b"-")[2]) for name in client.zrange("{reibach}:workers", 0, -1)}
            )

    def state(self, server: str) -> dict[str, str]:
        """What the proxy says of a server."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(self.folder / "stats"))
            asking.sendall(b"show stat\n")
            text = asking.makefile().read().lstrip("# ")
        return next(row for row in csv.DictReader(text.splitlines()) if row["svname"] == server)


def documented(mark: str) -> str:
    """A block of the document."""
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    """Two web servers, two workers and a post process on a store, all ready; HAProxy isn't started."""
    store = EmbeddedStore(tmp_path / "store")
    store.start()
    ports = {"8001": str(free_port()), "8002": str(free_port())}
    units = {f"reibach-web@{port}": ["web", "--port", own] for port, own in ports.items()}
    units |= {"reibach-worker@1": ["worker"], "reibach-worker@2": ["worker"], "reibach-post": ["post"]}
    made = Deployment(tmp_path, store.url, units, ports)
    try:
        for unit in units:
            made.start(unit)
        yield made
    finally:
        for process in made.running.values():
            process.kill()
            process.wait()
        store.stop()


@contextmanager
def proxied(deployment: Deployment) -> Iterator[str]:
    """The address of HAProxy with the document's backend."""
    port = free_port()
    backend = re.sub(r"\b800[12]\b", lambda found: deployment.ports[found[0]], documented("backend"))
    config = deployment.folder / "haproxy.cfg"
    config.write_text(AROUND.format(folder=deployment.folder, port=port) + backend)
    process = subprocess.Popen([str(HAPROXY), "-db", "-f", str(config)])
    try:
        wait_until(lambda: process.poll() is not None or (deployment.folder / "stats").is_socket())
        assert process.poll() is None, "haproxy didn't start"
        deployment.settle()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(patience(10))


@contextmanager
def players(url: str, count: int) -> Iterator[tuple[list[int], list[str]]]:
    """Clients that play and read without retries: the statuses of their answers, and what went wrong."""
    statuses: list[int] = []
    failures: list[str] = []
    stopped = Event()

    def play(seed: int) -> None:
        chance = Random(seed)
        with httpx.Client(base_url=url, timeout=patience(30)) as http:
            api = Api(http)
            table = api.create([{"name": "Anna"}, {"bot": "greedy"}], None)
            while not stopped.wait(0.01):  # a pace, so that the proxy's processes get their turn
                try:
                    path = chance.choice(["", "/events", "/legal-actions", "/messages"])
                    if path == "/messages":
                        answer = api.post(table.path + path, table.tokens[0], json={"text": "…"})
                    else:
                        answer = api.get(table.path + path, table.tokens[0])
                except httpx.HTTPError as error:
                    failures.append(repr(error))
                    continue
                statuses.append(answer.status_code)
                if answer.status_code == 422:  # the game is full of messages
                    table = api.create([{"name": "Anna"}, {"bot": "greedy"}], None)
                elif answer.status_code not in {200, 201, 409}:
                    failures.append(f"{answer.status_code} {answer.text[:200]}")

    threads = [Thread(target=play, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield statuses, failures
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


@contextmanager
def listener(url: str, path: str, token: str) -> Iterator[tuple[list[int], list[str]]]:
    """Follows a game's events, again after each end of a stream: the versions, and what went wrong."""
    versions: list[int] = []
    faults: list[str] = []
    stopped = Event()

    def follow() -> None:
        with httpx.Client(base_url=url, timeout=patience(60)) as http:
            while not stopped.is_set():
                headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {token}"}
                headers |= {"Last-Event-ID": str(versions[-1])} if versions else {}
                try:
                    with http.stream("GET", f"{path}/events", headers=headers) as stream:
                        if stream.status_code != 200:
                            faults.append(str(stream.status_code))
                        for line in stream.iter_lines():
                            if line.startswith("data:"):
                                versions.append(json.loads(line[5:])["version"])
                            if stopped.is_set():
                                return
                except httpx.HTTPError as error:
                    faults.append(repr(error))

    thread = Thread(target=follow)
    thread.start()
    try:
        yield versions, faults
    finally:
        stopped.set()
        thread.join()


@contextmanager
def programs(deployment: Deployment, **played: Callable[[list[str]], None]) -> Iterator[str]:
    """A PATH on which these programs are played by functions of the test."""
    folder = deployment.folder / "bin"
    folder.mkdir()
    path = str(deployment.folder / "calls")
    with ExitStack() as stack:
        calls = stack.enter_context(socket.socket(socket.AF_UNIX))
        calls.bind(path)
        calls.listen()
        for name in played:
            program = folder / name
            program.write_text(CALLER.format(python=shutil.which("python3"), path=path, name=name))
            program.chmod(0o700)

        def answer() -> None:
            while True:
                connection, _ = calls.accept()
                with connection:
                    name, *words = connection.makefile().readline().split()
                    if name == "end":
                        return
                    try:
                        played[name](words)
                    except AssertionError:
                        connection.sendall(b"1")
                    else:
                        connection.sendall(b"0")

        thread = Thread(target=answer)
        thread.start()
        try:
            yield f"{folder}:{os.environ['PATH']}"
        finally:
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(path)
                last.sendall(b"end\n")
            thread.join()


@pytest.mark.nightly
def test_no_request_is_refused(deployment: Deployment) -> None:
    """While workers, web servers and post are restarted in the document's order; a stream misses nothing.

    `systemctl` restarts the test's own processes, and where an operator sleeps the test waits for what that is for.
    """
    script = documented("rolling").replace("127.0.0.1:$port/", "127.0.0.1:$(own $port)/")
    own = "; ".join(f"[ $1 = {port} ] && echo {there}" for port, there in deployment.ports.items())
    with proxied(deployment) as url, httpx.Client(base_url=url, timeout=patience(30)) as http:
        table = Api(http).create([{"name": "Anna"}, {"name": "Bert"}], None)
        with (
            players(url, 3) as (statuses, failures),
            listener(url, table.path, table.tokens[0]) as (versions, faults),
            programs(
                deployment, systemctl=lambda words: deployment.restart(words[1]), sleep=lambda _: deployment.settle()
            ) as path,
        ):
            wait_until(lambda: versions and len(statuses) > 20)
            command = ["bash", "-euo", "pipefail", "-c", f"own() {{ {own}; true; }}\n{script}"]
            with_programs = {**os.environ, "PATH": path}
            limit = patience(120)
            done = subprocess.run(
                command, env=with_programs, capture_output=True, text=True, timeout=limit, check=False
            )
            assert done.returncode == 0, done.stderr
            for number in range(3):
                said = Api(http).post(f"{table.path}/messages", table.tokens[1], json={"text": str(number)})
                assert said.status_code == 201
            last = said.json()["version"]
            wait_until(lambda: versions[-1] == last)
            Api(http).post(f"{table.path}/messages", table.tokens[1], json={"text": "the stream's thread looks up"})
            count = len(statuses)
            wait_until(lambda: len(statuses) > count + 20)
        assert failures == []
        assert faults == []
        assert versions[:last] == list(range(1, last + 1))
        assert set(statuses) <= {200, 201, 409, 422}
    assert deployment.restarted == [
        *("reibach-worker@1", "reibach-worker@2", "reibach-web@8001", "reibach-web@8002", "reibach-post"),
    ]
