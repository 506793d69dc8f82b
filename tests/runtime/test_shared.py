"""The folder that web processes share: nothing of it stays forever."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.settings import Settings
from service.runtime import shared
from service.runtime.supervisor import _warn_without_proxy
from tests.support.cases import cases

MAKE = cases(__file__, "make")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Folders are made in the test's own; the variable is restored."""
    monkeypatch.setenv(shared.SHARED_FOLDER_VARIABLE, "")
    monkeypatch.setattr(shared, "_MEMORY", str(tmp_path))


def make_in_a_process(folder: Path) -> tuple["subprocess.Popen[str]", Path]:
    command = [sys.executable, "-c", MAKE, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_has_left_is_deleted(tmp_path: Path) -> None:
    """At the next start; what never got an owner, after an hour. Those of running processes stay, and all others."""
    other, old, foreign = (tmp_path / name for name in ("reibach-web-in-the-making", "reibach-web-old", "old"))
    for folder in (other, old, foreign):
        folder.mkdir()
        (folder / "owner.draft").touch()
    for folder in (old, foreign):
        os.utime(folder, (time.time() - 3700,) * 2)
    dead, left = make_in_a_process(tmp_path)
    with dead:
        dead.kill()
    (left / "metrics.db").write_bytes(b"x")
    alive, used = make_in_a_process(tmp_path)
    with alive:
        assert not left.exists()
        mine = shared.make_shared_folder()
        assert {path.name for path in tmp_path.iterdir()} == {other.name, foreign.name, used.name, mine.name}
        alive.kill()
    assert mine.stat().st_mode & 0o777 == 0o700


def test_the_processes_share_a_secret() -> None:
    one, other = shared.make_shared_folder(), shared.make_shared_folder()
    assert shared.shared_secret(one) == shared.shared_secret(one) != shared.shared_secret(other)
    assert len(shared.shared_secret(None)) == len(shared.shared_secret(one)) == 32


@pytest.mark.parametrize(
    ("host", "proxies", "warned"),
    [("127.0.0.1", 0, 0), ("::1", 0, 0), ("localhost", 0, 0), ("0.0.0.0", 0, 1), ("10.0.0.1", 0, 1), ("0.0.0.0", 1, 0)],
)
def test_an_open_address_needs_a_proxy(caplog: pytest.LogCaptureFixture, host: str, proxies: int, warned: int) -> None:
    """One line says so at the start, unless a proxy is set up."""
    _warn_without_proxy(Settings(host=host, trusted_proxies=proxies))
    assert len(caplog.records) == warned
    assert all("proxy" in record.getMessage() and host in record.getMessage() for record in caplog.records)
