"""The game's words in one language. `sentence.py` makes sentences of them.

Rule 1: only the project's own texts are templates. A value that fills one is never parsed, so a player may be called
`{card}`.
Rule 2: no sentence depends on a player's gender. No template has an article, or a word that is elided before a vowel,
in front of a name or a card: a card in a sentence brings its own article (`Words.spoken`).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from domain.cards import Card
from domain.words.catalogue import TextTable, read

_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What Unicode calls ignorable, after NFKC."""
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_LINE_BREAKS_AND_CONTROLS = frozenset({"Cc", "Zl", "Zp"})
_UNITS = (24 * 3600, 3600, 60, 1)
_NO_TERMS: Final = {"open seat": "", "seat": "#{number}", "bot": "{player} (bot)"}
BOT_NAMES: Final = ("Berta", "Emil", "Frida", "Hugo", "Ida", "Otto", "Klara", "Oskar", "Wilma")
"""What bots are called at a table, in their seats' order: the first names there that no person has."""
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def strip_controls(text: str) -> str:
    """A player's text on one line, without control characters and those that change the direction of text."""
    kept = (sign for sign in text if sign not in _BIDI_CONTROLS)
    return "".join(" " if unicodedata.category(sign) in _LINE_BREAKS_AND_CONTROLS else sign for sign in kept)


def isolate(text: str) -> str:
    """The text, without control characters, for the middle of a sentence; right-to-left text is isolated (U+2068)."""
    text = strip_controls(text)
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return f"\u2068{text}\u2069"
    return text


class Named(Protocol):
    """A seat, as far as its label goes; its name is None where it is open, and empty where it was erased."""

    name: str | None
    bot: str | None


def label_seats(seats: Sequence[Named], terms: Mapping[str, str] = _NO_TERMS) -> list[str]:
    """A label for each seat: its name; equal looks are numbered from 1, as `Anna (2)`, an erased one by its seat.

    `terms`: those of a language; without them, as for games that have started, an open seat is empty.
    """
    people = {_look_of(seat.name or "").casefold() for seat in seats if not seat.bot}
    free = (name for name in BOT_NAMES if name.casefold() not in people)
    names = [terms["bot"].format(player=next(free)) if seat.bot else seat.name for seat in seats]
    texts = [
        terms["open seat"] if name is None else strip_controls(name) or terms["seat"].format(number=seat)
        for seat, name in enumerate(names, 1)
    ]
    looks = [_look_of(text) for text in texts]
    return [
        f"{name} ({looks[: seat + 1].count(looks[seat])})"
        if looks.count(looks[seat]) > 1 and names[seat] is not None
        else name
        for seat, name in enumerate(texts)
    ]


def _look_of(name: str) -> str:
    """The name in one normal form (NFKC), without what isn't seen of it, as `lookOf` of the page."""
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", name)).split())


def capitalise(text: str) -> str:
    """The text with a capital first letter; the others stay as they are."""
    return text[:1].upper() + text[1:]


def format_number(value: int, *, signed: bool = False) -> str:
    """A whole number with a true minus sign (U+2212); `signed`: a plus before positive ones."""
    sign = "\u2212" if value < 0 else "+" if signed and value else ""
    return f"{sign}{abs(value)}"


class Reader(str):
    """What the reader of a sentence is called in it as its subject: the verb has another form then."""

    __slots__ = ()


class Words(TextTable):
    """The file `game.toml` of one language, and the grammar over its words."""

    cards: Mapping[Card, str]
    clauses: Mapping[str, str]
    to_you: Mapping[str, str]
    quotes: tuple[str, str]

    def __init__(self, language: str, zone: str) -> None:
        super().__init__(read(language, "game"), f"{language}/game.toml")
        self.language: Final = language
        self.zone: Final = zone
        """By whose clocks times are told."""

    def money(self, millions: int, *, signed: bool = False) -> str:
        """An amount in whole millions: `11 million`."""
        return f"{format_number(millions, signed=signed)}\u00a0{self._form(self.millions, millions)}"

    def points(self, count: int) -> str:
        """A number of action points: `2 action points`."""
        return f"{format_number(count)}\u00a0{self._form(self.action_points, count)}"

    def duration(self, seconds: int) -> str:
        """A duration by its two largest units: `2 d 4 h`, `35 min`, `0 s`."""
        rests = (seconds, *(seconds % length for length in _UNITS))
        first = next((place for place, length in enumerate(_UNITS) if seconds >= length), 3)
        shown = [first, *(place for place in range(first + 1, min(first + 2, 4)) if rests[place] >= _UNITS[place])]
        return "\u00a0".join(f"{rests[place] // _UNITS[place]}\u00a0{self.units[place]}" for place in shown)

    def join(self, parts: Sequence[str], last_mark: str | None = None) -> str:
        """`a`, `a and b`, `a, b and c`; `last_mark`: what stands in place of "and", with its spaces."""
        *first, last = parts
        return f"{', '.join(first)}{last_mark or self.last_and}{last}" if first else last

    def name_seats(self, seats: Sequence[Named], reader: int | None = None) -> list[str]:
        """The seats' labels, for the middle of a sentence; that of the reader's seat is a `Reader`."""
        labels = [isolate(label) for label in label_seats(seats, self.terms)]
        return [Reader(self.you) if seat == reader else label for seat, label in enumerate(labels)]

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

    def date_of(self, moment: datetime) -> str:
        """With its weekday."""
        return moment.strftime(self.date.replace("%A", self.weekdays[moment.weekday()]))

    def time_of(self, milliseconds: int) -> str:
        """A time in ms since 1970, by the clocks of the zone: `Saturday, 2026-12-05, 08:50 CET`."""
        moment = self.clock(milliseconds)
        return f"{self.date_of(moment)}, {moment:%H:%M %Z}"

    def clock(self, milliseconds: int) -> datetime:
        return datetime.fromtimestamp(milliseconds // 1000, ZoneInfo(self.zone))

    def _count_card(self, card: Card, number: int) -> str:
        text: str = self.spoken[card] if number == 1 else self.several[card].format(count=self.spell(number))
        return text

    def _form(self, forms: TextTable, count: int) -> str:
        is_one = abs(count) == 1 or (count == 0 and self.none_is_one)
        text: str = forms.one if is_one else forms.other
        return text


@cache
def words_of(language: str, zone: str = "UTC") -> Words:
    return Words(language, zone)
