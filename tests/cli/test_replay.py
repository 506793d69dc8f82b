"""`reibach replay`: from files and from a service, printed and stepped through."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from rich.console import RenderableType

from domain.fairness.canonical import canonical_json
from domain.projections.recap import describe_events
from domain.projections.table import GameTable
from domain.view import redact_event
from domain.words.catalogue import LANGUAGES
from service.commands.replay import command
from service.commands.replay.table import render_table
from tests.support.client import Api
from tests.support.play import numbered, play_until
from tests.support.samples import Sample, sampled
from tests.support.shell import COMMAND, ROOT, Run, assert_refused, environment, run, succeed
from tests.support.waiting import patience, wait_until

ESCAPE = "\x1b"
Log = list[dict[str, Any]]


def write(path: Path, events: Log) -> Path:
    path.write_bytes(b"".join(canonical_json(event) + b"\n" for event in events))
    return path


@pytest.fixture(scope="module")
def finished() -> Log:
    _, events = play_until(3, "replayed", 10_000)
    return numbered(events)


@pytest.fixture
def file(tmp_path: Path, finished: Log) -> Path:
    return write(tmp_path / "game.ndjson", finished)


@pytest.fixture
def beginning(tmp_path: Path, finished: Log) -> Path:
    return write(tmp_path / "beginning.ndjson", finished[:40])


@pytest.mark.parametrize("language", LANGUAGES)
def test_prints_the_game(file: Path, finished: Log, language: str) -> None:
    """Each sentence on a line of its own with its version, then the table and the score sheet, without colour."""
    ended = succeed("replay", file, "--language", language)
    expected = [f"{item['version']:>4}  {item['text']}" for item in describe_events(finished, language)]
    assert ended.stdout.splitlines()[: len(expected)] == expected
    assert f"{len(finished)}/{len(finished)}" in ended.stdout
    assert ESCAPE not in ended.stdout


def test_wraps_sentences_to_the_columns_asked_for(file: Path, finished: Log) -> None:
    """With COLUMNS every line fits, also in a file, and begins with a version or with the room of one."""
    ended = succeed("replay", file, "--language", "en", COLUMNS="40")
    assert max(map(len, ended.stdout.splitlines())) <= 40
    sentences = ended.stdout.partition("\n\n")[0].splitlines()
    assert len(sentences) > len(finished) // 2
    assert all(re.match(r" *\d+  \S| {6}\S", line) for line in sentences)
    whole = [item["text"] for item in describe_events(finished, "en")]
    assert " ".join(line[6:] for line in sentences).split() == " ".join(whole).split()


def test_shows_one_state(file: Path, finished: Log) -> None:
    """Every player's hand and rows by their letters, the display and the counts, as the log has them."""
    version = next(event["version"] for event in finished if event["type"] == "RoundScored")
    shown = run("replay", file, "--at", str(version), "--language", "en").stdout
    assert f"version {version}/{len(finished)}" in shown
    assert "Reibach cards: 4" in shown
    assert shown.count("hand: ") == 3
    assert re.search(r" \w+ \d \u25af\w+", shown)
    assert "Score sheet" in shown
    first = run("replay", file, "--at", "1", "--language", "en").stdout
    assert first.count("free seat") == 3
    assert "Score sheet" not in first


@sampled(40)
@pytest.mark.parametrize("viewer", [None, 0])
def test_a_redacted_log_is_printed_with_hidden_cards(tmp_path: Path, viewer: int | None, sample: Sample) -> None:
    game, events = play_until(3, "redacted", 60)
    seen = [redact_event(event, viewer, game) for event in numbered(events)]
    file = write(tmp_path / "running.ndjson", seen)
    for at in sample.of(range(1, len(seen) + 1)):
        assert run("replay", file, "--at", str(at)).returncode == 0
    ended = run("replay", file, "--language", "en")
    assert ended.returncode == 0
    assert "\u25af?" in ended.stdout
    assert "draws a card" in ended.stdout
    assert len(re.findall(r"player 0 draws (?!a card)", ended.stdout)) == (
        sum(event["type"] == "CardDrawn" and event["data"]["seat"] == 0 for event in seen) if viewer == 0 else 0
    )


def test_a_game_of_a_service(api: Api) -> None:
    """By its API address and by its page's, as a spectator sees it; a game that isn't there is one line."""
    table = api.create([{"name": "Anna"}, {"name": "Bert"}])
    assert api.act(table, 0, {"type": "draw"}).status_code == 201
    url = str(api.http.base_url).rstrip("/")
    for address in (f"{url}{table.path}", f"{url}/g/{table.id}", f"{url}/g/{table.id}/"):
        ended = succeed("replay", address, "--language", "en")
        assert "Anna draws a card." in ended.stdout
    assert_refused(run("replay", f"{url}/g/nothing"), 2, "there is no game at")
    assert_refused(run("replay", f"{url}/elsewhere"), 2, "is not the address of a game: expected …/v1/games/<id>")
    assert_refused(run("replay", "ftp://x/y"), 2, "can't read ftp://x/y: ")
    assert_refused(run("replay", "http://127.0.0.1:1/g/game"), 2, "Connection refused")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--at", "0"], "--at"),
        (["--at", "99999"], "99999"),
        (["--at", "x"], "--at"),
        (["--language", "la"], "must be one of: en, de, nl, fr"),
        (["--step"], "terminal"),
    ],
)
def test_wrong_use(beginning: Path, options: list[str], word: str) -> None:
    assert_refused(run("replay", beginning, *options), 2, word)


def test_the_environment_names_the_language(beginning: Path) -> None:
    """The first locale variable that is set decides; an unknown language becomes English."""
    for settings, word in [
        ({"LANG": "de_DE.UTF-8"}, "steht bereit"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "fr_FR"}, "est prête"),
        ({"LANG": "C"}, "is set up"),
    ]:
        assert word in run("replay", beginning, **{"LC_ALL": "", "LC_MESSAGES": "", **settings}).stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "no events"),
        (b"\xff\xfe\n", "no events"),
        (b"[" * 100_000 + b"\n", "no events"),
        (b'{"version":1}\n', "line 1"),
        (b'{"at":"","data":{},"type":"TurnStarted","version":2}\n', "first event"),
        (b'{"at":"","data":{},"type":"GameCreated","version":1}\n', "version 1"),
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes, word: str) -> None:
    """A file that isn't a log is refused in one line."""
    file = tmp_path / "broken.ndjson"
    file.write_bytes(content)
    assert_refused(run("replay", file), 2, word)


def talk(finished: Log, count: int) -> Log:
    """The game with so many messages in its first turn, and an event of an unknown type after each tenth."""
    at = next(event["version"] for event in finished if event["type"] == "TurnStarted")
    said = [finished[0] | {"type": "MessagePosted", "data": {"seat": n % 3, "text": f"line {n}"}} for n in range(count)]
    said[::10] = [event | {"type": "SomethingNew"} for event in said[::10]]
    events = [*finished[:at], *said, *finished[at:]]
    return [event | {"version": version} for version, event in enumerate(events, 1)]


def test_messages_are_not_rendered_to_be_checked(
    tmp_path: Path, finished: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is rendered once for each event that changes it, and once to be shown."""
    rendered: list[int] = []

    def render(table: GameTable, *more: Any) -> RenderableType:
        rendered.append(table.version)
        return render_table(table, *more)

    monkeypatch.setattr(command, "render_table", render)
    assert run("replay", write(tmp_path / "talk.ndjson", talk(finished, 500))).returncode == 0
    assert len(rendered) == len(finished) + 1
    assert rendered[-1] == len(finished) + 500


@pytest.mark.parametrize("attempts", [6, pytest.param(100, marks=pytest.mark.nightly)])
def test_no_change_in_a_file_is_a_traceback(tmp_path: Path, finished: Log, attempts: int) -> None:
    """A log with any change is printed, or refused in one line."""
    chance = Random(5)
    for attempt in range(attempts):
        events = json.loads(json.dumps(finished))
        data = chance.choice(events)["data"]
        field = chance.choice(list(data))
        data[field] = chance.choice([None, -1, 10**9, "x", [], {}, [[]], True, ESCAPE, 1.5])
        ended = run("replay", write(tmp_path / f"{attempt}.ndjson", events), "--at", str(len(events)))
        assert ESCAPE not in ended.stdout
        if ended.returncode:
            assert_refused(ended, 2)


def test_names_send_nothing_to_the_terminal(tmp_path: Path, finished: Log) -> None:
    """Control characters and markup in names of a doctored file are shown as text, or not at all."""
    events = json.loads(json.dumps(finished[:40]))
    events[1]["data"]["name"] = f"{ESCAPE}]0;title\x07[red]{{x}}\n\u202eAnna"
    ended = run("replay", write(tmp_path / "names.ndjson", events))
    assert ended.returncode == 0
    assert not set(ended.stdout) & {ESCAPE, "\x07", "\u202e"}
    assert "[red]{x} Anna" in ended.stdout


def said(log: Log, text: str) -> Log:
    event = {"version": len(log) + 1, "type": "MessagePosted", "at": log[-1]["at"], "data": {"seat": 0, "text": text}}
    return [*log, event]


def test_messages_send_nothing_to_the_terminal(tmp_path: Path, finished: Log) -> None:
    """Messages are printed as text, and none of their lines looks like a line of the game."""
    text = f"{ESCAPE}]0;title\x07[red]x[/red] :smile: {{0}}\n   9  I win.\r\n\u202eMe, too"
    ended = run("replay", write(tmp_path / "said.ndjson", said(finished[:40], text)), "--language", "en")
    assert ended.returncode == 0
    assert not set(ended.stdout) & {ESCAPE, "\x07", "\u202e", "\r"}
    assert "writes: “ ]0;title [red]x[/red] :smile: {0}\n         9  I win.\n      Me, too”\n" in ended.stdout


def test_a_closed_pipe(run_without_reader: Run, file: Path) -> None:
    ended = run_without_reader("replay", str(file))
    assert (ended.returncode, ended.stderr) == (0, b"")


class Terminal:
    """A terminal of 100 columns and 50 lines with the command in it."""

    def __init__(self, *argv: str) -> None:
        self.outer, inner = pty.openpty()
        termios.tcsetwinsize(inner, (50, 100))
        self.inner = inner
        self.usual = termios.tcgetattr(inner)
        env = environment(TERM="xterm-256color", COLORTERM="")
        self.process = subprocess.Popen([*COMMAND, *argv], cwd=ROOT, env=env, stdin=inner, stdout=inner, stderr=inner)
        self.output = ""

    def read_until(self, word: str) -> str:
        """All that has come until `word` has come."""
        seen = ""
        deadline = monotonic() + patience(20)
        while word not in seen:
            assert select.select([self.outer], [], [], deadline - monotonic())[0], seen
            seen += os.read(self.outer, 65536).decode("utf-8", "replace")
        self.output += seen
        return seen

    def press(self, keys: str) -> None:
        os.write(self.outer, keys.encode())


@pytest.fixture
def step() -> Iterator[Callable[..., Terminal]]:
    """A function that begins to step through the game of a file."""
    begun: list[Terminal] = []

    def begin(file: Path, *options: str) -> Terminal:
        begun.append(Terminal("replay", str(file), "--step", "--language", "en", *options))
        return begun[-1]

    yield begin
    for terminal in begun:
        with terminal.process:
            terminal.process.kill()
        os.close(terminal.outer)
        os.close(terminal.inner)


def test_stepping(step: Callable[..., Terminal], file: Path, finished: Log) -> None:
    """Keys go forward, back and to both ends, and no further; q ends, and the terminal is as it was."""
    terminal, last = step(file, "--at", "30"), len(finished)
    terminal.read_until("version 30/")
    assert termios.tcgetattr(terminal.inner) != terminal.usual
    for keys, version in [
        (" ", 31),
        (f"{ESCAPE}[C", 32),
        (f"{ESCAPE}OC", 33),
        (f"{ESCAPE}[D", 32),
        (f"{ESCAPE}[D{ESCAPE}[D{ESCAPE}[D", 29),
        (f"{ESCAPE}[F", last),
        (f"{ESCAPE}[D ", last),
        (f"{ESCAPE}[H", 1),
        (f"{ESCAPE}[D", 1),
        (f"{ESCAPE}[4~", last),
    ]:
        terminal.press(keys)
        terminal.read_until(f"version {version}/")
    terminal.press("s")
    terminal.read_until("Score sheet")
    assert "48;5;" in terminal.output
    terminal.press("q")
    assert terminal.process.wait(patience(20)) == 0
    terminal.read_until(f"{ESCAPE}[?1049l")
    assert termios.tcgetattr(terminal.inner) == terminal.usual


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda terminal: terminal.press("\x03"), 0),
        (lambda terminal: terminal.process.send_signal(signal.SIGTERM), 128 + signal.SIGTERM),
        (lambda terminal: terminal.process.send_signal(signal.SIGHUP), 128 + signal.SIGHUP),
        (lambda terminal: terminal.process.send_signal(signal.SIGINT), 1),
    ],
    ids=["ctrl-c", "term", "hup", "int"],
)
def test_the_terminal_is_restored(
    step: Callable[..., Terminal], beginning: Path, end: Callable[[Terminal], None], code: int
) -> None:
    terminal = step(beginning)
    terminal.read_until("version 1/")
    end(terminal)
    wait_until(lambda: terminal.process.poll() is not None, 20)
    assert terminal.process.returncode == code
    terminal.read_until(f"{ESCAPE}[?25h")
    assert f"{ESCAPE}[?1049l" in terminal.output
    assert "Traceback" not in terminal.output
    assert termios.tcgetattr(terminal.inner) == terminal.usual
