"""The sentences of all refusals in four languages: by the rules, and of requests that are wrong in themselves.

Rule: a sentence says what is wrong and, where the reader can mend it, how. Values that fill it are never parsed.
"""

from collections.abc import Mapping
from typing import Final

from domain.words import WORDS
from domain.words.refusals.de import GERMAN
from domain.words.refusals.en import ENGLISH
from domain.words.refusals.fr import FRENCH
from domain.words.refusals.nl import DUTCH
from domain.words.refusals.sentences import Sentence, Value
from domain.words.wording import Words, isolate

REFUSALS: Final[Mapping[str, Mapping[str, str]]] = {"en": ENGLISH, "de": GERMAN, "nl": DUTCH, "fr": FRENCH}
"""Language -> name of a sentence -> template."""


def word_refusal(sentence: Sentence, language: str) -> str:
    """The sentence in a language, one of `LANGUAGES`."""
    words = WORDS[language]
    values = {name: _word_value(name, value, words) for name, value in sentence.values.items()}
    return REFUSALS[language][sentence.name].format(**values)


def _word_value(name: str, value: Value, words: Words) -> str:
    match name, value:
        case (("card" | "business"), str()):
            return words.cards[value]
        case "cost", int():
            return words.points(value)
        case "winners", [*names]:
            return words.join([isolate(str(each)) for each in names])
        case _, str():
            return isolate(value)
        case _, int():
            return str(value)
        case _:
            return ", ".join(map(str, value))
