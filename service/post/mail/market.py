"""The market as a mail shows it: a table of the ten businesses by players, and the same in columns of a text."""

from collections.abc import Sequence
from typing import Final, NamedTuple, cast

from domain.cards import BUSINESSES, Business
from domain.fairness.canonical import JsonObject
from domain.projections.table import TableSeat
from domain.scoring import score
from domain.state import Seat
from domain.words.catalogue import read
from domain.words.wording import Words, capitalise, format_number
from service.post.snapshot import SeatSnapshot

_COLUMNS: Final = 72
"""Of a mail's text."""


class MarketCell(NamedTuple):
    text: str
    gain: str = ""
    """What the next scoring round would bring now, as `+3`."""
    note: str = ""
    """In parentheses: a businessmaker that can still be seen."""
    leads: bool = False


def lay_out_market(snapshot: SeatSnapshot, words: Words) -> tuple[list[str], list[tuple[str, list[MarketCell]]]]:
    """The grid of all rows: its heads, a player each from the reader on, and its lines, each with its label.

    A line's label is a business, or one of the words for money, hands and businessmakers without a card. The reader's
    have the numbers by which answers name them.
    """
    table, labels = snapshot.table, read(words.language, "mail").market
    count = len(table.seats)
    order = [(snapshot.seat + offset) % count for offset in range(count)]
    names = name_readers(snapshot, words)
    heads = [("▸ " if table.turn > 0 and table.turn_seat == seat else "") + names[seat] for seat in order]
    scored: list[JsonObject | None] = [None] * count
    if table.status == "playing":
        scored = [*score(table.rules, cast("list[Seat]", table.seats), len(table.rounds) + 1)]
    lines = [(labels.money, [_money_cell(table.seats[seat].total, scored[seat]) for seat in order])]
    lines.append((labels.hand, [MarketCell(str(len(table.seats[seat].hand))) for seat in order]))
    for business in BUSINESSES:
        longest = max((row.length for seat in table.seats for row in seat.rows if row.business == business), default=0)
        cells = [_row_cell(table.seats[seat], business, longest, scored[seat], words) for seat in order]
        lines.append((business, cells))
    lines.append(
        (labels.waiting, [_waiting_cell(table.seats[seat], words, is_own=seat == snapshot.seat) for seat in order])
    )
    return heads, lines


def name_readers(snapshot: SeatSnapshot, words: Words) -> list[str]:
    """The seats' labels for lists and tables, in which the reader is `You`."""
    names = words.name_seats(snapshot.table.seats)
    names[snapshot.seat] = capitalise(words.terms["you"])
    return names


def _money_cell(total: int, scored: JsonObject | None) -> MarketCell:
    return MarketCell(format_number(total), format_number(scored["income"], signed=True) if scored else "", leads=True)


def _row_cell(seat: TableSeat, business: Business, longest: int, scored: JsonObject | None, words: Words) -> MarketCell:
    row = next((row for row in seat.rows if row.business == business), None)
    if row is None:
        return MarketCell("·")
    note = f"({words.short[row.businessmaker]})" if row.businessmaker else ""
    gain = format_number(scored["businesses"][business]["income"], signed=True) if scored else ""
    return MarketCell(f"{row.length}" + "\u00a02x" * row.closed, gain, note, leads=row.length == longest)


def _waiting_cell(seat: TableSeat, words: Words, *, is_own: bool) -> MarketCell:
    makers = [(number, row.businessmaker) for number, row in enumerate(seat.rows, 1) if row.business is None]
    if not makers:
        return MarketCell("·")
    counted = [f"#{number}" for number, _ in makers] if is_own else [str(len(makers))]
    shown = [words.short[card] for _, card in makers if card]
    return MarketCell(" ".join(counted), note=f"({' '.join(shown)})" if shown else "")


def write_market(heads: Sequence[str], lines: Sequence[tuple[str, Sequence[MarketCell]]], words: Words) -> list[str]:
    """The grid in columns of a text, two blanks from the edge; what doesn't fit into a column is cut."""
    rows = [["", *heads]]
    rows += [[words.cards.get(label, label), *map(_write_cell, cells)] for label, cells in lines]
    first = max(len(row[0]) for row in rows) + 2
    width = (_COLUMNS - 2 - first) // len(heads)
    widths = [min(max(len(row[place]) for row in rows) + 2, width) for place in range(1, len(heads) + 1)]
    texts = []
    for label, *cells in rows:
        fitting = [
            (cell if len(cell) < most else f"{cell[: most - 2]}…").ljust(most)
            for cell, most in zip(cells, widths, strict=True)
        ]
        texts.append(f"  {label.ljust(first)}{''.join(fitting)}".rstrip())
    return texts


def _write_cell(cell: MarketCell) -> str:
    return " ".join(filter(None, [cell.text, cell.gain, cell.note])).replace("\u00a0", " ")
