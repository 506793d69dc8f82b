"""The names of cards as they are drawn on them, where there is room for a short line or two."""

from collections.abc import Mapping
from typing import Final

from domain.words import WORDS

_HYPHENATED: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"multitalent": "Multi\u00adtalented card"},
    "de": {
        "property": "Immo\u00adbilien",
        "gambling": "Glücks\u00adspiel",
        "antiques": "Antiqui\u00adtäten",
        "multitalent": "Multi\u00adtalent",
    },
    "nl": {
        "shares": "Waarde\u00adpapieren",
        "luxury": "Luxe\u00adproducten",
        "antiques": "Antiqui\u00adteiten",
        "multitalent": "Multi\u00adtalent-kaart",
        "risk": "Risico\u00adkaart",
        "reibach": "Woeker\u00adwinst-kaart",
    },
    "fr": {"property": "Immo\u00adbilier", "antiques": "Antiqui\u00adtés"},
}
"""By language and card: with soft hyphens, since browsers without a dictionary of the language break anywhere."""


def face_of(language: str, card: str) -> str:
    """The name as it is drawn on a card: with soft hyphens, and without what stands in brackets."""
    name = _HYPHENATED.get(language, {}).get(card) or WORDS[language].cards[card]
    return name.partition(" (")[0]
