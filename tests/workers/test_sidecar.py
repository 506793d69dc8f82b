"""The keeper's child, which becomes the post process, and the worker's hold on the keeper."""

import os
import signal
import subprocess
from collections.abc import Iterator
from threading import Event
from types import SimpleNamespace

import pytest
import structlog
from structlog.testing import capture_logs

from config.settings import Settings
from tests.support.waiting import patience
from workers.post import sidecar
from workers.post.sidecar import PostKeeper
from workers.rq_worker import JobWorker


class Exited(BaseException):
    """In place of the process's end."""


def test_the_operator_learns_why_post_fails(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Its keeper starts another one, again and again; the text of the error may be a secret."""

    def fail(_settings: Settings) -> int:
        raise ValueError("smtps://user:password@host")

    def leave(code: int) -> None:
        raise Exited(code)

    monkeypatch.setattr(sidecar, "run", fail)
    monkeypatch.setattr(sidecar, "die_with_parent", lambda _parent: None)
    monkeypatch.setattr(sidecar.os, "_exit", leave)
    with pytest.raises(Exited):
        sidecar._become_post(Settings(), 1)
    printed = capfd.readouterr()
    said = printed.out + printed.err + caplog.text
    assert "the post process has failed" in said
    assert "ValueError" in said
    assert "password" not in said


@pytest.fixture
def child() -> Iterator[tuple["subprocess.Popen[bytes]", PostKeeper]]:
    """A process in place of the keeper, which holds its end of the pipe, and the worker's hold on it."""
    ours, theirs = os.pipe()
    with subprocess.Popen(["sleep", "600"], pass_fds=[theirs]) as process:
        os.close(theirs)
        yield process, PostKeeper(process.pid, ours)
        process.kill()
    os.close(ours)


def test_the_worker_learns_that_the_keeper_has_ended(child: tuple["subprocess.Popen[bytes]", PostKeeper]) -> None:
    """Also if it ends before it is watched; to stop it then is no error."""
    process, keeper = child
    process.kill()
    ended = Event()
    keeper.watch(ended.set)
    assert ended.wait(patience(5))
    keeper.stop()


def test_to_stop_waits_for_the_end(child: tuple["subprocess.Popen[bytes]", PostKeeper]) -> None:
    """So that post can finish what it is sending."""
    process, keeper = child
    ended = Event()
    keeper.watch(ended.set)
    keeper.stop()
    assert ended.is_set()
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)  # no zombie is left


@pytest.mark.parametrize("stopping", [True, False])
def test_a_worker_ends_once(stopping: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "workers.rq_worker.os", SimpleNamespace(getpid=os.getpid, kill=lambda *sent: signals.append(sent))
    )
    monkeypatch.setattr("workers.rq_worker.logger", structlog.get_logger())
    with capture_logs() as lines:
        JobWorker.end_without_post(SimpleNamespace(stopping=stopping))  # type: ignore[arg-type]
    assert signals == ([] if stopping else [(os.getpid(), signal.SIGTERM)])
    assert any("keeper" in line["event"] for line in lines) is not stopping


def test_a_keeper_that_cannot_fork_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory or process limits may pass; the worker needn't end for them."""
    tries: list[float] = []

    def fork() -> int:
        raise BlockingIOError

    def pause(seconds: float) -> None:
        tries.append(seconds)
        if len(tries) == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(sidecar.os, "fork", fork)
    monkeypatch.setattr(sidecar.time, "sleep", pause)
    old = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        sidecar._keep(Settings())
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
    assert tries == sorted(set(tries))
