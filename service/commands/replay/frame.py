"""One screen of `reibach replay --step`.

Rule: the keys are always on it, and above the keys of a table the newest sentence. Table or score sheet get the lines
that are left.
"""

from collections.abc import Sequence
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
from service.commands.replay.table import pack, render_legend, render_parts, render_table

_SENTENCES: Final = 3
"""Of the latest events, above the keys."""
_SHARE: Final = 3
"""Where the table needs the room, the newest sentence gets up to a third of the lines."""
_MORE: Final = "\u2026"
"""In place of lines that don't fit."""
Lines: TypeAlias = list[list[Segment]]


@dataclass(frozen=True, slots=True)
class Shown:
    version: int
    sheet: int = 0
    """Which screen of the score sheet, counted from 1; 0, and beyond the last one: the table."""
    help: bool = False
    """Whether all keys and signs are explained instead."""

    def at(self, version: int) -> Self:
        return replace(self, version=version, help=False)


def render_frame(console: Console, events: list[JsonObject], words: Words, shown: Shown) -> SegmentLines:
    """The screen's lines, at most as many as it has."""
    table = table_at(events, shown.version)
    keys = _lines(console, Text(_fit_keys(words, console.width), no_wrap=True))
    room = console.height - len(keys)
    pages = _paginate([_lines(console, sheet) for sheet in render_sheets(table, words, console.width)], room)
    legend = _lines(console, *render_legend(words))
    if shown.help:
        hints = pack(map(Text, read(words.language, "terminal").hints), console.width, indent=0)
        above = _cut([*_lines(console, *hints), [], *legend], room)
    elif page := shown.sheet % (len(pages) + 1):
        above = pages[page - 1]
    else:
        above, sentences = _fit(console, table, words, events, room)
        for more in (pages[0] if len(pages) == 1 else [], legend):
            if more and len(above) + len(sentences) + len(more) + 2 <= room:
                above += [[], *more]
        above += [[]] * (len(above) + len(sentences) < room) + sentences
    return SegmentLines([*above, *keys], new_lines=True)


def _fit(
    console: Console, table: GameTable, words: Words, events: Sequence[JsonObject], room: int
) -> tuple[Lines, Lines]:
    """The table, and the latest sentences below it: the newest first of all, then the table, then earlier ones."""
    *earlier, newest = describe_events(events[: table.version], words.language)[-_SENTENCES:]
    sentences = _lines(console, Text(_indent(newest["text"]), "bold"))
    board, height = _fit_table(console, table, words, len(events), room - len(sentences))
    if height > room - len(sentences):
        sentences = sentences[: max(room // _SHARE, room - height, 1)]
        board, _ = _fit_table(console, table, words, len(events), room - len(sentences))
    for item in reversed(earlier):
        lines = _lines(console, Text(_indent(item["text"])))
        if len(board) + len(lines) + len(sentences) > room:
            break
        sentences = lines + sentences
    return board, sentences


def _fit_keys(words: Words, width: int) -> str:
    """The hints that fit on a line, the ones that matter most."""
    line: str
    line, *hints = read(words.language, "terminal").hints
    for hint in hints:
        if Text(f"{line}  {hint}").cell_len <= width:
            line = f"{line}  {hint}"
    return line


def _fit_table(console: Console, table: GameTable, words: Words, last: int, room: int) -> tuple[Lines, int]:
    """The table in so many lines, and how many lines all of it needs.

    Cards have their whole names if the table still fits. Where even the short ones don't fit, the players after the
    one on turn are left out last.
    """
    if len(whole := _lines(console, *render_table(table, words, console.width, last))) <= room:
        return whole, len(whole)
    head, *seats = render_parts(table, words, console.width, last, whole=False)
    short = _lines(console, *chain(head, *seats))
    if len(short) <= room:
        return short, len(short)
    turn = table.turn_seat if table.turn else 0
    return _cut(_lines(console, *chain(head, *seats[turn:], *seats[:turn])), room), len(short)


def _paginate(sheets: Sequence[Lines], room: int) -> list[Lines]:
    """Screens of at most `room` lines: as many whole sheets as fit, or a part of one under its heading."""
    pages: list[Lines] = []
    for sheet in sheets:
        if pages and len(pages[-1]) + 1 + len(sheet) <= room:
            pages[-1] += [[], *sheet]
        elif len(sheet) <= room:
            pages.append(list(sheet))
        else:
            pages += _split(sheet, room)
    return pages


def _split(sheet: Lines, room: int) -> list[Lines]:
    """The sheet in screens, each with the names of the players."""
    rule = next(number for number, line in enumerate(sheet) if "\u2500" in "".join(part.text for part in line))
    heading, body = sheet[: rule + 1], sheet[rule + 1 :]
    height = max(room - len(heading), 1)
    return [(heading + body[start : start + height])[:room] for start in range(0, len(body), height)]


def _cut(lines: Lines, room: int) -> Lines:
    """The first lines, with a mark in place of those that don't fit."""
    return lines if len(lines) <= room else [*lines[: max(room - 1, 0)], [Segment(_MORE)]][:room]


def _indent(sentence: str) -> str:
    """Further lines of a message are indented, so that none can pass for a sentence of the game."""
    return sentence.replace("\n", f"\n{'':4}")


def _lines(console: Console, *parts: RenderableType) -> Lines:
    return console.render_lines(Group(*parts), pad=False) if parts else []
