"""Mails as programs of many makers write them: what each asks for, by the table of `programs.txt`."""

from pathlib import Path

import pytest

from service.post.inbox.message import IgnoreReason, read_message
from service.post.inbox.player import _read
from tests.support.replies import show

OWN = "reibach@example.org"
PROGRAMS = Path(__file__).with_name("programs")
LINES = [line for line in PROGRAMS.with_suffix(".txt").read_text("utf-8").splitlines() if not line.startswith("#")]
TABLE = [(name.strip(), expected) for name, _, expected in (line.partition(" = ") for line in LINES)]
REFUSED = "refused"
"""Where it doesn't matter what is said of it."""


def _asked_by(content: bytes) -> str:
    incoming = read_message(content, OWN)
    return incoming.value if isinstance(incoming, IgnoreReason) else show(_read(incoming, "", None))


@pytest.mark.parametrize(("name", "expected"), TABLE, ids=lambda text: text)
def test_mails_of_programs(name: str, expected: str) -> None:
    asked = _asked_by((PROGRAMS / f"{name}.eml").read_bytes())
    assert (REFUSED if expected == REFUSED and ": reply." in asked else asked) == expected


def test_each_mail_is_in_the_table() -> None:
    assert sorted(name for name, _ in TABLE) == sorted(path.stem for path in PROGRAMS.glob("*.eml"))
    assert len(TABLE) >= 200
