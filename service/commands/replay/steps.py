"""`reibach replay --step`: a game on the terminal's alternate screen, driven by keys."""

import os
import re
import select
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from domain.fairness.canonical import JsonObject
from domain.projections.recap import describe_events
from domain.projections.table import table_at
from domain.words.wording import Words
from service.commands.replay.table import render_sheet, render_table
from service.commands.terminal import Terminal

_KEY = re.compile(rb"\x1b[\[O][0-9;]*[~A-Za-z]|.", re.DOTALL)
_FORWARD: Final = frozenset({b" ", b"\n", b"\r", b"\x1b[C", b"\x1bOC", b"\x1b[B", b"\x1bOB"})
_BACK: Final = frozenset({b"\x7f", b"\b", b"\x1b[D", b"\x1bOD", b"\x1b[A", b"\x1bOA"})
_HOME: Final = frozenset({b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"})
_END: Final = frozenset({b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"})
_QUIT: Final = frozenset({b"q", b"Q", b"\x03", b"\x04"})
_POLL_S: Final = 0.25
"""Seconds between two looks at the size of the window."""
_SENTENCES: Final = 3
"""Of the latest events, above the keys."""


def step_through(console: Terminal, events: list[JsonObject], words: Words, version: int) -> None:
    """Show the table at `version`, and at others as the keys say, until q is pressed."""
    last, sheet = len(events), False
    with _keys() as keys, console.screen(hide_cursor=True) as screen:
        size = None
        for key in keys:
            if key in _QUIT:
                return
            if key in (b"s", b"S"):
                sheet = not sheet
            before = version, sheet
            version = _move(version, key, last)
            if key or console.size != size or before != (version, sheet):
                size = console.size
                screen.update(_render_frame(console, events, words, version, sheet=sheet))


def _move(version: int, key: bytes, last: int) -> int:
    if key in _FORWARD:
        return min(version + 1, last)
    if key in _BACK:
        return max(version - 1, 1)
    if key in _HOME:
        return 1
    return last if key in _END else version


def _render_frame(
    console: Terminal, events: list[JsonObject], words: Words, version: int, *, sheet: bool
) -> RenderableType:
    """The score sheet (`sheet`), or the table with as many of the latest sentences as fit, and the keys below."""
    table = table_at(events, version)
    keys = Text(words.terms["keys"], "dim", no_wrap=True, overflow="ellipsis")
    if sheet:
        return Group(render_sheet(table, words, console.width), Text(), keys)
    *earlier, newest = describe_events(events[:version], words.language)[-_SENTENCES:]
    sentences = [Text(_indent(item["text"]), "dim") for item in earlier]
    parts: list[RenderableType] = [render_table(table, words, console.width, len(events)), keys]
    room = console.height - _count_lines(console, parts)
    lines = Text(_indent(newest["text"]), "bold").wrap(console, console.width)
    sentences.append(Text("\n").join(lines[:room]))  # a message may be longer than the screen
    for sentence in reversed(sentences):  # the newest first, then earlier ones while there is room
        room -= _count_lines(console, [sentence])
        if room < 0:
            break
        parts.insert(1, sentence)
    if room > 0:
        parts.insert(1, Text())
    whole = render_sheet(table, words, console.width)
    if room > _count_lines(console, [whole]) + 1:
        parts[1:1] = [Text(), whole]
    return Group(*parts)


def _indent(sentence: str) -> str:
    """Further lines of a message are indented, so that none can pass for a sentence of the game."""
    return sentence.replace("\n", f"\n{'':4}")


def _count_lines(console: Terminal, parts: list[RenderableType]) -> int:
    return len(console.render_lines(Group(*parts)))


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
