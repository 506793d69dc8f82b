"""`reibach analyse` at a shell: which files it takes. `tests/api/test_analysis.py` has what it prints."""

from pathlib import Path

import pytest

from domain.commands import GiveConsent
from domain.events import EventRecord
from tests.gamelog.ledger import new_game
from tests.support.logs import ndjson, random_log
from tests.support.shell import assert_refused, run
from tests.support.world import Process

LOG = random_log(3, "carried away")


def cancelled() -> list[EventRecord]:
    log = Process().log
    log.create(new_game("g"))
    for seat in (0, 1):
        log.handle("g", GiveConsent(seat=seat, to="cancel"))
    return log.load_history("g").events


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        pytest.param(None, 2, "can't read", id="no file"),
        pytest.param(b"x", 2, "holds no events", id="no log"),
        pytest.param(ndjson(LOG[:-1]), 2, "still running", id="cut"),
        pytest.param(ndjson(cancelled()), 2, "was cancelled", id="cancelled"),
        pytest.param(ndjson([*LOG, LOG[-1] | {"type": "Later"}]), 1, "fails at version", id="a line too many"),
        pytest.param(ndjson(LOG).replace(b'"slot":0', b'"slot":1', 1), 1, "fails at version", id="changed"),
        pytest.param(ndjson(LOG)[:-1], 1, "fails at version", id="not whole"),
    ],
)
def test_a_file_that_it_refuses(tmp_path: Path, content: bytes | None, code: int, word: str) -> None:
    """2 where that can't be analysed, 1 where the log fails the audit; one line, and nothing on standard output."""
    file = tmp_path / "game.ndjson"
    if content is not None:
        file.write_bytes(content)
    assert_refused(run("analyse", file), code, word)
