"""Threads that fail: the process ends, so that it is started again, and says why without any text of players."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]
PROCESS = """
import threading
from service.runtime import logs
from service.runtime.guards.threads import end_with_threads

def fail():
    raise {error}

logs.configure("text")
end_with_threads()
thread = threading.Thread(target=fail, name="a task", daemon=True)
thread.start()
thread.join()
threading.Event().wait({wait})
print("goes on")
"""


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
