"""What the supervisor logs about a process that ends again and again."""

import logging
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.runtime import supervisor
from service.runtime.embedded import EmbeddedStore
from service.runtime.parts import Part
from service.runtime.supervisor import _Children, _Signals
from tests.support.waiting import patience

FULL = " (no space left on the disk of /data)"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "BACK_OFF", (0.0,))


def logged_failures(argv: Sequence[str], hints: Sequence[str], caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is logged about a process that ends at once, and is started again once for each hint."""
    waiting = list(hints)
    launch: Callable[[], subprocess.Popen[bytes]] = lambda: subprocess.Popen(argv, start_new_session=True)  # noqa: E731
    children = _Children(_Signals())
    children.start("store", launch, hint=lambda: waiting.pop(0))
    (child,) = children.all
    with caplog.at_level(logging.WARNING):
        while waiting:
            assert child.process is not None
            child.process.wait(patience(10))
            children.restart_ended()
    assert child.process is not None
    child.process.wait(patience(10))
    return [record.getMessage().partition(";")[0] for record in caplog.records]


def test_a_failure_that_lasts_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """On a full disk the store can't be started: one line, and another when the reason is another one."""
    lines = logged_failures(["false"], [FULL, FULL, FULL, "", FULL], caplog)
    full = f"store ended with status 1{FULL}"
    assert lines == [full, "store ended with status 1", full]


def test_each_kill_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert logged_failures(["sh", "-c", "kill -9 $$"], ["", ""], caplog) == ["store ended by signal 9"] * 2


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store itself can't say so: its log is on the same disk."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=4096))
    assert EmbeddedStore(tmp_path).failure_hint() == f"no space left on the disk of {tmp_path}"


def test_a_missing_folder_is_no_failure_of_the_supervisor(tmp_path: Path) -> None:
    """While the disk of the data folder is not mounted, the store's restart is tried again."""
    store = EmbeddedStore(tmp_path / "data")
    assert store.failure_hint() == f"its log: {tmp_path / 'data' / 'store.log'}"


def test_a_part_that_has_just_begun_can_be_ended() -> None:
    """Between fork and its first line it has the parent's handlers: a signal would wake the parent, and be lost."""
    with _Signals() as signals:
        ended = []
        for _ in range(20):
            part = Part("web", signal.pause, {})
            part.terminate()
            part.wait()
            ended.append(part.poll())
        signals.wait(0)
    assert (ended, signals.stops) == ([-signal.SIGTERM] * 20, 0)
