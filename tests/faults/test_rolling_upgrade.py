"""An upgrade without a gap, by the document's steps: processes behind HAProxy restarted one after the other, in use.

The older side is a copy of this checkout with other scripts and styles, unless `REIBACH_TEST_OLDER` names the folder of
another one: its processes run first, this one's take their places. Those of a named one come back in the document's
order of going back.
"""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final

import httpx
import pytest

from service.connections.clients import connect
from service.runtime.embedded import EmbeddedStore
from tests.bench.fault_report.load import Load
from tests.bench.fault_report.scene import Run, judge
from tests.support.cases import cases
from tests.support.client import Api
from tests.support.ports import free_port
from tests.support.shell import HOSTING, ROOT, environment
from tests.support.waiting import patience, wait_until

OLDER: Final = os.environ.get("REIBACH_TEST_OLDER")
"""Where the processes that run before the upgrade have their code, and `.venv`, if it has one of its own."""
HAPROXY: Final = shutil.which("haproxy", path=f"/usr/sbin:/usr/local/sbin:{os.environ['PATH']}")
AROUND: Final = Path(__file__).with_name("haproxy.cfg").read_text("utf-8")
SETTINGS: Final = cases(__file__, "settings")
"""A web server drains until a second signal ends it, which is sent when the proxy has found out: at no fixed time."""
CALLER: Final = cases(__file__, "caller")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(HAPROXY is None, reason="haproxy isn't installed")]


@dataclass
class Deployment:
    """Processes by the names of their units, and the proxy in front of the web servers."""

    folder: Path
    store: str
    units: dict[str, list[str]]
    ports: dict[str, str]
    """By the document's port: this one's."""
    release: Path
    """The folder of the code that the next process starts with."""
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    restarted: list[str] = field(default_factory=list)

    def start(self, unit: str) -> None:
        own = self.release / ".venv" / "bin" / "python"
        command = [str(own) if own.exists() else sys.executable, "-m", "service.cli", *self.units[unit]]
        settings = environment(**SETTINGS, REIBACH_REDIS_URL=self.store, PYTHONPATH=str(self.release))
        self.running[unit] = subprocess.Popen(command, cwd=self.release, env=settings, process_group=0)

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
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(self.folder / "stats"))
            asking.sendall(b"show stat\n")
            text = asking.makefile().read().lstrip("# ")
        return next(row for row in csv.DictReader(text.splitlines()) if row["svname"] == server)


def documented(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", HOSTING, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def older(tmp_path: Path) -> Path:
    if OLDER:
        return Path(OLDER)
    folder = tmp_path / "older"
    for part in ("config", "docs", "domain", "service", "workers"):
        shutil.copytree(ROOT / part, folder / part)
    static = folder / "service" / "web" / "static"
    for path in (*static.rglob("*.css"), *static.rglob("*.js")):
        path.write_text(f"{path.read_text('utf-8')}\n/* of another release */\n", "utf-8")
    return folder


@pytest.fixture
def deployment(tmp_path: Path, older: Path) -> Iterator[Deployment]:
    """Two web servers, two workers and a post process on a store, all ready; HAProxy isn't started."""
    store = EmbeddedStore(tmp_path / "store")
    store.start()
    ports = {"8001": str(free_port()), "8002": str(free_port())}
    units = {f"reibach-web@{port}": ["web", "--port", own] for port, own in ports.items()}
    units |= {"reibach-worker@1": ["worker"], "reibach-worker@2": ["worker"], "reibach-post": ["post"]}
    made = Deployment(tmp_path, store.url, units, ports, older)
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
def visitor(url: str, pages: Sequence[str]) -> Iterator[tuple[Counter[str], list[str]]]:
    """Opens pages with all that they load, again and again; and what the first ones load, as a tab does that stays.

    Each request has a connection of its own. The assets that were loaded, and what went wrong.
    """
    loaded: Counter[str] = Counter()
    faults: list[str] = []
    stopped = Event()

    def load(path: str) -> str:
        try:
            answer = httpx.get(f"{url}{path}", timeout=patience(30))
        except httpx.HTTPError as error:
            faults.append(f"{path}: {error!r}")
            return ""
        if answer.status_code != 200:
            faults.append(f"{path}: {answer.status_code}")
        return answer.text

    def visit() -> None:
        first: list[str] = []
        while not stopped.is_set():
            opened = [asset for page in pages for asset in re.findall(r'"(/static/[^"]+)"', load(page))]
            first = first or opened
            for asset in opened + first:
                load(asset)
                loaded[asset] += 1

    thread = Thread(target=visit)
    thread.start()
    try:
        yield loaded, faults
    finally:
        stopped.set()
        thread.join()


@contextmanager
def programs(folder: Path, **played: Callable[[list[str]], None]) -> Iterator[str]:
    """A PATH on which these programs are played by functions of the test; the folder is made."""
    folder.mkdir()
    path = str(folder / "calls")
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


def roll(deployment: Deployment, script: str) -> None:
    """Have each process replaced by one of the deployment's release.

    `systemctl` restarts the test's own processes, and where an operator sleeps the test waits for what that is for.
    """
    script = script.replace("127.0.0.1:$port/", "127.0.0.1:$(own $port)/")
    own = "; ".join(f"[ $1 = {port} ] && echo {there}" for port, there in deployment.ports.items())
    folder = deployment.folder / f"after {len(deployment.restarted)}"
    with programs(
        folder, systemctl=lambda words: deployment.restart(words[1]), sleep=lambda _: deployment.settle()
    ) as path:
        command = ["bash", "-euo", "pipefail", "-c", f"own() {{ {own}; true; }}\n{script}"]
        with_programs = {**os.environ, "PATH": path}
        limit = patience(120)
        done = subprocess.run(command, env=with_programs, capture_output=True, text=True, timeout=limit, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket.socket")  # the load leaves its to the collector
def test_no_request_is_refused(deployment: Deployment, older: Path, tmp_path: Path) -> None:
    """While all processes are restarted in the document's order; nothing acknowledged is lost, a stream misses nothing.

    Every page finds scripts and styles, whichever release is asked for them, if both serve what they have of a name;
    what a script loads later fits that script alone, and another release refuses it.
    From a release that is named the same holds on the way back to it.
    """
    with proxied(deployment) as url, httpx.Client(base_url=url, timeout=patience(30)) as http:
        table = Api(http).create([{"name": "Anna"}, {"name": "Bert"}], None)
        load = Load([url], tmp_path / "journals", "upgrade", clients=3, interval=0.03)
        visits = visitor(url, ["/", "/lobby", "/rules", "/check", table.path.replace("/v1/games", "/g")])
        with load, listener(url, table.path, table.tokens[0]) as (versions, faults), visits as (loaded, missing):
            load.wait_for(20)
            wait_until(lambda: versions and loaded)
            workers, servers, post = re.split(r"(?<=^done\n)", documented("rolling"), flags=re.MULTILINE)
            ways = [(ROOT, workers + servers + post), *([(older, servers + workers + post)] if OLDER else [])]
            for deployment.release, script in ways:
                roll(deployment, script)
                for number in range(3):
                    said = Api(http).post(f"{table.path}/messages", table.tokens[1], json={"text": str(number)})
                    assert said.status_code == 201
                last = said.json()["version"]
                wait_until(lambda last=last: versions[-1] == last)
                load.wait_for(20)
            Api(http).post(f"{table.path}/messages", table.tokens[1], json={"text": "the stream's thread looks up"})
        assert faults == []
        if not (older / "service" / "web" / "releases.py").exists():  # which answers 404 for another release's
            assert [fault for fault in missing if "/late-" not in fault] == []
        assert len({asset for asset in loaded if asset.endswith("/app.css")}) == 2 or OLDER, "both were asked for"
        assert versions[:last] == list(range(1, last + 1))
        run = Run(tmp_path, "upgrade")
        judge(run, [load], {"REIBACH_REDIS_URL": deployment.store}, [url])
        assert run.outcome.faults == []
        assert set(load.counts) <= {"200", "201", "304"}, load.losses
    up = ["reibach-worker@1", "reibach-worker@2", "reibach-web@8001", "reibach-web@8002", "reibach-post"]
    assert deployment.restarted == ([*up, *up[2:4], *up[:2], up[4]] if OLDER else up)
