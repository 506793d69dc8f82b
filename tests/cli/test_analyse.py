"""`reibach analyse` at a shell: files, and processes. `tests/api/test_analysis.py` has what it prints."""

import os
import signal
from pathlib import Path

import pytest

from domain.commands import ACTIONS, GiveConsent
from domain.events import EventRecord
from tests.gamelog.ledger import new_game
from tests.support import play
from tests.support.forks import fork_decisions
from tests.support.logs import log_of, ndjson, random_log
from tests.support.samples import with_nightly
from tests.support.shell import Start, assert_refused, run, run_alone, run_without_reader
from tests.support.waiting import is_running, patience, wait_until
from tests.support.world import Process

LOG = random_log(3, "carried away")
LAST = max(number for number, event in enumerate(LOG) if event["type"] in ACTIONS)
"""The place of the last action."""


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
        pytest.param(b"\n" * (8 << 20), 2, "holds no events", id="empty lines"),
        pytest.param(ndjson(LOG[:LAST]), 2, "still running", id="running"),
        pytest.param(ndjson(LOG[:-1]), 1, "fails at version", id="cut"),
        pytest.param(ndjson(cancelled()), 2, "was cancelled", id="cancelled"),
        pytest.param(ndjson([*LOG, LOG[-1] | {"type": "Later"}]), 1, "fails at version", id="a line too many"),
        pytest.param(ndjson(LOG).replace(b'"slot":0', b'"slot":1', 1), 1, "fails at version", id="changed"),
        pytest.param(ndjson(LOG)[:-1], 1, "last line", id="not whole"),
        pytest.param(ndjson(LOG)[:-99], 1, f"line {len(LOG)} is not as an export writes it", id="half a line"),
        pytest.param(ndjson(LOG).replace(b"\n", b"\r\n"), 1, "line 1 is not as an export writes it", id="CRLF"),
    ],
)
def test_a_file_that_it_refuses(tmp_path: Path, content: bytes | None, code: int, word: str) -> None:
    """2 where that can't be analysed, 1 where the log fails the audit; one line, and nothing on standard output."""
    file = tmp_path / "game.ndjson"
    if content is not None:
        file.write_bytes(content)
    assert_refused(run("analyse", file), code, word)


@pytest.mark.nightly
def test_processes_side_by_side(tmp_path: Path) -> None:
    """Any number of them prints the same bytes; a closed pipe is no error, none and half a one are wrong use."""
    file = tmp_path / "game.ndjson"
    late = next(done.game for _, done in play.steps(3, "late") if done.game.revealed >= 9 and not done.game.scoring)
    file.write_bytes(ndjson(log_of(fork_decisions(late, late.turn_seat, "late"))))
    alone, *others = (run_alone("analyse", file, "--jobs", jobs) for jobs in (1, 2, 99))
    assert (alone.returncode, alone.stderr, alone.stdout[-1:]) == (0, "", "}")
    assert [(other.returncode, other.stderr, other.stdout) for other in others] == [(0, "", alone.stdout)] * 2
    piped = run_without_reader("analyse", file, "--jobs", 2)
    assert (piped.returncode, piped.stderr) == (0, b"")
    for jobs in ("0", "1.5"):
        assert run("analyse", file, "--jobs", jobs).returncode == 2


@pytest.mark.parametrize(
    ("signum", "of_child", "code", "word"),
    with_nightly(
        [
            (signal.SIGKILL, True, 1, "was killed"),
            (signal.SIGINT, False, 1, "Aborted!"),
            (signal.SIGKILL, False, -9, ""),
        ]
    ),
)
def test_a_signal_ends_its_processes(
    tmp_path: Path, start: Start, signum: int, of_child: bool, code: int, word: str
) -> None:
    """All of them, with one line."""
    file = tmp_path / "game.ndjson"
    file.write_bytes(ndjson(LOG))
    command = start("analyse", file, "--jobs", 2)
    listed = Path(f"/proc/{command.pid}/task/{command.pid}/children")
    wait_until(lambda: len(listed.read_text().split()) == 2)
    children = [int(pid) for pid in listed.read_text().split()]
    stats = [Path(f"/proc/{pid}/stat") for pid in children]  # Python drops an interrupt within its own fork
    wait_until(lambda: all(int(stat.read_text().rsplit(")")[-1].split()[11]) > 5 for stat in stats))
    os.kill(children[0] if of_child else command.pid, signum)
    assert command.wait(patience(10)) == code
    error = (tmp_path / "errors").read_text().strip()
    assert ("\n" in error, word in error) == (False, True)
    wait_until(lambda: not any(map(is_running, children)))
