"""`reibach replay --step`: a game on the terminal's alternate screen, driven by keys."""

import os
import re
import select
import signal
import sys
import termios
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Final

from domain.fairness.canonical import JsonObject
from domain.words.wording import Words
from service.commands.replay.frame import Shown, render_frame
from service.commands.terminal import Terminal

_KEY = re.compile(rb"\x1b[\[O][0-9;]*[~A-Za-z]|.", re.DOTALL)
_FORWARD: Final = frozenset({b" ", b"\n", b"\r", b"\x1b[C", b"\x1bOC", b"\x1b[B", b"\x1bOB"})
_BACK: Final = frozenset({b"\x7f", b"\b", b"\x1b[D", b"\x1bOD", b"\x1b[A", b"\x1bOA"})
_HOME: Final = frozenset({b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"})
_END: Final = frozenset({b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"})
_NEXT_TURN: Final = b"\x1b[6~"
_TURN_BEFORE: Final = b"\x1b[5~"
_QUIT: Final = frozenset({b"q", b"Q", b"\x03", b"\x04"})
_POLL_S: Final = 0.25
"""Seconds between two looks at the size of the window."""


def step_through(console: Terminal, events: list[JsonObject], words: Words, version: int) -> None:
    """Show the table at `version`, and what the keys ask for, until q is pressed."""
    targets, shown = KeyTargets.of(events), Shown(version)
    with _keys() as keys, console.screen(hide_cursor=True) as screen:
        size = None
        for key in keys:
            if key in _QUIT:
                return
            if key:
                shown = press(shown, key, targets)
            if key or console.size != size:
                size = console.size
                screen.update(render_frame(console, events, words, shown))


@dataclass(frozen=True, slots=True)
class KeyTargets:
    """The versions that keys lead to."""

    last: int
    turns: list[int]
    rounds: list[int]

    @classmethod
    def of(cls, events: list[JsonObject]) -> "KeyTargets":
        def versions(*types: str) -> list[int]:
            return [event["version"] for event in events if event["type"] in types]

        return cls(len(events), versions("TurnStarted", "PositionSet"), versions("RoundScored"))


def press(shown: Shown, key: bytes, targets: KeyTargets) -> Shown:  # noqa: PLR0911 - a table of keys
    version = shown.version
    if key in (b"s", b"S"):
        return replace(shown, sheet=shown.sheet + 1, help=False)
    if key == b"?":
        return replace(shown, help=not shown.help)
    if key in _FORWARD:
        return shown.at(min(version + 1, targets.last))
    if key in _BACK:
        return shown.at(max(version - 1, 1))
    if key in _HOME:
        return shown.at(1)
    if key in _END:
        return shown.at(targets.last)
    if key == _NEXT_TURN:
        return shown.at(_after(targets.turns, version) or targets.last)
    if key == _TURN_BEFORE:
        return shown.at(targets.turns[before - 1] if (before := bisect_left(targets.turns, version)) else 1)
    if key in (b"n", b"N"):
        return shown.at(_after(targets.rounds, version) or version)
    return shown


def _after(versions: list[int], version: int) -> int | None:
    """The first of the versions that follows `version`."""
    return next(iter(versions[bisect_right(versions, version) :]), None)


@contextmanager
def _keys() -> Iterator[Iterator[bytes]]:
    """Keys as they are pressed, and an empty one every `_POLL_S`; afterwards the terminal's settings are restored."""
    terminal = sys.stdin.fileno()
    usual = termios.tcgetattr(terminal)
    ours = termios.tcgetattr(terminal)
    ours[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
    ends = {number: signal.signal(number, _exit) for number in (signal.SIGTERM, signal.SIGHUP)}
    termios.tcsetattr(terminal, termios.TCSADRAIN, ours)
    try:
        yield _read_keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, usual)
        for number, handler in ends.items():
            signal.signal(number, handler)


def _read_keys(terminal: int) -> Iterator[bytes]:
    yield b""
    while True:
        ready, _, _ = select.select([terminal], [], [], _POLL_S)
        if not ready:
            yield b""
            continue
        read = os.read(terminal, 64)
        if not read:  # the terminal was closed
            return
        yield from _KEY.findall(read)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
