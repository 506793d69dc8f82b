"""A game's table for the terminal: every card has its colour and its letters."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from domain.cards import Card, in_canonical_order
from domain.projections.score_sheet import Line, lines_of
from domain.projections.table import GameTable, TableRow, TableSeat
from domain.words.wording import Words, labels, number

_STYLES: Final = {
    "shares": "white on #14663a",
    "gold": "black on #b48ad6",
    "property": "white on #6f6f22",
    "currency": "black on #f5d327",
    "luxury": "black on #7cc7f0",
    "gambling": "white on #1d3f94",
    "antiques": "black on #9ad67a",
    "oil": "black on #ef8b23",
    "jewellery": "black on #f29cc0",
    "art": "white on #b32424",
    "multitalent": "black on #e8e8e8",
    "risk": "white on #555555",
}
_INDENT: Final = 4
_GAP: Final = "  "
_NAME: Final = 18
"""Columns of a name above the score sheet, on two lines."""
_ROOMY: Final = 80
"""Columns in which five players and the businesses' whole names fit side by side."""
_CELL: Final = 3
"""Columns of one round's amount on the score sheet: `-10` or ` 8*`."""


def names_of(shown: GameTable, words: Words) -> list[str]:
    """What to call the seats."""
    return labels([seat.name for seat in shown.seats], words.terms["open seat"])


def table_of(shown: GameTable, words: Words, width: int, last: int) -> RenderableType:
    """Display, pile, Reibach cards, and each player's hand and rows; `width` in columns, `last`: the last version."""
    lines = [_heading(shown, words, last), _middle(shown, words)]
    for seat, name in enumerate(names_of(shown, words)):
        lines += _seat(shown, seat, name, words, width)
    return Group(*lines)


def _heading(shown: GameTable, words: Words, last: int) -> Text:
    text = Text(f"{words.terms['version']} {shown.version}/{last}", "bold")
    if shown.status in {"playing", "scoring"} and shown.turn:
        text.append(f"  {words.terms['turn']} {shown.turn}, {words.points(shown.action_points)}", "not bold")
    if shown.status == "scoring":
        text.append(f"  {words.terms['scoring round']} {_round_on(shown)}", "bold reverse")
    return text


def _round_on(shown: GameTable) -> int:
    """The round that is being scored; the third is until the game has ended."""
    return min(len(shown.rounds) + 1, len(shown.rules.scoring_at))


def _middle(shown: GameTable, words: Words) -> Text:
    terms = words.terms
    text = Text(terms["display"] + words.colon)
    for card in shown.display:
        text.append_text(_card(card, words, "\u2013")).append(" ")
    if shown.draw_pile is not None:
        text.append(f" {terms['draw pile']}{words.colon}{shown.draw_pile}")
    text.append(f"  {terms['reibach cards']}{words.colon}{shown.revealed}")
    rounds = len(shown.rounds)
    if rounds < len(shown.rules.scoring_at):
        text.append(f" ({terms['next scoring at']} {shown.rules.scoring_at[rounds]})", "dim")
    return text


def _seat(shown: GameTable, seat: int, name: str, words: Words, width: int) -> list[Text]:
    place = shown.seats[seat]
    on_turn = shown.turn_seat == seat and shown.turn > 0 and shown.status != "over"
    won = shown.winners is not None and seat in shown.winners
    head = Text("> " if on_turn else "* " if won else "  ", "bold")
    head.append(name, "bold" if on_turn or won else "").append(f"  {words.money(place.total)}", "not bold")
    if won:
        head.append(f"  {words.terms['winner' if shown.winners == [seat] else 'winners']}")
    rows = [_row(row, words) for row in place.rows]
    return [*_packed([head, *_hand(place, words)], width, indent=0), *_packed(rows, width)]


def _hand(place: TableSeat, words: Words) -> list[Text]:
    known = in_canonical_order([card for card in place.hand if card is not None])
    hidden = len(place.hand) - len(known)
    tokens = [Text(f"{words.terms['hand']}{words.colon}{len(place.hand)}")] if place.hand else []
    tokens += [_card(card, words) for card in known]
    return tokens + ([Text("? " * hidden, "dim")] if hidden and known else [])


def _row(row: TableRow, words: Words) -> Text:
    """`[Oil]` is the businessmaker, `[?]` a hidden one; then the row's business and length, and a risk card."""
    text = Text()
    text.append(f"[{'?' if row.businessmaker is None else words.short[row.businessmaker]}]", "dim")
    if row.business is not None:
        text.append(f" {words.short[row.business]} {row.length} ", _STYLES[row.business])
    if row.closed:
        text.append_text(_card("risk", words))
    return text


def _card(card: Card | None, words: Words, unknown: str = "?") -> Text:
    return Text(f" {unknown} ", "dim") if card is None else Text(f" {words.short[card]} ", _STYLES[card])


def _packed(tokens: Iterable[Text], width: int, indent: int = _INDENT) -> list[Text]:
    """As many tokens to a line as fit, none broken; `indent`: columns left free before the first."""
    lines: list[Text] = []
    for token in tokens:
        if not lines or lines[-1].cell_len + len(_GAP) + token.cell_len > width:
            lines.append(Text(" " * (_INDENT if lines else indent)))
        else:
            lines[-1].append(_GAP)
        lines[-1].append_text(token)
    return lines


def sheet_of(shown: GameTable, words: Words, width: int) -> Table:
    """The score sheet: businesses down, players and their rounds across; `width` in columns."""
    *businesses, losses, income = lines_of(shown.scores)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False, show_edge=False)
    table.add_column(words.terms["score sheet"], no_wrap=True)
    for name in names_of(shown, words):
        header = Text(name)
        header.truncate(_NAME, overflow="ellipsis")
        table.add_column(header, justify="right", overflow="fold", min_width=3 * _CELL)
    for line in businesses:
        label = _card(line.name, words)
        if width >= _ROOMY:
            label.append(f" {words.cards[line.name]}", "default on default")
        table.add_row(label, *_cells(line))
    table.add_section()
    for line in (losses, income):
        table.add_row(words.terms[line.name], *_cells(line))
    if any(shown.bonus):
        table.add_row(words.terms["bonus"], *_amounts(shown.bonus))
    table.add_row(words.terms["total"], *_amounts([seat.total for seat in shown.seats]), style="bold")
    return table


def _cells(line: Line) -> list[Text]:
    """A player's three rounds side by side; a star marks what a risk card has doubled."""
    return [
        Text("".join((f"{number(cell.income)}{'*' * cell.doubled}" if cell else "").rjust(_CELL) for cell in cells))
        for cells in line.seats
    ]


def _amounts(amounts: Sequence[int]) -> list[str]:
    return [number(amount) for amount in amounts]
