"""What a clause that isn't understood could mean. It is offered, and never played."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Final

from domain.cards import BUSINESS_SET
from domain.commands import AppendTo, Take, TakeCard
from domain.words.reply.clause import MailWish, Word, counts_cards, read_clause, read_in, take_apart, understand
from domain.words.reply.vocabulary import Role, lexicon, tokens_of

_MOST_OFFERS: Final = 3
_NEVER: Final = (Word("resign"), Word("pass"), Word("no"))
"""What no slip of the pen is taken for."""
_MOST_WORDS: Final = 12
"""Of a clause that is looked at: an action has no more."""
_MOST_UNKNOWN: Final = 2
_LEAST_LETTERS: Final = 3
_MOST_LETTERS: Final = 2
"""By which a word may be longer or shorter."""
_GLUED: Final = re.compile(r"\b([a-z]{2,})(\d{1,2})\b")


def find_nearest(clause: str) -> tuple[MailWish | Word, ...]:
    """What the clause could mean: behind a label, by a word among others, or by a letter, or a verb that is missing."""
    label, colon, rest = clause.rpartition(":")
    behind = read_clause(take_apart(tokens_of(rest))) if colon else ""
    if not isinstance(behind, str) and (lexicon().doubts - lexicon().retracts).isdisjoint(tokens_of(label)):
        return (behind,)
    tokens = tokens_of(clause)
    if not lexicon().doubts.isdisjoint(tokens):  # `not gold` isn't offered as its contrary
        return ()
    words, wishes = _GLUED.sub(r"\1 \2", " ".join(tokens)).split(), dict[MailWish | Word, None]()
    among = [Word(parts.words[0]) for parts in take_apart(tokens) if len(parts.words) == 1 and parts.unknown]
    if among and lexicon().verbs.isdisjoint(tokens):
        return tuple(dict.fromkeys(among))[:_MOST_OFFERS]
    for vocabulary in lexicon().vocabularies if len(words) <= _MOST_WORDS else ():
        known = {word for name in vocabulary for word in name}
        unknown = [word for word in words if word not in known and not lexicon().number.fullmatch(word)]
        if len(unknown) > _MOST_UNKNOWN:
            continue
        spellings = [_spellings(known, word) if word in unknown else [word] for word in words]
        take = next(name for name, term in vocabulary.items() if term.role is Role.TAKE)
        for spelt in product(*spellings):
            parts = read_in(vocabulary, spelt)
            if wish := understand(parts) or understand(read_in(vocabulary, (*take, *spelt))):
                wishes[wish] = None
            elif Role.THERE in parts.roles and parts.verb is Role.APPEND:  # perhaps on its own row
                wishes |= {AppendTo(card=card, business=card): None for card in parts.cards if card in BUSINESS_SET}
            elif counts_cards(parts):
                wishes |= dict.fromkeys(
                    [TakeCard(card=parts.cards[0]), *(Take(slot=number - 1) for number in parts.numbers if number <= 3)]
                )
    return tuple(wish for wish in wishes if wish not in _NEVER)[:_MOST_OFFERS]


def complete(before: Sequence[str], tokens: Sequence[str]) -> MailWish | None:
    """The action that `and 3` asks for behind `take 2`: with the words that both have in common."""
    for length in range(len(before) - 1, 0, -1):
        clause = read_clause(take_apart([*before[:length], *tokens]))
        if not isinstance(clause, str | Word):
            return clause
    return None


def _spellings(known: Iterable[str], word: str) -> list[str]:
    close = [each for each in known if abs(len(each) - len(word)) <= _MOST_LETTERS]
    return get_close_matches(word, close, 3, 0.74) if len(word) >= _LEAST_LETTERS else []
