"""The sentences of all refusals: by the rules, and of requests that are wrong in themselves."""

from collections.abc import Mapping, Sequence
from functools import cache

from domain.words.catalogue import DEFAULT_LANGUAGE, read
from domain.words.refusals.sentences import Sentence, Value
from domain.words.wording import Words, isolate, words_of


def phrase_refusal(sentence: Sentence, language: str, zone: str = "UTC") -> str:
    """The sentence in a language, times by a zone's clocks; one that only programmers meet in English."""
    words = words_of(language if has_phrase(language, sentence) else DEFAULT_LANGUAGE, zone)
    values = {name: _phrase_value(name, value, words) for name, value in sentence.values.items()}
    return templates_of(words.language)[sentence.name].format(**values)


def has_phrase(language: str, sentence: Sentence) -> bool:
    return sentence.name in templates_of(language)


@cache
def templates_of(language: str) -> Mapping[str, str]:
    """Name of a sentence -> template."""
    return {name: text for part in read(language, "refusals").values() for name, text in part.items()}


def _phrase_value(name: str, value: Value, words: Words) -> str:
    match name, value:
        case (("card" | "business" | "before"), str()):
            return words.cards[value]
        case "at", int():
            return words.time_of(value)
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
    return words.join(texts, words.last_or) if name == "values" else ", ".join(texts)
