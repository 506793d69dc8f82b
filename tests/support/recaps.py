"""Short logs of two players, and their recaps."""

from collections.abc import Sequence
from typing import Any

from domain.events import Event, GameCreated, GameStarted, PlayerJoined, TurnStarted
from domain.projections.recap import recap
from tests.support.play import numbered

DEALT = GameStarted([["gold", "oil", "art", "art"], ["gold"] * 4], ["gold", "oil", "risk"], ["art"])
BY = ("turn", "action")


def scored(*penalties: tuple[int, int]) -> list[dict[str, Any]]:
    """What `RoundScored` says of seats that have nothing but these losses, for businessmakers and for cards."""
    return [
        {
            "seat": seat,
            "businesses": {},
            "penalties": {"empty_businessmakers": empty, "hand_cards": hand},
            "income": empty + hand,
        }
        for seat, (empty, hand) in enumerate(penalties)
    ]


def log(*events: Event, names: Sequence[str] = ("Anna", "Bert"), bonus: bool = False) -> list[dict[str, Any]]:
    """The events as the contract has them, after those of a table that two players have sat down at."""
    created = GameCreated("g", "standard@1", 2, {"staggered_start": bonus}, 0, False, "", "00" * 32)
    seated = [PlayerJoined(seat, name, None, "") for seat, name in enumerate(names)]
    return numbered([created, *seated, DEALT, TurnStarted(1, 0), *events])


def texts(events: list[dict[str, Any]], language: str = "en", since: int = 5, by: str = "action") -> list[str]:
    """The sentences after the deal."""
    return [item["text"] for item in recap(events, since, language, by=by).items]
