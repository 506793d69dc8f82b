"""A game's table for the terminal: every card has its colour and its letters."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from domain.cards import Card, in_canonical_order
from domain.projections.score_sheet import Cell, Line, lay_out
from domain.projections.table import GameTable, TableRow, TableSeat
from domain.words.appearance import APPEARANCES
from domain.words.wording import Words, format_number, label_seats

_INDENT: Final = 4
_GAP: Final = "  "
_NAME: Final = 18
"""Columns of a name above the score sheet, on two lines."""
_ROOMY: Final = 80
"""Columns in which five players and the businesses' whole names fit side by side."""
_CELL: Final = 3
"""Columns of one round's amount on the score sheet: `-10` or ` 8*`."""


def name_seats(table: GameTable, words: Words) -> list[str]:
    """The seats' labels."""
    return label_seats([seat.name for seat in table.seats], words.terms["open seat"])


def render_table(table: GameTable, words: Words, width: int, last: int) -> RenderableType:
    """Display, pile, Reibach cards, each player's hand and rows; `width` in columns, `last`: the log's last version."""
    lines = [_format_heading(table, words, last), _format_display(table, words)]
    for seat, name in enumerate(name_seats(table, words)):
        lines += _format_seat(table, seat, name, words, width)
    return Group(*lines)


def _format_heading(table: GameTable, words: Words, last: int) -> Text:
    text = Text(f"{words.terms['version']} {table.version}/{last}", "bold")
    if table.status in {"playing", "scoring"} and table.turn:
        text.append(f"  {words.terms['turn']} {table.turn}, {words.points(table.action_points)}", "not bold")
    if table.status == "scoring":
        text.append(f"  {words.terms['scoring round']} {_current_round(table)}", "bold reverse")
    return text


def _current_round(table: GameTable) -> int:
    """The round that is being scored; the third one until `GameEnded`."""
    return min(len(table.rounds) + 1, len(table.rules.scoring_at))


def _format_display(table: GameTable, words: Words) -> Text:
    terms = words.terms
    text = Text(terms["display"] + words.colon)
    for card in table.display:
        text.append_text(_format_card(card, words, "\u2013")).append(" ")
    if table.draw_pile is not None:
        text.append(f" {terms['draw pile']}{words.colon}{table.draw_pile}")
    text.append(f"  {terms['reibach cards']}{words.colon}{table.revealed}")
    rounds = len(table.rounds)
    if rounds < len(table.rules.scoring_at):
        text.append(f" ({terms['next scoring at']} {table.rules.scoring_at[rounds]})", "dim")
    return text


def _format_seat(table: GameTable, seat: int, name: str, words: Words, width: int) -> list[Text]:
    place = table.seats[seat]
    on_turn = table.turn_seat == seat and table.turn > 0 and table.status != "over"
    won = table.winners is not None and seat in table.winners
    head = Text("> " if on_turn else "* " if won else "  ", "bold")
    head.append(name, "bold" if on_turn or won else "").append(f"  {words.money(place.total)}", "not bold")
    if won:
        head.append(f"  {words.terms['winner' if table.winners == [seat] else 'winners']}")
    rows = [_format_row(row, words) for row in place.rows]
    return [*_pack([head, *_format_hand(place, words)], width, indent=0), *_pack(rows, width)]


def _format_hand(place: TableSeat, words: Words) -> list[Text]:
    known = in_canonical_order([card for card in place.hand if card is not None])
    hidden = len(place.hand) - len(known)
    tokens = [Text(f"{words.terms['hand']}{words.colon}{len(place.hand)}")] if place.hand else []
    tokens += [_format_card(card, words) for card in known]
    return tokens + ([Text("? " * hidden, "dim")] if hidden and known else [])


def _format_row(row: TableRow, words: Words) -> Text:
    """`[Oil]` is the businessmaker, `[?]` a hidden one; then the row's business and length, and a risk card."""
    text = Text()
    text.append(f"[{'?' if row.businessmaker is None else words.short[row.businessmaker]}]", "dim")
    if row.business is not None:
        text.append(f" {words.short[row.business]} {row.length} ", _style_of(row.business))
    if row.closed:
        text.append_text(_format_card("risk", words))
    return text


def _format_card(card: Card | None, words: Words, unknown: str = "?") -> Text:
    return Text(f" {unknown} ", "dim") if card is None else Text(f" {words.short[card]} ", _style_of(card))


def _style_of(card: Card) -> str:
    look = APPEARANCES[card]
    return f"{look.ink} on {look.background}"


def _pack(tokens: Iterable[Text], width: int, indent: int = _INDENT) -> list[Text]:
    """Lines of at most `width` columns with as many tokens as fit, none broken; `indent`: columns before the first."""
    lines: list[Text] = []
    for token in tokens:
        if not lines or lines[-1].cell_len + len(_GAP) + token.cell_len > width:
            lines.append(Text(" " * (_INDENT if lines else indent)))
        else:
            lines[-1].append(_GAP)
        lines[-1].append_text(token)
    return lines


def render_sheet(table: GameTable, words: Words, width: int) -> Table:
    """The score sheet: businesses down, players and their rounds across; `width` in columns."""
    *businesses, losses, income = lay_out(table.scores)
    grid = Table(box=SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False, show_edge=False)
    grid.add_column(words.terms["score sheet"], no_wrap=True)
    for name in name_seats(table, words):
        header = Text(name)
        header.truncate(_NAME, overflow="ellipsis")
        grid.add_column(header, justify="right", overflow="fold", min_width=3 * _CELL)
    for line in businesses:
        label = _format_card(line.name, words)
        if width >= _ROOMY:
            label.append(f" {words.cards[line.name]}", "default on default")
        grid.add_row(label, *_format_cells(line))
    grid.add_section()
    for line in (losses, income):
        grid.add_row(words.terms[line.name], *_format_cells(line))
    if any(table.bonus):
        grid.add_row(words.terms["bonus"], *_format_amounts(table.bonus))
    grid.add_row(words.terms["total"], *_format_amounts([seat.total for seat in table.seats]), style="bold")
    return grid


def _format_cells(line: Line) -> list[Text]:
    """A player's three rounds side by side; a star marks what a risk card has doubled."""
    return [Text("".join(_format_cell(cell).rjust(_CELL) for cell in cells)) for cells in line.seats]


def _format_cell(cell: Cell | None) -> str:
    return f"{format_number(cell.income)}{'*' * cell.doubled}" if cell else ""


def _format_amounts(amounts: Sequence[int]) -> list[str]:
    return [format_number(amount) for amount in amounts]
