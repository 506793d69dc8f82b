"""What is done with a claimed notice: sent, dropped, or looked at again later."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from domain.state import Game
from service.post.notices import OF_A_TURN, REMINDER, WORDS_OF_TYPES, Notice
from service.post.noticing.due import is_still_due
from service.post.subscriptions import Subscription

BUSY_MS: Final = 500
"""A notice is looked at again after this time where others go first."""
ANALYSIS_MS: Final = 120_000
"""So long the notice of the end waits for the analysis at most."""


class Ruling(Enum):
    SEND = "send"
    DROP = "drop"
    UNSTEADY = "unsteady"
    """The clock can't be trusted: a reminder waits."""
    BEHIND = "behind"
    """A shared notice waits for the one before it, or for another seat in the place of one whose person has left."""
    ORDERED = "ordered"
    """Standing orders may end the turn yet."""
    MERGED = "merged"
    """The mail about its reader's turn, which is about to leave, tells it."""
    ANALYSED = "analysed"
    """The analysis of the finished game is under way."""
    WATCHED = "watched"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a notice is judged by. Times are in ms since 1970."""

    notice: Notice
    game: Game
    subscription: Subscription
    now: int
    created: int
    """When the notice was added."""
    generation: int
    """Of the seat's present token."""
    is_steady: bool
    is_watched: bool
    """Whether it is to one seat, which holds a live stream open and wants no notices then."""
    follows_another: bool
    """Whether the last scoring round is still to be told to the same chat."""
    merging: Ruling | None
    """MERGED where a mail about the reader's turn is about to tell the same, DROP where one has."""
    may_be_ordered: bool
    """Whether standing orders may end the present turn yet."""
    awaits_analysis: bool
    """Whether it tells of the game's analysis, which is under way."""


def judge(case: Case) -> Ruling:
    notice, subscription = case.notice, case.subscription
    is_former, is_of_turn = case.generation != subscription.generation, notice.type in OF_A_TURN
    rulings = (
        (Ruling.UNSTEADY, notice.type == REMINDER and not case.is_steady),
        (Ruling.BEHIND, notice.is_shared and (is_former or case.follows_another)),
        (Ruling.DROP, is_former or not is_still_due(notice, case.game, subscription, case.now)),
        (Ruling.ORDERED, is_of_turn and case.may_be_ordered),
        (Ruling.WATCHED, is_of_turn and case.is_watched),
        (Ruling.DROP, case.is_watched),
        (case.merging or Ruling.SEND, case.merging is not None),
        (Ruling.ANALYSED, case.awaits_analysis and case.now < case.created + ANALYSIS_MS),
        (Ruling.QUIET, notice.type in WORDS_OF_TYPES and subscription.wakes_at(case.now) > case.now),
    )
    return next((ruling for ruling, applies in rulings if applies), Ruling.SEND)


NEXT_LOOK: Final[Mapping[Ruling, Callable[[Case], int]]] = {
    Ruling.UNSTEADY: lambda case: case.now + 15_000,
    Ruling.BEHIND: lambda case: case.now + BUSY_MS,
    Ruling.ORDERED: lambda case: case.now + max(BUSY_MS, (case.now - case.created) // 4),
    Ruling.MERGED: lambda case: case.now + max(BUSY_MS, (case.now - case.created) // 4),
    Ruling.ANALYSED: lambda case: case.now + BUSY_MS,
    Ruling.WATCHED: lambda case: case.now + 15_000,
    Ruling.QUIET: lambda case: case.subscription.wakes_at(case.now),
}
"""When a notice that waits is looked at again, in ms since 1970; the longer orders or another mail take, the later."""
