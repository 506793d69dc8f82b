"""What the list of games shows of one: made from its state, and stored with each append of a listed game."""

from typing import Any, Final, NamedTuple

import orjson

from domain.clock.timestamps import timestamp
from domain.state import Game

STATUSES: Final = ("open", "playing", "over")
"""In the order in which a game has them. A game that is being scored counts as playing."""


class Listing(NamedTuple):
    status: str
    """One of STATUSES."""
    summary: bytes
    """JSON: `name`, `status`, `seats`, `bots`, `version` and `updated_at`."""


def make_listing(game: Game) -> Listing | None:
    """How the lists show the game; None for one that is not listed."""
    if not game.listed:
        return None
    summary = summarise(game)
    return Listing(summary["status"], orjson.dumps(summary))


def summarise(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "status": "playing" if game.status == "scoring" else game.status,
        "seats": [seat.name or None for seat in game.seats],
        "bots": [seat.bot for seat in game.seats],
        "version": game.version,
        "updated_at": timestamp(game.at),
    }
