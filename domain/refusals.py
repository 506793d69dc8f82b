"""Why a command is refused: a stable code (contract 1) and a sentence for the player.

`Refused` is raised by `decide`, by the guards in `legality.py`, and where a fork can't begin; never by `evolve`. No
sentence may name a card that its reader may not see.
"""

from enum import StrEnum


class Reason(StrEnum):
    """The contract's codes with status 409."""

    GAME_NOT_STARTED = "game-not-started"
    GAME_OVER = "game-over"
    SCORING_IN_PROGRESS = "scoring-in-progress"
    NOT_YOUR_TURN = "not-your-turn"
    NOT_ENOUGH_ACTION_POINTS = "not-enough-action-points"
    CARD_NOT_IN_HAND = "card-not-in-hand"
    NO_SUCH_ROW = "no-such-row"
    ROW_CLOSED = "row-closed"
    ROW_NEEDS_BUSINESS_FIRST = "row-needs-business-first"
    WRONG_BUSINESS = "wrong-business"
    BUSINESS_ALREADY_HAS_ROW = "business-already-has-row"
    TOO_MANY_BUSINESSMAKERS = "too-many-businessmakers"
    NO_OPEN_SEAT = "no-open-seat"


class Refused(Exception):
    """A command that the rules or the game's state refuse; nothing has happened."""

    def __init__(self, reason: Reason, detail: str) -> None:
        """`detail` is one sentence for the player."""
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
