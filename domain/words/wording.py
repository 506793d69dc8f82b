"""The words of one language. `sentence.py` makes sentences of them.

Rule 1: only the project's own texts are templates. A value that fills one is never parsed, so a player may be called
`{card}`.
Rule 2: no sentence depends on a player's gender. No template has an article, or a word that is elided before a vowel,
in front of a name or a card: a card in a sentence brings its own article (`Words.spoken`).
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.cards import Card

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_LINE_BREAKS_AND_CONTROLS = frozenset({"Cc", "Zl", "Zp"})
_UNITS = ((24 * 3600, "d"), (3600, "h"), (60, "min"), (1, "s"))
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def strip_controls(text: str) -> str:
    """A player's text on one line, without control characters and those that change the direction of text."""
    return "".join(
        " " if unicodedata.category(character) in _LINE_BREAKS_AND_CONTROLS else character
        for character in text
        if character not in _BIDI_CONTROLS
    )


def isolate(text: str) -> str:
    """The text, without control characters, for the middle of a sentence; right-to-left text is isolated (U+2068)."""
    text = strip_controls(text)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text


def label_seats(names: Sequence[str | None], open_seat: str) -> list[str]:
    """A label for each seat: its name; equal names are numbered from 1, as `greedy (2)`."""
    texts = [open_seat if name is None else strip_controls(name) for name in names]
    return [
        f"{name} ({texts[: seat + 1].count(name)})" if texts.count(name) > 1 and names[seat] is not None else name
        for seat, name in enumerate(texts)
    ]


def capitalise(text: str) -> str:
    """The text with a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def format_number(value: int, *, signed: bool = False) -> str:
    """A whole number with a true minus sign (U+2212); `signed`: a plus before positive ones."""
    sign = "\u2212" if value < 0 else "+" if signed and value else ""
    return f"{sign}{abs(value)}"


def format_duration(seconds: int) -> str:
    """A duration by its two largest units, whose signs are the same in all languages: `2 d 4 h`, `35 min`, `0 s`."""
    for unit, (length, sign) in enumerate(_UNITS):
        if seconds >= length:
            rest, small = seconds % length, _UNITS[unit + 1 : unit + 2]
            parts = [f"{seconds // length}\u00a0{sign}"]
            parts += [f"{rest // one}\u00a0{its}" for one, its in small if rest >= one]
            return "\u00a0".join(parts)
    return "0\u00a0s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language."""

    language: str
    """Its code (BCP 47)."""
    cards: Mapping[Card, str]
    """The names of businesses and cards, as labels."""
    spoken: Mapping[Card, str]
    """Each hand card as the object of a sentence, with its article."""
    several: Mapping[Card, str]
    """Likewise for more than one of them: a template with `{count}`, a word of `numerals`."""
    short: Mapping[Card, str]
    """One to three letters for each card, no two alike, so that colour isn't the only sign (`appearance.py`)."""
    terms: Mapping[str, str]
    """Words and short phrases for tables and pages."""
    clauses: Mapping[str, str]
    """Templates: an event's type, for some with cases after a full stop -> its clause. `sentence.py` fills them."""
    millions: tuple[str, str]
    """Singular and plural."""
    action_points: tuple[str, str]
    """Singular and plural."""
    losses: Mapping[str, tuple[str, str]]
    """By penalty of the score sheet: what it is paid for, singular and plural."""
    variants: Mapping[str, str]
    """By variant of the rules: what it changes."""
    numerals: tuple[str, ...]
    """Two to nine: there are nine cards of a business."""
    none_is_one: bool
    """Whether 0 takes the singular."""
    last_and: str
    """Between the last two items of a list."""
    semicolon: str
    """Between two clauses, with its space."""
    quotes: tuple[str, str]
    colon: str
    """With its spaces."""
    date: str
    """The format of a date, for `time.strftime`."""
    separator: str
    """Between two fields of CSV, as the spreadsheets of the language's countries expect it."""

    def money(self, millions: int, *, signed: bool = False) -> str:
        """An amount in whole millions: `11 million`."""
        return f"{format_number(millions, signed=signed)}\u00a0{self._form(self.millions, millions)}"

    def points(self, count: int) -> str:
        """A number of action points: `2 action points`."""
        return f"{format_number(count)}\u00a0{self._form(self.action_points, count)}"

    def join(self, parts: Sequence[str]) -> str:
        """`a`, `a and b`, `a, b and c`."""
        *first, last = parts
        return f"{', '.join(first)}{self.last_and}{last}" if first else last

    def quote(self, text: str) -> str:
        """The text in quotation marks, with its line breaks."""
        opening, closing = self.quotes
        return opening + "\n".join(isolate(line) for line in text.splitlines()) + closing

    def list_cards(self, cards: Sequence[Card]) -> str:
        """Cards as the object of a sentence, equal ones together: `Art and two Gold cards`."""
        return self.join([self._count_card(card, number) for card, number in Counter(cards).items()])

    def count_losses(self, penalty: str, number: int) -> str:
        """What so many losses of a kind were for: `2 empty businessmakers`."""
        return f"{format_number(number)}\u00a0{self._form(self.losses[penalty], number)}"

    def spell(self, number: int) -> str:
        """The number as a word, from two to nine; others in digits."""
        index = number - 2
        return self.numerals[index] if 0 <= index < len(self.numerals) else format_number(number)

    def _count_card(self, card: Card, number: int) -> str:
        return self.spoken[card] if number == 1 else self.several[card].format(count=self.spell(number))

    def _form(self, forms: tuple[str, str], count: int) -> str:
        return forms[0] if abs(count) == 1 or (count == 0 and self.none_is_one) else forms[1]
