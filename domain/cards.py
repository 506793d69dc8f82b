"""The 110 cards. Cards of one kind are interchangeable, so a card *is* its code (rules, "Cards")."""

from typing import Final, TypeAlias

Card: TypeAlias = str
Business: TypeAlias = str

BUSINESSES: Final[tuple[Business, ...]] = (
    "shares",
    "gold",
    "property",
    "currency",
    "luxury",
    "gambling",
    "antiques",
    "oil",
    "jewellery",
    "art",
)
MULTITALENT: Final[Card] = "multitalent"
RISK: Final[Card] = "risk"
REIBACH: Final[Card] = "reibach"
SPECIALS: Final = frozenset({MULTITALENT, RISK})

HAND_CARDS: Final[tuple[Card, ...]] = (*BUSINESSES, MULTITALENT, RISK)
"""Every card that a hand can hold, in the canonical order."""
BUSINESS_SET: Final = frozenset(BUSINESSES)

_RANK: Final = {card: rank for rank, card in enumerate((*HAND_CARDS, REIBACH))}


def in_canonical_order(cards: list[Card]) -> list[Card]:
    """The same cards, sorted as the contract's table of codes lists them."""
    return sorted(cards, key=_RANK.__getitem__)
