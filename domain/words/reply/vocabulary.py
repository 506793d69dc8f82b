"""The words of answer mails in all languages, folded so that case and accents don't matter."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Final

from domain.cards import HAND_CARDS, Card
from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import words_of

_DROPPED: Final = frozenset({"Mn", "Cf"})
"""Categories of accents, and of characters that show nothing."""
_TOKEN: Final = re.compile(r"(?<![^\W_])[-+\u2212]\d+|[^\W_]+")
"""A word or a number. A number with a sign of its own is neither."""
_NUMBER_SIGN: Final = re.compile(r"\b(?:no\.|nr\.?|n\u00b0) ?(?=[0-9])")
"""`no. 2`, but not `no 2`: that is a refusal."""


class Role(Enum):
    """What a word does in an action; `reply.toml` explains them. Other words make a clause incomprehensible."""

    TAKE = auto()
    DRAW = auto()
    LAY = auto()
    APPEND = auto()
    ROW = auto()
    MAKER = auto()
    DISPLAY = auto()
    PLACE = auto()
    PILE = auto()
    ONTO = auto()
    ON = auto()
    FILLER = auto()
    POLITE = auto()


VERBS: Final = frozenset({Role.TAKE, Role.DRAW, Role.LAY, Role.APPEND})
NOUNS: Final = frozenset({Role.ROW, Role.MAKER, Role.DISPLAY, Role.PLACE, Role.PILE})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    roles: Mapping[str, Role]
    cards: Mapping[tuple[str, ...], Card]
    """Names of one to four words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """All languages; a clause is tried in each, and what stands around actions may be in any."""

    vocabularies: Sequence[Vocabulary]
    verbs: frozenset[str]
    longest_name: int
    """Words of a card's name."""
    greetings: frozenset[str]
    farewells: frozenset[tuple[str, ...]]
    separator: re.Pattern[str]
    """Between two clauses of a line."""
    number: re.Pattern[str]
    """Also an ordinal: `2nd`, `2e`, `2de`."""
    beginning: re.Pattern[str]
    """Of a line below which nothing is the sender's own text."""
    opening: re.Pattern[str]
    """Of a line that may introduce a quotation."""
    wrote: re.Pattern[str]
    """What such a line has, too."""


def lexicon() -> Lexicon:
    return _make_lexicon(tuple(LANGUAGES))


def fold(text: str) -> str:
    """The text in lower case without accents: `Öl` as `ol`, `ß` as `ss`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if unicodedata.category(character) not in _DROPPED)


def tokens_of(folded: str) -> tuple[str, ...]:
    """The words and numbers of a folded text, without what stands between them."""
    return tuple(_TOKEN.findall(_NUMBER_SIGN.sub("", folded)))


@cache
def _make_lexicon(languages: Sequence[str]) -> Lexicon:
    vocabularies = [_make_vocabulary(language) for language in languages]
    words = {
        name: [spelling for each in languages for text in read(each, "reply")[name] for spelling in _spell(text, each)]
        for name in ("ands", "ordinals", "greetings", "farewells", "opens", "wrote", "senders", "forwarded", "devices")
    }
    devices = _any_of(words["devices"]).replace(re.escape("{device}"), ".{1,40}")
    return Lexicon(
        vocabularies=vocabularies,
        verbs=frozenset(word for each in vocabularies for word, role in each.roles.items() if role in VERBS),
        longest_name=max(len(name) for each in vocabularies for name in each.cards),
        greetings=frozenset(words["greetings"]),
        farewells=frozenset(map(tokens_of, words["farewells"])),
        separator=re.compile(rf"[,;&]|\b{_any_of(words['ands'])}\b"),
        number=re.compile(rf"([0-9]{{1,3}}){_any_of(words['ordinals'])}?"),
        beginning=re.compile(
            rf">|[-_=*]{{5,}}|--+ ?{_any_of(words['forwarded'])}|\*?{_any_of(words['senders'])} ?:|{devices}"
        ),
        opening=re.compile(f"{_any_of(words['opens'])} "),
        wrote=re.compile(rf"\b{_any_of(words['wrote'])}\b"),
    )


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"


def _make_vocabulary(language: str) -> Vocabulary:
    table = read(language, "reply")
    roles = {
        spelling: Role[role.upper()]
        for role, words in table.roles.items()
        for word in words
        for spelling in _spell(word, language)
    }
    cards = {
        tokens_of(spelling): card
        for card in HAND_CARDS
        for name in (words_of(language).cards[card], *table.cards[card])
        for spelling in _spell(name, language)
    }
    return Vocabulary(roles, cards)


def _spell(text: str, language: str) -> set[str]:
    """The folded text, also as other keyboards have it."""
    typed = text.casefold()
    for letter, letters in read(language, "reply").keyboard:
        typed = typed.replace(letter, letters)
    return {fold(text), fold(typed)}
