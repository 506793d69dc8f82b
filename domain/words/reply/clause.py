"""One clause of an answer mail: an action in one of the languages, or what it lacks."""

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from domain.cards import Card
from domain.commands import Append, Draw, LayBusinessmaker, Take, TakeCard, Wish
from domain.rules import NEWEST
from domain.words.reply.vocabulary import NOUNS, VERBS, Lexicon, Role, Vocabulary, lexicon, tokens_of

EXPECTED: Final = {
    Role.TAKE: "reply.take",
    Role.DRAW: "reply.draw",
    Role.LAY: "reply.lay",
    Role.APPEND: "reply.append",
}
"""The sentence that says how such an action is written."""


@dataclass(slots=True)
class _Parts:
    roles: set[Role] = field(default_factory=set)
    cards: list[Card] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    unknown: bool = False
    """Whether a word is none of the language's."""

    @property
    def verb(self) -> Role | None:
        """The kind of action; None where there is none or more than one."""
        verbs = self.roles & VERBS
        if verbs <= {Role.LAY, Role.APPEND} and Role.LAY in verbs and self._is_onto:
            return Role.APPEND
        return next(iter(verbs)) if len(verbs) == 1 else None

    @property
    def _is_onto(self) -> bool:
        return Role.ONTO in self.roles or (Role.ON in self.roles and bool(self.numbers))


def read_clause(folded: str) -> Wish | str:
    """The action that a folded clause means, or the name of the sentence that says what was expected.

    Every language is tried. A clause that two languages understand differently is not understood.
    """
    if "?" in folded:  # a question is no order
        return "reply.unknown"
    tokens = tokens_of(folded)
    wishes: set[Wish] = set()
    lacks: list[tuple[bool, Role]] = []
    for parts in _take_apart(tokens):
        if wish := _understand(parts):
            wishes.add(wish)
        elif parts.verb:
            lacks.append((parts.unknown, parts.verb))
    if len(wishes) == 1:
        return wishes.pop()
    if wishes or not lacks:
        return "reply.unknown"
    _, verb = min(lacks, key=itemgetter(0))  # a language that knows every word of it, if there is one
    return EXPECTED[verb]


def is_polite(tokens: tuple[str, ...]) -> bool:
    """Whether the words are a courtesy in one of the languages, and nothing else."""
    for vocabulary in lexicon().vocabularies:
        roles = {vocabulary.roles.get(token) for token in tokens}
        if Role.POLITE in roles and roles <= {Role.POLITE, Role.FILLER}:
            return True
    return False


def is_fragment(tokens: tuple[str, ...]) -> bool:
    """Whether the words could be a part of an action: cards or numbers, and only words of one language."""
    return any((parts.cards or parts.numbers) and not parts.unknown for parts in _take_apart(tokens))


def _take_apart(tokens: tuple[str, ...]) -> list[_Parts]:
    """What the clause consists of, by language."""
    words = lexicon()
    return [_read_in(vocabulary, tokens, words) for vocabulary in words.vocabularies]


def _read_in(vocabulary: Vocabulary, tokens: tuple[str, ...], words: Lexicon) -> _Parts:
    parts, index = _Parts(), 0
    while index < len(tokens):
        for length in range(words.longest_name, 0, -1):  # the longest name first: "carte risque (X2)" is one card
            if card := vocabulary.cards.get(tokens[index : index + length]):
                parts.cards.append(card)
                index += length
                break
        else:
            token = tokens[index]
            if role := vocabulary.roles.get(token):
                parts.roles.add(role)
            elif number := words.number.fullmatch(token):
                parts.numbers.append(int(number[1]))
            else:
                parts.unknown = True
            index += 1
    return parts


def _understand(parts: _Parts) -> Wish | None:
    """The action, if nothing is missing and nothing too much."""
    wish: Wish
    match parts.verb, parts.cards, parts.numbers:
        case Role.TAKE, [], [place] if 1 <= place <= NEWEST.display_size:
            wish, noun = Take(slot=place - 1), Role.PLACE
        case Role.TAKE, [card], []:
            wish, noun = TakeCard(card=card), Role.DISPLAY
        case Role.DRAW, [], []:
            wish, noun = Draw(), Role.PILE
        case Role.LAY, [card], []:
            wish, noun = LayBusinessmaker(card=card), Role.MAKER
        case Role.APPEND, [card], [place] if 1 <= place <= NEWEST.max_businessmakers:
            wish, noun = Append(card=card, row=place - 1), Role.ROW
        case _:
            return None
    # Another noun means another thing: of the pile, nothing is taken; "take 2 from the display" may mean two cards.
    return None if parts.unknown or parts.roles & NOUNS - {noun} else wish
