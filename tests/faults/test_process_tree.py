"""The process tree of `serve`: kept running, ended together, no process left behind.

The supervisor runs in a process of its own, with small scripts in place of the web server and the workers. Each writes
a file `<kind>-<process id>` into the folder `seen`.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from redis import Redis

from config.settings import Settings
from service.runtime.embedded import EmbeddedStore
from service.runtime.supervisor import ServeFailed, supervise
from tests.support.cases import cases
from tests.support.samples import with_nightly
from tests.support.waiting import is_running, patience, wait_until

ROOT = Path(__file__).parents[2]
SEEN = "import os, pathlib, sys, time; pathlib.Path(sys.argv[1], f'{sys.argv[2]}-{os.getpid()}').touch(); "
WEB = cases(__file__, "web")
WORKER = SEEN + "time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WORKER
SERVE = cases(__file__, "serve")


@dataclass(frozen=True)
class Tree:
    """A supervisor in its own process, and the processes that it has started."""

    supervisor: subprocess.Popen[str]
    seen: Path
    store: EmbeddedStore
    """Only for its address: never started here."""
    errors: Path

    def address(self) -> str:
        assert self.supervisor.stdout is not None
        return self.supervisor.stdout.readline().strip()

    def running(self, kind: str) -> list[int]:
        if kind == "supervisor":
            return [self.supervisor.pid]
        if kind == "store":
            lines = re.findall(r"^(\d+):M .*Ready to accept", self.store.log_file.read_text(), re.MULTILINE)
            return [pid for pid in map(int, dict.fromkeys(lines)) if is_running(pid)]
        return [pid for path in self.seen.glob(f"{kind}-*") if is_running(pid := int(path.name.partition("-")[2]))]

    def everyone(self) -> list[int]:
        return [pid for kind in ("store", "web", "grandchild", "worker") for pid in self.running(kind)]

    def is_complete(self) -> bool:
        return [len(self.running(kind)) for kind in ("store", "web", "grandchild", "worker")] == [1, 1, 1, 2]

    def is_complete_without(self, victim: int) -> bool:
        """Whether the killed process has ended and been replaced."""
        return not is_running(victim) and self.is_complete()

    def has_ended(self) -> bool:
        return not self.everyone()


Start = Callable[..., Tree]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts a supervisor over this test's folder. All its processes are killed after the test."""
    trees: list[Tree] = []

    def start_tree(web: str = WEB, worker: str = WORKER, grace: float = 5.0) -> Tree:
        seen, errors = tmp_path / "seen", tmp_path / "errors"
        seen.mkdir(exist_ok=True)
        argv = [sys.executable, "-c", SERVE, str(tmp_path / "games"), str(seen), web, worker, str(grace)]
        with errors.open("wb") as file:
            process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=file, text=True)
        trees.append(Tree(process, seen, EmbeddedStore(tmp_path / "games"), errors))
        return trees[-1]

    yield start_tree
    for tree in trees:
        with tree.supervisor:
            tree.supervisor.kill()
        try:
            wait_until(tree.has_ended)
        finally:
            for orphan in tree.everyone():
                os.kill(orphan, signal.SIGKILL)


@pytest.fixture
def tree(start: Start) -> Tree:
    tree = start()
    assert tree.address().startswith("http://127.0.0.1:")
    wait_until(tree.is_complete)
    return tree


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_ends_cleanly(tree: Tree, signum: signal.Signals) -> None:
    """Asked to end, it ends with status 0, the store last and cleanly, and leaves no process behind."""
    parts = tree.everyone()
    tree.supervisor.send_signal(signum)
    assert tree.supervisor.wait(patience(10)) == 0
    assert [pid for pid in parts if is_running(pid)] == []
    assert "bye bye" in tree.store.log_file.read_text()
    assert tree.errors.read_text() == ""


def test_terminal_reaches_the_supervisor_only(tree: Tree) -> None:
    """Every part is in another session than the supervisor, so Ctrl-C doesn't reach it twice."""
    sessions = {os.getsid(pid) for pid in tree.everyone()}
    assert os.getsid(tree.supervisor.pid) not in sessions
    assert len(sessions) == 4


@pytest.mark.parametrize("kind", ["store", "web", "worker"])
def test_restarts_killed_processes(tree: Tree, kind: str) -> None:
    """A part killed twice is replaced twice, with a line about each; the others and the store's content stay."""
    with Redis.from_url(tree.store.url) as client:
        client.xadd("game", {"e": "x"}, id="1-1")
    others = [pid for other in {"store", "web", "worker"} - {kind} for pid in tree.running(other)]
    for _ in range(2):
        victim = tree.running(kind)[0]
        os.kill(victim, signal.SIGKILL)
        wait_until(partial(tree.is_complete_without, victim))
    assert all(is_running(pid) for pid in others)
    lines = tree.errors.read_text().splitlines()
    assert len(lines) == 2
    assert all(re.match(rf"{kind}.* ended by signal 9.*; restarting it in ", line) for line in lines)
    with Redis.from_url(tree.store.url) as client:
        assert client.xlen("game") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "order", with_nightly(((order,) for order in cases(__file__, "orders_of_kills")), 2), ids="-".join
)
def test_leaves_no_orphans(tree: Tree, order: list[str]) -> None:
    """In whatever order processes are killed, the supervisor among them, the others end and the folder is free."""
    victims = [tree.running(kind)[0] for kind in order]
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    tree.supervisor.wait()
    wait_until(tree.has_ended)
    tree.store.start()
    tree.store.stop()


def test_leaves_no_orphans_when_killed_while_starting(start: Start) -> None:
    """Killed just when the store is up and the others are being started, the supervisor leaves no process either."""
    tree = start()
    wait_until(lambda: tree.store.log_file.exists() and tree.running("store"))
    tree.supervisor.kill()
    tree.supervisor.wait()
    wait_until(tree.has_ended)
    tree.store.start()
    tree.store.stop()
    assert tree.everyone() == []


def test_a_second_signal_hurries(start: Start) -> None:
    """A worker that won't end is given its time, unless a second signal comes; the store still ends cleanly."""
    tree = start(worker=STUBBORN, grace=600)
    tree.address()
    wait_until(tree.is_complete)
    tree.supervisor.terminate()
    wait_until(lambda: not tree.running("web"))
    assert len(tree.running("worker")) == 2
    tree.supervisor.terminate()
    assert tree.supervisor.wait(patience(10)) == 0
    assert tree.everyone() == []
    assert "bye bye" in tree.store.log_file.read_text()


def test_a_worker_that_ignores_the_stop_is_killed(start: Start) -> None:
    tree = start(worker=STUBBORN, grace=0.2)
    tree.address()
    wait_until(tree.is_complete)
    tree.supervisor.terminate()
    assert tree.supervisor.wait(patience(10)) == 0
    assert tree.everyone() == []


def test_can_be_ended_before_it_is_ready(start: Start) -> None:
    """A signal while the web server isn't ready yet ends everything with status 0 and no announcement."""
    tree = start(web=WORKER)
    wait_until(lambda: tree.running("web") and len(tree.running("worker")) == 2)
    tree.supervisor.terminate()
    assert tree.supervisor.wait(patience(10)) == 0
    assert tree.address() == ""
    assert tree.everyone() == []


def test_gives_up_when_a_process_never_starts(tmp_path: Path) -> None:
    """A web server that dies time and again before the service was ready is a failed start, with all ended."""
    parts = {
        "web": lambda: sys.exit(3),
        "worker": partial(os.execv, sys.executable, [sys.executable, "-c", WORKER, str(tmp_path), "worker"]),
    }
    with pytest.raises(ServeFailed, match="web ended 3 times"):
        supervise(Settings(data=tmp_path / "games", port=0), announce=pytest.fail, parts=parts)
    assert not any(is_running(int(path.name.partition("-")[2])) for path in tmp_path.glob("worker-*"))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_notices_a_parent_that_ended_before_the_call(tmp_path: Path) -> None:
    """A child that asks too late, when its parent has been killed already, still ends at once."""
    with subprocess.Popen([sys.executable, "-c", cases(__file__, "asks_too_late"), str(tmp_path)], cwd=ROOT) as process:
        wait_until(lambda: list(tmp_path.iterdir()))
        (path,) = tmp_path.iterdir()
        process.kill()
    wait_until(lambda: not is_running(int(path.name)))
    assert not (tmp_path / "survived").exists()
