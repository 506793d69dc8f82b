"""What one language needs to speak of a game, and how its sentences are put together.

Rule 1: a template is the house's own text; what fills it is never read as one, so a player may be called `{card}`.
Rule 2: no sentence asks for a player's gender, and no template puts an article or a preposition that would have to
change with the name or card behind it.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.cards import Card

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_UNWANTED = frozenset({"Cc", "Zl", "Zp"})
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str) -> str:
    """A player's text on one line, without characters that would turn the direction of what stands around it."""
    return "".join(
        " " if unicodedata.category(character) in _UNWANTED else character
        for character in text
        if character not in _BIDI_CONTROLS
    )


def isolated(text: str) -> str:
    """`plain` text for the middle of a sentence; where it runs from right to left, it keeps that to itself."""
    text = plain(text)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text


def labels(names: Sequence[str | None], open_seat: str) -> list[str]:
    """What to call each seat: its name; alike ones are numbered from 1, as `greedy (2)`."""
    shown = [open_seat if name is None else plain(name) for name in names]
    return [
        f"{name} ({shown[: seat + 1].count(name)})" if shown.count(name) > 1 and names[seat] is not None else name
        for seat, name in enumerate(shown)
    ]


def number(value: int, *, signed: bool = False) -> str:
    """A whole number with a true minus sign; `signed` also gives gains their plus."""
    sign = "\u2212" if value < 0 else "+" if signed and value else ""
    return f"{sign}{abs(value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language."""

    language: str
    """Its code (BCP 47)."""
    cards: Mapping[Card, str]
    """The names of businesses and cards, as the project's table has them."""
    short: Mapping[Card, str]
    """Two or three letters for each card, no two alike: where colour can't be the only sign."""
    terms: Mapping[str, str]
    """Words and short phrases for tables and pages."""
    clauses: Mapping[str, str]
    """Templates: an event's type, perhaps with a case after a full stop -> what it says."""
    millions: tuple[str, str]
    """Behind one, behind several."""
    action_points: tuple[str, str]
    """Behind one, behind several."""
    none_is_one: bool
    """Whether 0 takes the form of 1."""
    last_and: str
    """Between the last two of a list."""
    semicolon: str
    """Between two clauses, with the space that belongs to it."""
    quotes: tuple[str, str]
    colon: str
    """With the spaces that belong to it."""

    def money(self, millions: int, *, signed: bool = False) -> str:
        """An amount in whole millions: `11 million`."""
        return f"{number(millions, signed=signed)}\u00a0{self._form(self.millions, millions)}"

    def points(self, count: int) -> str:
        """So many action points."""
        return f"{number(count)}\u00a0{self._form(self.action_points, count)}"

    def several(self, parts: Sequence[str]) -> str:
        """`a`, `a and b`, `a, b and c`."""
        *first, last = parts
        return f"{', '.join(first)}{self.last_and}{last}" if first else last

    def quoted(self, text: str) -> str:
        """The text in quotation marks; its line breaks stay."""
        opening, closing = self.quotes
        return opening + "\n".join(isolated(line) for line in text.splitlines()) + closing

    def sentence(self, clauses: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Clauses, each the name of a template and what fills it, as one sentence."""
        said = [self.clauses[name].format(**values) for name, values in clauses]
        # A name keeps its own first letter; a word of ours gets a capital.
        if not self.clauses[clauses[0][0]].startswith("{"):
            said[0] = said[0][0].upper() + said[0][1:]
        whole = self.semicolon.join(said)
        return whole if whole.endswith((".", self.quotes[1])) else f"{whole}."

    def _form(self, forms: tuple[str, str], count: int) -> str:
        return forms[0] if abs(count) == 1 or (count == 0 and self.none_is_one) else forms[1]
