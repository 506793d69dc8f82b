"""Threads that fail: the process ends, so that it is started again, and says why without any text of players."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
PROCESS = cases(__file__, "process")


@pytest.mark.parametrize(
    ("error", "wait", "status"), [("KeyError('a word of a player')", "", -15), ("SystemExit(3)", "0", 0)]
)
def test_a_thread_that_fails_ends_its_process(error: str, wait: str, status: int) -> None:
    """By SIGTERM, with a line that names thread and place; one that ends itself by SystemExit ends nothing."""
    code = PROCESS.format(error=error, wait=wait)
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=patience(30), check=False
    )
    assert ended.returncode == status
    assert "a word of" not in ended.stdout + ended.stderr
    assert ("goes on" in ended.stdout) is (status == 0)
    assert ("KeyError in fail" in ended.stderr + ended.stdout) is (status != 0)
