"""The words of the pages, in four languages. Those of cards, events and refusals are in `domain/words`."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from domain.words import LANGUAGES, WORDS
from service.web.words.de import GERMAN
from service.web.words.en import ENGLISH
from service.web.words.faces import face_of
from service.web.words.fr import FRENCH
from service.web.words.nl import DUTCH
from service.web.words.plural import Plural
from service.web.words.shape import PageWords

PAGE_WORDS: Final[Mapping[str, PageWords]] = {"en": ENGLISH, "de": GERMAN, "nl": DUTCH, "fr": FRENCH}
"""By language."""

assert PAGE_WORDS.keys() == set(LANGUAGES), "every language needs its pages"


@cache
def script_words(language: str, groups: tuple[str, ...]) -> Mapping[str, Any]:
    """The words that a page's script needs, as JSON: these groups, and the game's names."""
    game, page = WORDS[language], PAGE_WORDS[language]
    one, other = game.millions
    return {
        "cards": dict(game.cards),
        "faces": {card: face_of(language, card) for card in game.cards},
        "short": dict(game.short),
        "millions": Plural(one=f"{{n}}\u00a0{one}", other=f"{{n}}\u00a0{other}").to_json(),
        **{group: _to_json(getattr(page, group)) for group in ("common", *groups)},
    }


def _to_json(value: Any) -> Any:
    if isinstance(value, Plural):
        return value.to_json()
    if is_dataclass(value):
        return {field.name: _to_json(getattr(value, field.name)) for field in fields(value)}
    return dict(value) if isinstance(value, Mapping) else value
