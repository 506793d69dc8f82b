"""One screen of `reibach replay --step`.

Rule: the keys are always on it, and above the keys of a table the newest sentence. The table gets the lines that are
left.
"""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Self, TypeAlias

from rich.console import Console, Group, RenderableType
from rich.segment import Segment, SegmentLines
from rich.text import Text

from domain.fairness.canonical import JsonObject
from domain.projections.recap import describe_events
from domain.projections.table import GameTable, table_at
from domain.words.catalogue import read
from domain.words.wording import Words
from service.commands.replay.score_sheets import render_sheets
from service.commands.replay.table import pack, render_legend, render_parts

_SHARE: Final = 3
"""The newest sentence gets up to a third of the lines."""
_MORE: Final = "\u2026"
"""In place of lines that don't fit."""
Lines: TypeAlias = list[list[Segment]]


@dataclass(frozen=True, slots=True)
class Shown:
    version: int
    sheet: int = 0
    """Which of the score sheets, counted from 1; 0, and beyond the last one: the table."""
    help: bool = False
    """Whether all keys and signs are explained instead."""

    def at(self, version: int) -> Self:
        return replace(self, version=version, help=False)


def render_frame(console: Console, events: list[JsonObject], words: Words, shown: Shown) -> SegmentLines:
    """The screen's lines, at most as many as it has."""
    table = table_at(events, shown.version)
    hints = pack(map(Text, read(words.language, "terminal").hints), console.width, indent=0)  # most needed ones first
    keys = _lines(console, hints[0])
    room = console.height - len(keys)
    sheets = render_sheets(table, words, console.width)
    if shown.help:
        above = [*_lines(console, *hints), [], *_lines(console, *render_legend(words))]
    elif page := shown.sheet % (len(sheets) + 1):
        above = _lines(console, sheets[page - 1])
    else:
        newest = describe_events(events[: table.version], words.language)[-1]["text"]
        sentence = _cut(_lines(console, Text(_indent(newest), "bold")), max(room // _SHARE, 1))
        board = _fit_table(console, table, words, len(events), room - len(sentence))
        above = [*board, *[[]] * (len(board) + len(sentence) < room), *sentence]
    return SegmentLines([*_cut(above, room), *keys], new_lines=True)


def _fit_table(console: Console, table: GameTable, words: Words, last: int, room: int) -> Lines:
    """The table in so many lines. Where it doesn't fit, the players after the one on turn are left out last."""
    head, *seats = render_parts(table, words, console.width, last)
    turn = table.turn_seat if table.turn and sum(map(len, [head, *seats])) > room else 0
    return _cut(_lines(console, *chain(head, *seats[turn:], *seats[:turn])), room)


def _cut(lines: Lines, room: int) -> Lines:
    """The first lines, with a mark in place of those that don't fit."""
    return lines if len(lines) <= room else [*lines[: max(room - 1, 0)], [Segment(_MORE)]][:room]


def _indent(sentence: str) -> str:
    """Further lines of a message are indented, so that none can pass for a sentence of the game."""
    return sentence.replace("\n", f"\n{'':4}")


def _lines(console: Console, *parts: RenderableType) -> Lines:
    return console.render_lines(Group(*parts), pad=False) if parts else []
