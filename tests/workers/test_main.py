"""A worker process from its start to its jobs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cases import cases
from tests.support.samples import with_nightly
from tests.support.waiting import patience

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", with_nightly(["SIGTERM", "SIGINT"]))
def test_a_signal_before_the_first_job_ends_the_worker_cleanly(name: str) -> None:
    """A worker that is told to stop while it still connects exits with 0 and prints nothing."""
    ended = subprocess.run(
        [sys.executable, "-c", cases(__file__, "early").format(name=name)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=patience(30),
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_worker_imports_nothing_that_writes_notices() -> None:
    """Whatever knows the channels starts without templates of mails, checks of addresses and ciphers of pushes."""
    named = "jinja2", "email_validator", "service.post.attempt", "service.post.mail.composer"
    program = f"import sys, workers.__main__; print([name for name in {named} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
