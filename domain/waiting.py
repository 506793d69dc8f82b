"""What a game waits for, and since when: the one function for workers and due lists."""

from dataclasses import dataclass
from enum import StrEnum

from domain.state import Game


class WaitingFor(StrEnum):
    """Who must act next."""

    PLAYERS = "players"
    """People who take the open seats."""
    SCORING = "scoring"
    """A worker that scores a round."""
    BOT = "bot"
    """A worker that plays a bot's turn."""
    SEAT = "seat"
    """The person whose turn it is."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The present wait of a game."""

    reason: WaitingFor
    since: int
    """When it began, in milliseconds since 1970. A message doesn't restart it."""
    seat: int | None = None
    """Whose turn it is, for BOT and SEAT."""
    round: int | None = None
    """The scoring round, for SCORING."""


def waiting_for(game: Game) -> Waiting | None:
    """What the game waits for; None when it is over."""
    match game.status:
        case "over":
            return None
        case "open":
            return Waiting(WaitingFor.PLAYERS, game.waiting_since)
        case "scoring":
            return Waiting(WaitingFor.SCORING, game.waiting_since, round=game.scoring)
    seat = game.turn_seat
    reason = WaitingFor.SEAT if game.seats[seat].bot is None else WaitingFor.BOT
    return Waiting(reason, game.waiting_since, seat=seat)
