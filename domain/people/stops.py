"""What the commands that stop the clock and let it run again cause: vacations of a seat, and the end of a pause."""

from domain.clock.timestamps import timestamp
from domain.commands import EndVacation, ResumeGame, TakeVacation
from domain.decision import Decision
from domain.legality import refuse_finished, refuse_resigned
from domain.people.events import GameResumed, SeatReclaimed, VacationEnded, VacationTaken
from domain.people.vacation import is_on_vacation, refuse_vacation
from domain.refusals import Reason, Refused


def take_vacation(decision: Decision, command: TakeVacation) -> None:
    """Stop the clock of the seat's turns until then; it begins at once. Raises Refused.

    An abandoned seat is reclaimed by it, as by an action: its person is there.
    """
    game, seat = decision.game, command.seat
    refuse_finished(game)
    refuse_resigned(game, seat)
    refuse_vacation(game.seats[seat], decision.at, command.until)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(VacationTaken(seat, timestamp(command.until)))


def end_vacation(decision: Decision, command: EndVacation) -> None:
    """Let the clock run again before the vacation's end. Raises Refused."""
    game, seat = decision.game, command.seat
    refuse_finished(game)
    refuse_resigned(game, seat)
    if not is_on_vacation(game.seats[seat], decision.at):
        raise Refused(Reason.NOT_ON_VACATION)
    decision.record(VacationEnded(seat))


def resume_game(decision: Decision, command: ResumeGame) -> None:
    """End the pause, which one person can alone; an abandoned seat is reclaimed by it. Raises Refused."""
    game, seat = decision.game, command.seat
    refuse_finished(game)
    refuse_resigned(game, seat)
    if game.paused_since is None:
        raise Refused(Reason.GAME_NOT_PAUSED)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(GameResumed(seat))
