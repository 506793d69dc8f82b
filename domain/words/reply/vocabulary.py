"""The words of answer mails in all languages, folded so that case and accents don't matter."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from domain.cards import HAND_CARDS
from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import words_of

_DROPPED: Final = frozenset({"Mn", "Cf"})
"""Categories of accents, and of characters that show nothing."""
_TOKEN: Final = re.compile(r"(?<![^\W_])[-+\u2212]\d+|[^\W_]+|(?<=\d) ?\(")
"""A word or a number, or the bracket in `take 2 (gold)`. A number with a sign of its own is neither."""
_NUMBER_SIGN: Final = re.compile(r"\b(?:no\.|nr\.?|n\u00b0) ?(?=[0-9])")
"""`no. 2`, but not `no 2`: that is a refusal."""


Role = Enum(
    "Role",
    "TAKE DRAW LAY APPEND PLAY ROW MAKER NEW DISPLAY PLACE PILE UP DOWN SEVERAL ONTO ON THERE WITH FILLER WISH PLEASE "
    "POLITE YES NAMELY CARD ROW_OF NUMBER SPOT WORD",
)
"""What a word does in an action; `reply.toml` explains them. Other words make a clause incomprehensible.

The last five come with a value.
"""


class Term(NamedTuple):
    role: Role
    value: Any = None
    """A card; the business of a row; a number; a place, as `the left one`; a name among WORDS."""


VERBS: Final = frozenset({Role.TAKE, Role.DRAW, Role.LAY, Role.APPEND, Role.PLAY})
NOUNS: Final = frozenset(
    map(Role.__getitem__, ["ROW", "MAKER", "NEW", "DISPLAY", "PLACE", "PILE", "UP", "DOWN", "SEVERAL", "SPOT", "THERE"])
)
COURTESIES: Final = frozenset({Role.PLEASE, Role.POLITE, Role.YES})
_VALUED: Final = {"cards": Role.CARD, "numbers": Role.NUMBER, "spots": Role.SPOT, "words": Role.WORD}
"""Tables of the file: their keys are values."""
Vocabulary: TypeAlias = Mapping[tuple[str, ...], Term]
"""By their words."""


class Lexicon:
    """All languages; a clause is tried in each, and what stands around actions may be in any."""

    def __init__(self, languages: Sequence[str]) -> None:
        tables = {language: read(language, "reply") for language in languages}
        self.vocabularies = [_make_vocabulary(language) for language in languages]
        self.acts, self.verbs, self.cards = (
            {word for each in self.vocabularies for (word, *_), term in each.items() if term.role in roles}
            for roles in (VERBS, VERBS - {Role.PLAY}, {Role.CARD})
        )
        """First words of terms; the verbs mean nothing but an action."""
        self.longest_term = max(len(name) for each in self.vocabularies for name in each)
        """In words."""
        self.months = [(fold(name), number) for table in tables.values() for number, name in enumerate(table.months, 1)]
        lists = {name for name, part in tables[languages[0]].items() if isinstance(part, tuple)} - {"keyboard"}
        words = {
            name: [spelt for each, table in tables.items() for text in table[name] for spelt in _spell(text, each)]
            for name in lists
        }
        terms = chain.from_iterable(self.vocabularies)
        self.known = {*chain.from_iterable(terms), *chain.from_iterable(map(tokens_of, chain(*words.values())))}
        """All words: what has one of them may say more than a name."""
        any_of = {name: _any_of(each) for name, each in words.items()}
        phrases = ({tokens_of(text) for text in words[name]} for name in ("vacations", "untils", "aways"))
        self.vacations, self.untils, self.aways = phrases
        self.vacations_by_name = {word for table in tables.values() for word in table.words["vacation"]}
        self.absence = re.compile(rf"\b{_any_of(text for text in words['aways'] if len(text) > 5)}\b")
        self.greetings = set(words["greetings"])
        self.doubts = set(words["doubts"])
        """Words that no greeting and no farewell has."""
        self.retracts = set(words["retracts"])
        """Of these, what takes an action back by itself; others do beside a verb."""
        notes = [text for table in tables.values() for text in table.words["note"]]
        self.texts = {
            word: re.compile(rf"\s*{_any_of(sorted(each, key=len, reverse=True))}(?:\s*:|\b)\s*", re.IGNORECASE)
            for word, each in {
                "say": {*words["says"], *(text for table in tables.values() for text in table.says)},
                "note": notes,
            }.items()
        }
        """By word, what a line has before the text that the word takes; not folded."""
        self.sent = set(words["sent"])
        """The first or last word of a line that a program adds."""
        self.platforms = set(words["platforms"])
        """Names of devices and programs in such a line."""
        self.gateway = re.compile(rf"\b{any_of['gateways']}")
        """The beginning of a word that a company's text has below each mail, and hardly a player's."""
        self.banners = re.compile(rf"\W*{any_of['banners']}")
        self.farewell = re.compile(rf"\b{_any_of(' '.join(tokens_of(text)) for text in words['farewells'])}\b")
        self.separator = re.compile(rf"[,;&!]|\.(?=\s|$)(?!\s+{any_of['counted']}\b)|\b{any_of['ands']}\b")
        """Between two clauses of a line."""
        named = [(name[0], term.role) for each in self.vocabularies for name, term in each.items() if len(name) == 1]
        acts = _any_of(word for word, role in named if role in VERBS - {Role.DRAW})
        self.adverb = re.compile(
            rf"\b({acts}|i ?['\u2019]ll|i will) {any_of['ands']} (?=\w)|^\W*first,? (?=(?:i|{acts})\b)"
        )
        """`leg dann` and `I'll then`: the word is none between two clauses; in `first I take` it is no place."""
        self.number = re.compile(rf"([0-9]{{1,3}}){any_of['ordinals']}?")
        """Also an ordinal: `2nd`, `2e`, `2de`."""
        hands = _any_of(fold(read(language, "mail").headings["hand"]) for language in languages)
        self.hand = re.compile(rf"\b{hands}\b[^.!?]{{1,40}}\b{_any_of(self.cards)}\b")
        """What this service's mails say of a hand, also in one line with what stands around it there."""
        devices = any_of["devices"].replace(re.escape("{device}"), ".{1,40}")
        devices += f"|(?:{'|'.join(line for language in languages for line in _lines_of_mails(language))}) ?:?$"
        self.beginning = re.compile(
            rf"\w{{0,4}}[>|]|[-_=*]{{5,}}|--+ ?{any_of['forwarded']}|\*?{any_of['senders']} ?:|{devices}"
        )
        """Of a line below which nothing is the sender's own text."""
        self.wrote = re.compile(rf"\b{any_of['wrote']}\b")
        """Of a line that may introduce a quotation."""


def lexicon() -> Lexicon:
    return _make_lexicon(tuple(LANGUAGES))


_make_lexicon: Final = cache(Lexicon)


def fold(text: str) -> str:
    """The text in lower case without accents: `Öl` as `ol`, `ß` as `ss`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if unicodedata.category(character) not in _DROPPED)


def clauses_of(folded: str) -> list[str]:
    """The parts of a line that may each be an action."""
    return lexicon().separator.split(lexicon().adverb.sub(r"\1 ", _NUMBER_SIGN.sub("", folded)))


def tokens_of(folded: str) -> tuple[str, ...]:
    """The words and numbers of a folded text, without what stands between them."""
    return tuple(map(str.strip, _TOKEN.findall(_NUMBER_SIGN.sub("", folded))))


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"


def _lines_of_mails(language: str) -> list[str]:
    """Patterns of lines that mails of this service have, and people hardly write: the first of each, and others."""
    mail = read(language, "mail")
    parts = (mail.headlines, mail.requests, mail.own, mail.absence, mail.headings)
    texts = [text for part in parts for text in part.values() if len(text) > 18]  # `Welcome back!` anyone may write
    texts += ["Reibach & Co.", mail.headings["hand"], mail.headings["actions"]]
    texts += [mail.links["game"], mail.links["unsubscribe"]]
    return [re.sub(r"\\{\w+\\}", ".{1,80}", re.escape(fold(text))) for text in texts]


def _make_vocabulary(language: str) -> Vocabulary:
    table, cards = read(language, "reply"), words_of(language).cards
    named = [(cards[card], Term(Role.CARD, card)) for card in HAND_CARDS]
    named += [(word, Term(Role[role.upper()])) for role, words in table.roles.items() for word in words]
    for part, role in _VALUED.items():
        for value, words in table[part].items():
            term = Term(role, int(value) if value.isdecimal() else value)
            named += [(word, term) for word in words]
    of_cards = [(name, term.value) for name, term in named if term.role is Role.CARD]
    named += [(f"{name}{table.counted[0]}", Term(Role.CARD, card)) for name, card in of_cards]
    for row in table.roles.row:
        forms = (f"{{}}{row}", f"{{}} {row}", f"{row} {{}}")
        named += [(form.format(name), Term(Role.ROW_OF, card)) for name, card in of_cards for form in forms]
    terms = {tokens_of(spelling): term for name, term in named for spelling in _spell(name, language)}
    return terms | {("(",): Term(Role.NAMELY)}


def _spell(text: str, language: str) -> set[str]:
    """The folded text in each spelling: also in those of keyboards that lack its letters."""
    typed = text.casefold()
    for letter, letters in read(language, "reply").keyboard:
        typed = typed.replace(letter, letters)
    return {fold(text), fold(typed)}
