"""`reibach replay`: a game as sentences, or its score sheet."""

import sys
from typing import Final

import click

from domain.fairness.canonical import JsonObject
from domain.projections.recap import describe_events
from domain.projections.score_sheet import lay_out
from domain.projections.table import GameTable, table_at
from domain.words.wording import Words, format_number, label_seats, strip_controls, words_of
from service.commands.errors import BadUsage
from service.commands.source import printable, read_events
from service.commands.terminal import print_columns

_IMPOSSIBLE: Final = (AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What the projections raise for events that no game can have."""
_DOUBLED: Final = "*"
"""Behind an amount that a risk card has doubled."""


def replay_game(source: str, language: str, at: int | None, *, score: bool, step: bool) -> None:
    """Print each sentence of the log at `source` on a line of its own; `score`: the score sheet instead.

    `at`: the last version that is told; None: all. `step`: wait for a key after each line. Raises BadUsage, UsageError.
    """
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal without Unicode shows what it can
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("--step needs a terminal for input and output.")
    words, events = words_of(language), read_events(source)
    if at is not None and at > len(events):
        raise click.UsageError(f"There is no version {at}: the log ends at version {len(events)}.")
    events = events[:at]
    try:
        if score:
            rows = _lay_out_sheet(table_at(events, len(events)), words)
        else:
            rows = [[f"{item['version']:>4}  {item['text']}"] for item in describe_events(events, language)]
    except _IMPOSSIBLE:
        version = _first_impossible(events)
        raise BadUsage(f"{printable(source)}: version {version} can't have happened in this game") from None
    if score:
        print_columns(rows, left=1)
        return
    for row in rows:
        # One line a sentence, so that no line of a message can pass for a sentence of the game.
        click.echo(strip_controls(row[0]))
        if step:
            click.pause("")


def _first_impossible(events: list[JsonObject]) -> int:
    """The first version that can't be applied or told; the last one where each alone can."""
    table = GameTable()
    for version, event in enumerate(events, 1):
        try:
            table.apply(event)
        except _IMPOSSIBLE:
            return version
    return len(events)


def _lay_out_sheet(table: GameTable, words: Words) -> list[list[str]]:
    """Businesses down, players and their rounds across, then bonus and total."""
    names = label_seats(table.seats, words.terms)
    rows = [[words.terms["score sheet"], *(text for name in names for text in ("", "", name))]]
    for line in lay_out(table.scores):
        cells = (cell for cells in line.seats for cell in cells)
        amounts = (f"{format_number(cell.income)}{_DOUBLED * cell.doubled}" if cell else "" for cell in cells)
        rows.append([words.cards.get(line.name) or words.terms[line.name], *amounts])
    sums = {"bonus": table.bonus} if any(table.bonus) else {}
    sums["total"] = [seat.total for seat in table.seats]
    for name, millions in sums.items():
        rows.append([words.terms[name], *(text for amount in millions for text in ("", "", format_number(amount)))])
    return rows
