"""What a game waits for, and since when: the one function for workers and due lists."""

from dataclasses import dataclass
from enum import StrEnum

from domain.clock.deadline import deadline, player_of
from domain.state import Game


class WaitingFor(StrEnum):
    """Who must act next."""

    PLAYERS = "players"
    """People who take the open seats."""
    SCORING = "scoring"
    """A worker that scores a round."""
    BOT = "bot"
    """A worker that plays a bot's turn, or that of a person who is away."""
    SEAT = "seat"
    """The person whose turn it is."""


@dataclass(frozen=True, slots=True)
class Waiting:
    reason: WaitingFor
    since: int
    """When it began, in milliseconds since 1970. A message doesn't restart it."""
    seat: int | None = None
    """Whose turn it is, for BOT and SEAT."""
    round: int | None = None
    """The scoring round, for SCORING."""
    until: int | None = None
    """When the turn times out, for SEAT, in milliseconds since 1970; None: never, or it has."""


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
    if player_of(game) is not None:
        return Waiting(WaitingFor.BOT, game.waiting_since, seat=seat)
    until = None if game.timed_out else deadline(game)
    return Waiting(WaitingFor.SEAT, game.waiting_since, seat=seat, until=until)
