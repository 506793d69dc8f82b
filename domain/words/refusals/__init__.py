"""The sentences of all refusals in four languages: by the rules, and of requests that are wrong in themselves.

Rule: a sentence says what is wrong and, where the reader can mend it, how. Values that fill it are never parsed.
"""

from collections.abc import Mapping, Sequence
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
_OR: Final = {"en": "or", "de": "oder", "nl": "of", "fr": "ou"}


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
        case _, int() | str():
            return isolate(str(value))
        case _:
            return _join(name, [isolate(str(each)) for each in value], words)


def _join(name: str, texts: Sequence[str], words: Words) -> str:
    """A list in the middle of a sentence: names with "and", numbers with "or", words of a request as they are."""
    if name == "winners":
        return words.join(texts)
    if name == "values":
        *first, last = texts
        return f"{', '.join(first)} {_OR[words.language]} {last}"
    return ", ".join(texts)
