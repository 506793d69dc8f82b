"""The rows that pages draw to explain the game."""

from typing import Final

from domain.cards import MULTITALENT, RISK, Business, Card
from domain.state import Row


def _row(*cards: Card) -> Row:
    """A row that begins with a business card, on a face-down card."""
    closed = RISK in cards
    business: Business = cards[0]
    return Row(MULTITALENT, shown=False, business=business, cards=cards, length=len(cards) - closed, closed=closed)


EXAMPLE_ROW: Final = _row("gold", "gold", MULTITALENT, RISK)
"""A row that shows all that a row can have."""
EXAMPLE_PLAYERS: Final = {
    "Anna": [_row("gold", "gold", "gold", MULTITALENT), _row("gambling", "gambling", "gambling"), _row("oil", RISK)],
    "Bert": [_row("gold", "gold", RISK), _row("gambling", "gambling"), _row("oil", "oil", "oil"), _row("art", RISK)],
    "Carla": [_row("gold"), _row("gambling", "gambling", MULTITALENT)],
}
"""The rows of the scoring that the rules show, by player."""
