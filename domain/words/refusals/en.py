"""Refusals in English."""

from collections.abc import Mapping
from typing import Final

ENGLISH: Final[Mapping[str, str]] = {
    "game-not-started": "The game starts when every seat is taken.",
    "game-not-started.seat": "This seat is still open.",
    "game-over.won": "The game is over. {winners} has won.",
    "game-over.shared": "The game is over. {winners} have won.",
    "game-over.version": "At version {version} the game is over.",
    "scoring-in-progress": "Scoring round {round} is being worked out. Try again in a moment.",
    "not-your-turn": "It is {name}'s turn (seat {seat}).",
    "not-enough-action-points": "This costs {cost}; you have only {left} left.",
    "card-not-in-hand": "“{card}” is not in your hand.",
    "no-such-row.none": "You have no row yet: lay a businessmaker first.",
    "no-such-row.one": "You have no row {row}, only row 0.",
    "no-such-row.several": "You have no row {row}, only rows 0 to {last}.",
    "row-closed": "A risk card has closed row {row}.",
    "row-needs-business-first": "The first card of row {row} must be a business card.",
    "wrong-business": "Row {row} takes {business}, multitalented cards and risk cards, not {card}.",
    "business-already-has-row.open": "You have a {card} row already (row {row}).",
    "business-already-has-row.closed": "You have a {card} row already (row {row}), closed by a risk card.",
    "too-many-businessmakers": "You have laid {rows} businessmakers, and can lay no more.",
    "no-open-seat": "Every seat of this game is taken.",
}
