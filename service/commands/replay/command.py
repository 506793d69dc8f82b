"""`reibach replay`: a game in the terminal, event by event."""

import os
import sys
from typing import Final

import click
from rich.text import Text

from domain.events import FIELDS
from domain.fairness.canonical import JsonObject
from domain.projections.recap import describe_events
from domain.projections.table import GameTable, table_at
from domain.words.wording import Words, words_of
from service.commands.errors import BadUsage
from service.commands.replay.score_sheets import render_sheets
from service.commands.replay.table import render_legend, render_table
from service.commands.source import printable, read_events
from service.commands.terminal import Terminal

_IMPOSSIBLE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What the projections raise for events that no game can have."""
_MARGIN: Final = 6
"""Columns of a sentence's version."""
_NARROWEST: Final = 20
"""Columns of a sentence, also where the terminal has fewer."""


def replay_game(source: str, at: int | None, language: str, *, step: bool) -> None:
    """Print the log at `source` as sentences and the table at version `at` (None: the last); `step`: with keys instead.

    Raises BadUsage and UsageError.
    """
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal without Unicode shows what it can
    words = words_of(language)
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("--step needs a terminal for input and output.")
    events = read_events(source)
    _check(events, words, source)
    if at is not None and at > len(events):
        raise click.UsageError(f"There is no version {at}: the log ends at version {len(events)}.")
    console = Terminal()
    if step:
        from service.commands.replay.steps import step_through

        step_through(console, events, words, at or 1)
        return
    if at is None:
        _print_sentences(console, events, language)
    table = table_at(events, at or len(events))
    _print_lines(console, render_table(table, words, console.width, len(events)))
    for sheet in render_sheets(table, words, console.width) if table.rounds else ():
        console.print()
        console.print(sheet)
    console.print()
    _print_lines(console, render_legend(words))


def _check(events: list[JsonObject], words: Words, source: str) -> None:
    """Raises BadUsage with the first version that can't have happened; every other table is rendered once for that."""
    table = GameTable()
    for index, event in enumerate(events):
        try:
            table.apply(event)
            if event["type"] == "MessagePosted" or event["type"] not in FIELDS:
                continue  # there may be thousands of these, and the table stays as it was
            render_sheets(table, words, 80)
            render_table(table, words, 80, len(events))
        except _IMPOSSIBLE:
            raise BadUsage(f"{printable(source)}: version {index + 1} can't have happened in this game") from None
    try:
        describe_events(events, words.language)
    except _IMPOSSIBLE:
        raise BadUsage(f"{printable(source)}: these events are not those of one game") from None


def _print_lines(console: Terminal, lines: list[Text]) -> None:
    for line in lines:
        console.print(line)


def _print_sentences(console: Terminal, events: list[JsonObject], language: str) -> None:
    # In a file a sentence stays on one line, however long, unless COLUMNS asks for a width.
    is_wrapped = console.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    for item in describe_events(events, language):
        text = Text(item["text"])
        lines = (
            text.wrap(console, max(console.width - _MARGIN, _NARROWEST)) if is_wrapped else text.split(allow_blank=True)
        )
        # Further lines are indented, so that none of a message can pass for a line of the game.
        line = f"{item['version']:>4}  " + f"\n{'':{_MARGIN}}".join(line.plain for line in lines)
        style = "bold" if item["type"] == "TurnStarted" or item["seat"] is None else None
        console.print(line, style=style, soft_wrap=True)
    console.print()
