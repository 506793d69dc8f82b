"""The words of an answer mail in each language, and how they are folded so that case and accents don't matter."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from domain.cards import HAND_CARDS, Card
from domain.words import WORDS
from domain.words.reply.tables import ALIASES, FAREWELLS, GREETINGS, ROLES

_DROPPED: Final = frozenset({"Mn", "Cf"})
"""Categories of accents, and of characters that show nothing."""
_TOKEN: Final = re.compile(r"(?<![^\W_])[-+\u2212]\d+|[^\W_]+")
"""A word or a number. A number with a sign of its own is neither."""
_NUMBER_SIGN: Final = re.compile(r"\b(?:no\.|nr\.?|n\u00b0) ?(?=[0-9])")
"""`no. 2`, but not `no 2`: that is a refusal."""
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class Role(Enum):
    """What a word does in an action. Other words make a clause incomprehensible."""

    TAKE = auto()
    DRAW = auto()
    LAY = auto()
    APPEND = auto()
    ROW = auto()
    MAKER = auto()
    """The businessmaker."""
    DISPLAY = auto()
    PLACE = auto()
    """One of the display."""
    PILE = auto()
    ONTO = auto()
    """Makes an append of a verb for laying: `lege Gold an`."""
    ON = auto()
    """Does so if a number follows: `lay gold on row 1`."""
    FILLER = auto()
    POLITE = auto()


VERBS: Final = frozenset({Role.TAKE, Role.DRAW, Role.LAY, Role.APPEND})
NOUNS: Final = frozenset({Role.ROW, Role.MAKER, Role.DISPLAY, Role.PLACE, Role.PILE})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One language; all words folded."""

    roles: Mapping[str, Role]
    cards: Mapping[tuple[str, ...], Card]
    """Names of one to four words."""


def fold(text: str) -> str:
    """The text in lower case without accents: `Öl` as `ol`, `ß` as `ss`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if unicodedata.category(character) not in _DROPPED)


def tokens_of(folded: str) -> tuple[str, ...]:
    """The words and numbers of a folded text, without what stands between them."""
    return tuple(_TOKEN.findall(_NUMBER_SIGN.sub("", folded)))


def _spellings(text: str, language: str) -> Iterator[str]:
    """The folded text; for German also with `oe` for `ö`."""
    yield fold(text)
    if language == "de":
        yield fold(text.casefold().translate(_UMLAUTS))


def _make_vocabulary(language: str) -> Vocabulary:
    roles = {
        word: Role[role]
        for role, words in ROLES[language].items()
        for spelling in _spellings(words, language)
        for word in spelling.split()
    }
    cards = {
        tokens_of(spelling): card
        for card in HAND_CARDS
        for name in (WORDS[language].cards[card], *ALIASES[language].get(card, "").split(", "))
        if name
        for spelling in _spellings(name, language)
    }
    return Vocabulary(roles, cards)


def _fold_all(words: str) -> frozenset[str]:
    return frozenset(word for spelling in _spellings(words, "de") for word in spelling.split())


VOCABULARIES: Final = tuple(_make_vocabulary(language) for language in ROLES)
VERB_WORDS: Final = frozenset(word for each in VOCABULARIES for word, role in each.roles.items() if role in VERBS)
"""Of all languages."""
GREETING_WORDS: Final = _fold_all(GREETINGS)
"""The first words of a greeting."""
FAREWELL_WORDS: Final = _fold_all(FAREWELLS)
"""Words of a line after which only a signature follows."""
