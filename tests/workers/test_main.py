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


RARE = (
    *("aiosmtpd", "apispec", "babel", "cryptography.hazmat", "email_validator", "markdown_it", "tinycss2"),
    *("domain.audit.checks", "domain.words.reply", "service.post.mail.composer", "service.post.mail.contents"),
)
"""Much source, for what few requests and few services need."""


@pytest.mark.parametrize(
    ("start", "named"),
    [
        ("workers.__main__", ("jinja2", "service.post.attempt", *RARE)),
        ("workers.post.process", ("jinja2", "smtplib", *RARE)),
        ("service.app", RARE),
    ],
)
def test_a_start_imports_little(start: str, named: tuple[str, ...]) -> None:
    """A first start compiles all that it imports, which is most of its time: what is needed seldom comes later."""
    program = f"import sys, {start}; print([name for name in {named} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
