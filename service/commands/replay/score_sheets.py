"""The score sheet for the terminal: businesses down, players and their rounds across."""

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from domain.projections.score_sheet import Cell, lay_out
from domain.projections.table import GameTable
from domain.words.wording import Words, format_number
from service.commands.replay.table import MARK, name_seats, show_card

_GAP: Final = 2
"""Columns between two players."""
_NAME: Final = 18
"""Columns of a name above its amounts, on two lines."""
_ROOMY: Final = 80
"""Columns from which on the businesses have their whole names."""


def render_sheets(table: GameTable, words: Words, width: int) -> list[Table]:
    """The score sheet in at most `width` columns: as many players side by side as fit, the others on further sheets."""
    labels, *players = _format_columns(table, words, width)
    sheets: list[list[list[Text]]] = []
    room = 0
    for column in players:
        needed = _GAP + _width_of(column)
        if needed > room:
            sheets.append([labels])
            room = width - _width_of(labels, width)
        sheets[-1].append(column)
        room -= needed
    return [_render_sheet(sheet, with_bonus=any(table.bonus)) for sheet in sheets]


def _width_of(column: Sequence[Text], word: int = _NAME // 2) -> int:
    """Columns of the widest cell; `word`: that a word of the heading may have before it is broken."""
    heading, *cells = column
    words = [min(cell_len(each), word) for each in heading.plain.split()]
    return max([*words, *(cell.cell_len for cell in cells)])


def _format_columns(table: GameTable, words: Words, width: int) -> list[list[Text]]:
    """The column of labels, then one for each player, each with its heading first."""
    lines = lay_out(table.scores)
    labels = [Text(words.terms["score sheet"])]
    for line in lines:
        if line.name in words.cards:
            labels.append(show_card(line.name, words))
            if width >= _ROOMY:
                labels[-1].append(f" {words.cards[line.name]}")
        else:
            labels.append(Text(words.terms[line.name]))
    bonus = ["bonus"] if any(table.bonus) else []
    columns = [labels + [Text(words.terms[name]) for name in (*bonus, "total")]]
    for seat, name in enumerate(name_seats(table, words)):
        heading = Text(name)
        heading.truncate(_NAME, overflow="ellipsis")
        sums = [*([table.bonus[seat]] if bonus else []), table.seats[seat].total]
        amounts = _align([line.seats[seat] for line in lines])
        columns.append([heading, *map(Text, amounts), *(Text(format_number(amount)) for amount in sums)])
    return columns


def _align(lines: Sequence[Sequence[Cell | None]]) -> list[str]:
    """A player's rounds side by side, each as wide as its widest amount, with a blank between."""
    rounds = [[_format_cell(cell) for cell in cells] for cells in zip(*lines, strict=True)]
    widths = [max(2, *map(len, amounts)) for amounts in rounds]
    return [
        " ".join(amount.rjust(width) for amount, width in zip(amounts, widths, strict=True))
        for amounts in zip(*rounds, strict=True)
    ]


def _format_cell(cell: Cell | None) -> str:
    """The amount; a star marks what a risk card has doubled."""
    return f"{format_number(cell.income)}{MARK * cell.doubled}" if cell else ""


def _render_sheet(columns: Sequence[Sequence[Text]], *, with_bonus: bool) -> Table:
    grid = Table(box=SIMPLE_HEAD, padding=(0, _GAP - 1, 0, 0), pad_edge=False, show_edge=False)
    labels, *players = columns
    grid.add_column(labels[0], width=_width_of(labels, labels[0].cell_len))
    for column in players:
        grid.add_column(column[0], justify="right", width=_width_of(column), overflow="fold")
    *rows, total = zip(*(column[1:] for column in columns), strict=True)
    sums = len(rows) - 2 - with_bonus
    for row in rows[:sums]:
        grid.add_row(*row)
    grid.add_section()
    for row in rows[sums:]:
        grid.add_row(*row)
    grid.add_row(*total, style="bold")
    return grid
