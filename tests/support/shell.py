"""The `reibach` command: in this process, which is quick, or in one of its own, for streams, signals and imports."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from service.cli import main
from tests.support.waiting import patience

ROOT: Final = Path(__file__).resolve().parents[2]
_OF_HOSTS = ROOT / "docs" / "operating.md", *sorted((ROOT / "docs").glob("host-*.md"))
HOSTING = "\n".join(path.read_text("utf-8") for path in _OF_HOSTS)
"""All pages for hosts."""
COMMAND: Final = (sys.executable, "-m", "service.cli")
Ended = subprocess.CompletedProcess[str]
Process = subprocess.Popen[str]
Start = Callable[..., Process]
"""Starts a command that keeps running: the fixture `start`."""
Run = Callable[..., Ended]
"""Runs a command in a process of its own: the fixture `run_alone`."""

HIDDEN: Final = ("REIBACH_", "COLUMNS")
"""Variables that no tested command gets from the tests' own environment: settings, and the width of lines."""


def environment(**settings: str) -> dict[str, str]:
    """The tests' own environment with these settings of ours and no others."""
    return {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)} | settings


def run(*argv: object, **settings: str) -> Ended:
    """A command in this process. An exception is raised, not turned into an exit code."""
    ended = raw(*argv, **settings)
    return Ended(ended.args, ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def succeed(*argv: object, **settings: str) -> Ended:
    """A command in this process, which must end with 0, and without a word on standard error."""
    ended = run(*argv, **settings)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended


def raw(*argv: object, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The same, with its output as bytes."""
    words = [str(word) for word in argv]
    hidden: dict[str, str | None] = {name: None for name in os.environ if name.startswith(HIDDEN)}
    runner = CliRunner(env=hidden | settings)
    result = runner.invoke(main, words, prog_name="python -m service.cli")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(words, result.exit_code, result.stdout_bytes, result.stderr_bytes)


def run_alone(*argv: object, **settings: str) -> Ended:
    """A command in a process of its own, which ends by itself."""
    return subprocess.run(
        [*COMMAND, *map(str, argv)],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=patience(30),
        check=False,
    )


def run_without_reader(*argv: object, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The same, with the pipe of its standard output closed."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        return subprocess.run(
            [*COMMAND, *map(str, argv)],
            cwd=ROOT,
            env=environment(**settings),
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=patience(30),
            check=False,
        )


def assert_refused(ended: Ended, code: int, *words: str) -> None:
    """The command ended with this code and one line that holds these words, after a usage reminder at most."""
    assert ended.returncode == code, ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    *reminder, line = [line for line in ended.stderr.splitlines() if line]
    assert all(re.match(r"Usage: |Try '", one) for one in reminder), ended.stderr
    for word in words:
        assert word in line


def address_of(process: Process) -> str:
    """The address that `serve` announced; waits for it."""
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://[^\s\"]+", line)
    assert found, line
    return found[0]
