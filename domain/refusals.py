"""Why a command is refused: a stable code (contract 1), and parameters that its sentence needs.

`Refused` is raised by `decide`, by the guards in `legality.py`, and where a fork can't begin; never by `evolve`. It is
data, in no language: `words/refusals/` has the sentences. No parameter may tell what the sender may not see.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

Parameter: TypeAlias = int | str | list[str]
"""A number, a card's code, a player's name, or several names: JSON as it is."""


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
    SEAT_RESIGNED = "seat-resigned"
    SEAT_NOT_ABANDONED = "seat-not-abandoned"
    SEAT_NOT_SILENT = "seat-not-silent"
    CONSENT_UNCHANGED = "consent-unchanged"
    TOO_MANY_CONSENTS = "too-many-consents"
    VACATION_REFUSED = "vacation-refused"
    NOT_ON_VACATION = "not-on-vacation"
    GAME_PAUSED = "game-paused"
    GAME_NOT_PAUSED = "game-not-paused"
    NO_OPEN_SEAT = "no-open-seat"
    TOO_MANY_MESSAGES = "too-many-messages"


class Refused(Exception):
    """A command that the rules or the game's state refuse; nothing has happened."""

    def __init__(self, reason: Reason, **parameters: Parameter) -> None:
        """`parameters`: what the sentence names; `case` chooses one of several sentences for the same reason.

        `Refused(refused.reason, **refused.parameters)` is the same refusal again, also after both were stored as JSON.
        """
        super().__init__(reason)
        self.reason: Final = reason
        self.parameters: Final[Mapping[str, Parameter]] = parameters
