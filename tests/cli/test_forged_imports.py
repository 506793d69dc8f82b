"""`reibach import` of changed logs: messages anywhere pass, what no service writes is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_export_import import forged, holds_nothing, write
from tests.support.shell import assert_refused, raw, run

LATE_SEAT = 1  # of the fixture `finished`: the person who took a seat after the creation


def talk_in(log: list[dict[str, Any]]) -> None:
    """Put a message behind every request: seats taken late, actions, scoring rounds begun and done, the end."""
    whole = list(log)
    log.clear()
    for event, following in zip(whole, [*whole[1:], {"type": "", "at": None}], strict=True):
        log.append(event)
        # Two requests may be of one millisecond; whatever follows these is a request of its own.
        late = following["type"] == "PlayerJoined" and following["data"]["seat"] == LATE_SEAT
        if event["at"] != following["at"] or event["type"] in {"TurnStarted", "ScoringStarted"} or late:
            data = {"seat": 0, "text": "well\n\u2028\x00\U0001f3b2"}
            log.append({"version": 0, "type": "MessagePosted", "at": event["at"], "data": data, "hash": ""})
    for version, event in enumerate(log, 1):
        event["version"] = version


def test_a_game_with_messages(empty: dict[str, str], tmp_path: Path, lines: bytes) -> None:
    """Messages at any place, after the end too, are exported again with the same bytes."""
    talking = forged(lines, talk_in)
    kinds = [json.loads(line)["type"] for line in talking.splitlines()]
    for before, after in (("ScoringStarted", "RoundScored"), ("PlayerJoined", "PlayerJoined"), ("TurnStarted", "")):
        at = next(at for at in range(len(kinds)) if kinds[at : at + 2] == [before, "MessagePosted"])
        assert kinds[at + 2] == after or not after
    assert kinds[-2:] == ["GameEnded", "MessagePosted"]
    ended = run("import", write(tmp_path / "talk", talking), **empty)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert raw("export", "--all", **empty).stdout == talking


@pytest.mark.parametrize(
    ("data", "check"),
    [
        ({"seat": 9, "text": "x"}, "rules"),
        ({"seat": 0, "text": "x" * 2001}, "rules"),
        ({"seat": 0, "text": ""}, "rules"),
        ({"seat": 0, "text": "HALF"}, "chain"),
    ],
)
def test_an_impossible_message_is_refused(
    empty: dict[str, str], tmp_path: Path, lines: bytes, data: dict[str, Any], check: str
) -> None:
    """A message without an author, too long, empty, or with half a character is refused, with its version."""
    version = lines.count(b"\n") + 1

    def say(log: list[dict[str, Any]]) -> None:
        log.append({**log[-1], "version": version, "type": "MessagePosted", "data": data})

    broken = write(tmp_path / "broken", forged(lines, say).replace(b'"HALF"', b'"\\ud800"'))
    assert_refused(run("import", broken, **empty), 1, f"{check} fails at version {version}")
    assert holds_nothing(empty)


LATER = "2999-01-01T00:00:00.000Z"
EARLIER = "1969-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda log: log[0]["data"].update(game="../escaped"), "version 1"),
        (lambda log: log[0]["data"].update(game="x" * 65), "version 1"),
        (lambda log: log[0]["data"].update(listed="yes"), "version 1"),
        (lambda log: log[0]["data"].update(rules="standard@9"), "version 1"),
        (lambda log: log[1]["data"].update(name="x" * 41), "version 2"),
        (lambda log: log[1]["data"].update(name=["Anna"]), "version 2"),
        (lambda log: log[0]["data"].update(listed=None), "version 1"),
        (lambda log: log[1]["data"].update(name="An\nna"), "version 2"),
        (lambda log: [event.update(at=LATER) for event in log], "future"),
        (lambda log: [event.update(at=EARLIER) for event in log], "version 1"),
        (lambda log: log[-1]["data"].update(more=1), "fails at version"),
        (lambda log: log.append({**log[-1], "version": len(log) + 1, "type": "WeatherChanged", "data": {}}), "Weather"),
        (lambda log: log[0]["data"].update(pace={"turn_seconds": 60}), "version 1"),
    ],
)
def test_texts_that_the_api_refuses_are_refused(
    empty: dict[str, str], tmp_path: Path, lines: bytes, change: Callable[[list[dict[str, Any]]], object], word: str
) -> None:
    """A forged log with valid hashes is refused, with the version."""
    assert_refused(run("import", write(tmp_path / "forged", forged(lines, change)), **empty), 1, word)
    assert holds_nothing(empty)


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda lines: lines.replace(b',"', b', "', 1), "line 1 "),
        (lambda lines: lines.replace(b'"tulip"', b'"\\u0074ulip"'), "line 2 "),
        (lambda lines: lines[:-1], "last line"),
        (lambda lines: lines + b"\n", "version"),
        (lambda lines: lines[: len(lines) // 2], "fails at version"),
        (lambda lines: b"\n".join(lines.split(b"\n")[1:]), "fails at version 1"),
        (lambda lines: lines.replace(b"\n", b"\r\n"), "line 1 "),
        (lambda lines: b'{"a":' * 100_000 + lines, "fails at version 1"),
        (lambda lines: lines + b" " * (64 << 20), "larger"),
    ],
)
def test_other_bytes_of_the_same_log_are_refused(
    empty: dict[str, str], tmp_path: Path, lines: bytes, damage: Callable[[bytes], bytes], word: str
) -> None:
    """What no export can have written is refused, also where it means the same."""
    assert_refused(run("import", write(tmp_path / "damaged", damage(lines)), **empty), 1, word)
    assert holds_nothing(empty)
