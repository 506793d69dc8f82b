"""How each card looks, in every language: the one table for terminal, score sheet and page.

Rule 1: ink on background has a contrast of 4.5:1 or more (WCAG 2.2, 1.4.3).
Rule 2: colour is never the only sign: each card has a symbol of its own, and letters of its own in each language
(`Words.short`).
Rule 3: no two businesses look the same to eyes that lack one of the three kinds of cones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.cards import Card

_BLACK: Final = "#000000"
_WHITE: Final = "#ffffff"


@dataclass(frozen=True, slots=True)
class Appearance:
    """The look of one card; colours are sRGB, as `#rrggbb`."""

    background: str
    """Near the colour of the printed score sheet."""
    ink: str
    symbol: str
    """Name of the drawing that stands for the card."""


APPEARANCES: Final[Mapping[Card, Appearance]] = {
    "shares": Appearance("#14663a", _WHITE, "certificate"),
    "gold": Appearance("#b48ad6", _BLACK, "ingots"),
    "property": Appearance("#978420", _BLACK, "house"),
    "currency": Appearance("#f5d327", _BLACK, "banknotes"),
    "luxury": Appearance("#7cc7f0", _BLACK, "perfume"),
    "gambling": Appearance("#1d3f94", _WHITE, "dice"),
    "antiques": Appearance("#9ad67a", _BLACK, "vase"),
    "oil": Appearance("#ef8b23", _BLACK, "derrick"),
    "jewellery": Appearance("#f29cc0", _BLACK, "ring"),
    "art": Appearance("#b32424", _WHITE, "palette"),
    "multitalent": Appearance("#e8e8e8", _BLACK, "star"),
    "risk": Appearance("#555555", _WHITE, "double"),
    "reibach": Appearance("#1b1c1e", _WHITE, "dollar"),
}
"""By card, in the canonical order."""
