"""A game's table for the terminal: every card has its colour and its letters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from domain.cards import Card, in_canonical_order
from domain.projections.table import GameTable, TableRow, TableSeat
from domain.words.appearance import APPEARANCES
from domain.words.catalogue import read
from domain.words.wording import Words, label_seats

HIDDEN: Final = "?"
BUSINESSMAKER: Final = "\u25af"
"""Before a businessmaker's letters: a card face down."""
ON_TURN: Final = ">"
MARK: Final = "*"
"""Of a winner, and of an amount that a risk card has doubled."""
_INDENT: Final = 4
_GAP: Final = "  "
_SPACIOUS: Final = 120
"""Columns from which on cards have their whole names."""
_TOTAL: Final = 16
"""Columns that a player's name leaves for the signs before it and the total after it."""


@dataclass(frozen=True, slots=True)
class _Look:
    words: Words
    labels: Mapping[Card, str]
    """Of the cards: whole names, or three letters."""
    width: int

    def card(self, card: Card | None, unknown: str = HIDDEN, more: str = "") -> Text:
        """The card in its colour, and in the same colour `more` after its name."""
        if card is None:
            return Text(f" {unknown} ")
        look = APPEARANCES[card]
        # A span, not the style of the whole text, which would colour a table's cell to its end.
        return Text.assemble((f" {self.labels[card]} {more}", f"{look.ink} on {look.background}"))


def name_seats(table: GameTable, words: Words) -> list[str]:
    return label_seats(table.seats, words.terms)


def render_table(table: GameTable, words: Words, width: int, last: int) -> list[Text]:
    """Display, pile, Reibach cards, each player's hand and rows, in lines of at most `width` columns.

    `last`: the log's last version. Cards have their whole names where there is room in the width.
    """
    return [line for part in render_parts(table, words, width, last) for line in part]


def render_parts(table: GameTable, words: Words, width: int, last: int) -> list[list[Text]]:
    """The lines of `render_table`: what belongs to all, then a list for each player."""
    labels = words.cards if width >= _SPACIOUS else words.short
    look = _Look(words, {**labels, "risk": words.short["risk"]}, width)
    head = [_format_heading(table, words, last), *pack(_format_display(table, look), width, indent=0)]
    return [head, *(_format_seat(table, seat, name, look) for seat, name in enumerate(name_seats(table, words)))]


def render_legend(words: Words) -> list[Text]:
    signs = (BUSINESSMAKER, BUSINESSMAKER + HIDDEN, words.short["risk"], ON_TURN, MARK)
    meanings = read(words.language, "terminal").signs
    return [Text(f"{sign:<{_INDENT}}{meaning}") for sign, meaning in zip(signs, meanings, strict=True)]


def show_card(card: Card, words: Words) -> Text:
    """The card's letters in its colour."""
    return _Look(words, words.short, 0).card(card)


def _format_heading(table: GameTable, words: Words, last: int) -> Text:
    text = Text(f"{words.terms['version']} {table.version}/{last}", "bold")
    if table.status in {"playing", "scoring"} and table.turn:
        text.append(f"  {words.terms['turn']} {table.turn}, {words.points(table.action_points)}", "not bold")
    if table.status == "scoring":
        scored = min(len(table.rounds) + 1, len(table.rules.scoring_at))  # the last one until GameEnded
        text.append(f"  {words.terms['scoring round']} {scored}", "bold reverse")
    return text


def _format_display(table: GameTable, look: _Look) -> Iterable[Text]:
    words, terms = look.words, look.words.terms
    display = [look.card(card, "\u2013") for card in table.display]
    yield Text(" ").join([Text(terms["display"] + words.colon.rstrip()), *display])
    if table.draw_pile is not None:
        yield Text(f"{terms['draw pile']}{words.colon}{table.draw_pile}")
    rounds, scoring_at = len(table.rounds), table.rules.scoring_at
    threshold = f" \u2192{scoring_at[rounds]}" if rounds < len(scoring_at) else ""
    yield Text(f"{terms['reibach cards']}{words.colon}{table.revealed}{threshold}")


def _format_seat(table: GameTable, seat: int, name: str, look: _Look) -> list[Text]:
    place, words, width = table.seats[seat], look.words, look.width
    on_turn = table.turn_seat == seat and table.turn > 0 and table.status != "over"
    won = table.winners is not None and seat in table.winners
    label = Text(name, "bold" if on_turn or won else "")
    label.truncate(max(width - _TOTAL, 1), overflow="ellipsis")
    head = Text.assemble((f"{ON_TURN if on_turn else MARK if won else ' '} ", "bold"), label)
    head.append(f"  {words.money(place.total)}")
    tokens = [head]
    if won:
        tokens.append(Text(words.terms["winner" if table.winners == [seat] else "winners"]))
    rows = [_format_row(row, look) for row in place.rows]
    return [*pack([*tokens, *_format_hand(place, look)], width, indent=0), *pack(rows, width)]


def _format_hand(place: TableSeat, look: _Look) -> list[Text]:
    known = in_canonical_order([card for card in place.hand if card is not None])
    hidden = len(place.hand) - len(known)
    tokens = [Text(f"{look.words.terms['hand']}{look.words.colon}{len(place.hand)}")] if place.hand else []
    tokens += [look.card(card) for card in known]
    return tokens + ([Text(" ".join(HIDDEN * hidden))] if hidden and known else [])


def _format_row(row: TableRow, look: _Look) -> Text:
    """The row's business and length, a risk card that closes it, then its businessmaker, which doubles nothing."""
    maker = HIDDEN if row.businessmaker is None else look.words.short[row.businessmaker]
    text = Text() if row.business is None else look.card(row.business, more=f"{row.length} ")
    if row.closed:
        text.append_text(look.card("risk"))
    return text.append(f"{BUSINESSMAKER}{maker}")


def pack(tokens: Iterable[Text], width: int, indent: int = _INDENT) -> list[Text]:
    """Lines of at most `width` columns with as many tokens as fit, none broken; `indent`: columns before the first."""
    lines: list[Text] = []
    for token in tokens:
        if not lines or lines[-1].cell_len + len(_GAP) + token.cell_len > width:
            lines.append(Text(" " * (_INDENT if lines else indent)))
        else:
            lines[-1].append(_GAP)
        lines[-1].append_text(token)
    return lines
