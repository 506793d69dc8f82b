"""What the commands about agreements cause: a consent, its withdrawal, and what all have agreed on."""

from collections.abc import Callable
from typing import Final

from domain.commands import GiveConsent, WithdrawConsent
from domain.decision import Decision
from domain.events import Event
from domain.legality import refuse_finished, refuse_resigned
from domain.people.consent import is_agreed, refuse_consent, refuse_withdrawal
from domain.people.events import ConsentGiven, ConsentWithdrawn, GameCancelled, GamePaused, SeatReclaimed

_OUTCOMES: Final[dict[str, Callable[[], Event]]] = {"cancel": GameCancelled, "pause": GamePaused}
"""What was agreed on -> the event that makes it happen; the first one that all agree on happens."""


def give_consent(decision: Decision, command: GiveConsent) -> None:
    """Agree, and do what was agreed on with the last consent. Raises Refused.

    An abandoned seat is reclaimed by it, as by an action: its person is back.
    """
    game, seat = decision.game, command.seat
    refuse_finished(game)
    refuse_resigned(game, seat)
    refuse_consent(game, seat, command.to)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(ConsentGiven(seat, command.to))
    conclude(decision)


def withdraw_consent(decision: Decision, command: WithdrawConsent) -> None:
    """Agree no longer. Raises Refused."""
    refuse_finished(decision.game)
    refuse_resigned(decision.game, command.seat)
    refuse_withdrawal(decision.game, command.seat, command.to)
    decision.record(ConsentWithdrawn(command.seat, command.to))


def conclude(decision: Decision) -> None:
    """Record what all people who play agree on, if anything. Called after each event by which one agrees, or leaves."""
    for to, outcome in _OUTCOMES.items():
        if is_agreed(decision.game, to):
            decision.record(outcome())
            return
