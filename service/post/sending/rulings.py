"""What is done with a claimed notice: sent, dropped, or looked at again later."""

from dataclasses import dataclass
from typing import Final

from domain.state import Game
from service.post.notices import OF_A_TURN, REMINDER, WORDS_OF_TYPES, Notice
from service.post.noticing.due import is_still_due
from service.post.subscriptions import Subscription

BUSY_MS: Final = 500
"""A notice is looked at again after this time where others go first."""
_WAIT_MS: Final = 15_000
"""Or while the seat is watching, or the clock can't be trusted."""


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
    may_be_ordered: bool
    """Whether standing orders may end the present turn yet."""


def next_look(case: Case) -> int | None:
    """When the notice may be sent, or is looked at again if that is later than `now`; None: it isn't due any more."""
    notice, subscription, now = case.notice, case.subscription, case.now
    is_former, is_of_turn = case.generation != subscription.generation, notice.type in OF_A_TURN
    if notice.type == REMINDER and not case.is_steady:
        return now + _WAIT_MS
    if notice.is_shared and (is_former or case.follows_another):
        return now + BUSY_MS  # after the one before it, or by another seat
    if is_former or not is_still_due(notice, case.game, subscription, now):
        return None
    if is_of_turn and case.may_be_ordered:
        return now + max(BUSY_MS, (now - case.created) // 4)  # the longer orders last, the later
    if case.is_watched:
        return now + _WAIT_MS if is_of_turn else None
    return subscription.wakes_at(now) if notice.type in WORDS_OF_TYPES else now
