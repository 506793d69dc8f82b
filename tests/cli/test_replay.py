"""`reibach replay`: from files and from a service, told, and their score sheets."""

import json
import os
import pty
import re
import select
import subprocess
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest

from domain.cards import BUSINESSES
from domain.fairness.canonical import canonical_json
from domain.projections.recap import describe_events
from domain.view import redact_event
from domain.words.catalogue import LANGUAGES
from domain.words.wording import format_number
from tests.support.client import Api
from tests.support.play import numbered, play_until
from tests.support.shell import COMMAND, ROOT, assert_refused, environment, run, succeed
from tests.support.waiting import patience

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
    """Each sentence on a line of its own with its version, without colour."""
    ended = succeed("replay", file, "--language", language)
    expected = [f"{item['version']:>4}  {item['text']}" for item in describe_events(finished, language)]
    assert ended.stdout.splitlines() == expected
    assert ESCAPE not in ended.stdout


def test_ends_at_a_version(file: Path, finished: Log) -> None:
    """The sentences, or the score sheet, which is empty before a round, of the game as it stood then."""
    ended = succeed("replay", file, "--at", "30", "--language", "en")
    expected = [f"{item['version']:>4}  {item['text']}" for item in describe_events(finished[:30], "en")]
    assert ended.stdout.splitlines() == expected
    sheet = succeed("replay", file, "--at", "30", "--score", "--language", "en").stdout
    assert sheet.splitlines()[-1].split() == ["Total", "0", "0", "0"]


def test_steps_by_a_key_in_a_terminal(beginning: Path, finished: Log) -> None:
    """The next sentence comes only after a key."""
    first, second, *_ = describe_events(finished[:40], "en")
    outer, inner = pty.openpty()
    command = [*COMMAND, "replay", str(beginning), "--step", "--language", "en"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=inner, stdout=inner, stderr=inner) as process:
        shown, pressed, deadline = "", False, monotonic() + patience(20)
        try:
            while second["text"] not in shown:
                assert monotonic() < deadline, shown
                if select.select([outer], [], [], 0.1)[0]:
                    shown += os.read(outer, 65536).decode("utf-8", "replace")
                    assert pressed or second["text"] not in shown
                elif first["text"] in shown:  # again: a key that comes before it is waited for is dropped
                    os.write(outer, b" ")
                    pressed = True
        finally:
            process.kill()
    os.close(outer)
    os.close(inner)


def test_the_score_sheet(file: Path, finished: Log) -> None:
    """A line for each business, then losses, income and the totals that the game ended with."""
    lines = succeed("replay", file, "--score", "--language", "en").stdout.splitlines()
    totals = next(event["data"]["totals"] for event in finished if event["type"] == "GameEnded")
    assert lines[0].split("  ")[0] == "Score sheet"
    assert len(lines) == 1 + len(BUSINESSES) + 3
    assert lines[-1].split() == ["Total", *map(format_number, totals)]


@pytest.mark.parametrize("viewer", [None, 0])
def test_a_redacted_log_is_told_with_hidden_cards(tmp_path: Path, viewer: int | None) -> None:
    game, events = play_until(3, "redacted", 60)
    seen = [redact_event(event, viewer, game) for event in numbered(events)]
    told = succeed("replay", write(tmp_path / "running.ndjson", seen), "--language", "en").stdout
    assert "draws a card" in told
    assert len(re.findall(r"player 0 draws (?!a card)", told)) == (
        sum(event["type"] == "CardDrawn" and event["data"]["seat"] == 0 for event in seen) if viewer == 0 else 0
    )


def test_a_game_of_a_service(api: Api) -> None:
    """By its API address and by its page's, as a spectator sees it; a game that isn't there is one line."""
    table = api.create([{"name": "Anna"}, {"name": "Bert"}])
    assert api.act(table, 0, {"type": "draw"}).status_code == 201
    url = str(api.http.base_url).rstrip("/")
    pages = [
        f"{url}/g/{table.id}{more}" for more in ("", "/", "?lang=de", "#seat=1", "/replay?at=2", "/sheet", "/check")
    ]
    for address in (*pages, *(f"{url}{table.path}{more}" for more in ("", "/events?after=1", "?at=2"))):
        ended = succeed("replay", address, "--language", "en")
        assert "Anna draws a card." in ended.stdout
    assert_refused(run("replay", f"{url}/g/nothing"), 2, "there is no game at")
    refused = run("replay", f"{url}/elsewhere#seat=0&token={table.tokens[0]}")
    assert_refused(refused, 2, "/elsewhere is not the address of a game: expected …/v1/games/<id>")
    assert table.tokens[0] not in refused.stderr
    refused = run("replay", f"{url}{table.path}".replace("//", f"//x:{table.tokens[0]}@"))
    assert_refused(refused, 2, "is not the address of a game: expected …/v1/games/<id>")
    assert table.tokens[0] not in refused.stderr
    assert_refused(run("replay", "ftp://x/y"), 2, "can't read ftp://x/y: ")
    assert_refused(run("replay", "http://127.0.0.1:1/g/game"), 2, "Connection refused")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--language", "la"], "must be one of: en, de, nl, fr"),
        (["--at", "0"], "--at"),
        (["--at", "99999"], "99999"),
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
        (b'{"hash":"%064d","version":1}\n' % 0, "line 1"),
        (b'{"at":"","data":{},"hash":"%064d","type":"TurnStarted","version":2}\n' % 0, "first event"),
        (b'{"at":"","data":{},"hash":"%064d","type":"GameCreated","version":1}\n' % 0, "version 1"),
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes, word: str) -> None:
    """A file that isn't a log is refused in one line."""
    file = tmp_path / "broken.ndjson"
    file.write_bytes(content)
    assert_refused(run("replay", file), 2, word)


def test_a_million_seats_are_not_made(tmp_path: Path, finished: Log) -> None:
    created = finished[0] | {"data": finished[0]["data"] | {"seats": 10**12}}
    file = write(tmp_path / "seats.ndjson", [created, *finished[1:]])
    assert_refused(run("replay", file), 2, "version 1 can't have happened")


@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_is_no_error(file: Path, stream: int) -> None:
    """As for a shell's `>&-` and `2>&-`."""
    line = ["sh", "-c", f'exec "$@" {stream}>&-', "sh", *COMMAND, "replay", str(file)]
    ended = subprocess.run(line, cwd=ROOT, env=environment(), capture_output=True, check=False)
    assert (ended.returncode, ended.stderr, bool(ended.stdout)) == (0, b"", stream == 2)


@pytest.mark.parametrize("attempts", [6, pytest.param(100, marks=pytest.mark.nightly)])
def test_no_change_in_a_file_is_a_traceback(tmp_path: Path, finished: Log, attempts: int) -> None:
    """A log with any change is printed, or refused in one line."""
    chance = Random(5)
    for attempt in range(attempts):
        events = json.loads(json.dumps(finished))
        data = chance.choice(events)["data"]
        field = chance.choice(list(data))
        data[field] = chance.choice([None, -1, 10**9, "x", [], {}, [[]], True, ESCAPE, 1.5])
        ended = run("replay", write(tmp_path / f"{attempt}.ndjson", events), *["--score"] * (attempt % 2))
        assert ESCAPE not in ended.stdout
        if ended.returncode:
            assert_refused(ended, 2)


def test_names_and_messages_send_nothing_to_the_terminal(tmp_path: Path, finished: Log) -> None:
    """Of a doctored file they are printed as text, or not at all, and no line of theirs looks like one of the game."""
    events = json.loads(json.dumps(finished[:40]))
    events[1]["data"]["name"] = f"{ESCAPE}]0;title\x07[red]{{x}}\n\u202eAnna"
    text = f"{ESCAPE}]0;title\x07[red]x[/red] :smile: {{0}}\n   9  I win.\r\n\u202eMe, too"
    events.append({"version": 41, "type": "MessagePosted", "at": events[-1]["at"], "data": {"seat": 0, "text": text}})
    ended = succeed("replay", write(tmp_path / "said.ndjson", events), "--language", "en")
    assert not set(ended.stdout) & {ESCAPE, "\x07", "\u202e", "\r"}
    assert "[red]{x} Anna" in ended.stdout
    assert ended.stdout.splitlines()[-1].endswith("writes: “ ]0;title [red]x[/red] :smile: {0}    9  I win. Me, too”")
