"""How each card looks, in every language: the one table for score sheet and page.

Rule 1: ink on background has a contrast of 4.5:1 or more (WCAG 2.2, 1.4.3).
Rule 2: colour is never the only sign: each card has a symbol of its own, and letters of its own in each language
(`Words.short`).
Rule 3: no two businesses look alike to eyes without one of the three kinds of cones; neighbouring hues differ in light.
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
    "shares": Appearance("#00633a", _WHITE, "certificate"),
    "gold": Appearance("#a478cd", _BLACK, "ingots"),
    "property": Appearance("#847d28", _BLACK, "house"),
    "currency": Appearance("#f3cf31", _BLACK, "banknotes"),
    "luxury": Appearance("#78c6ed", _BLACK, "perfume"),
    "gambling": Appearance("#1a358d", _WHITE, "dice"),
    "antiques": Appearance("#98cd75", _BLACK, "vase"),
    "oil": Appearance("#ed8725", _BLACK, "pumpjack"),
    "jewellery": Appearance("#eea0be", _BLACK, "ring"),
    "art": Appearance("#ba1e20", _WHITE, "palette"),
    "multitalent": Appearance("#f4f1e8", _BLACK, "wheel"),
    "risk": Appearance("#4a4a4f", _WHITE, "burst"),
    "reibach": Appearance("#1b1c1e", _WHITE, "coin"),
}
"""By card, in the canonical order."""
