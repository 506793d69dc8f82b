"""What the commands about people cause: a turn's time that is up, leaving and coming back, messages."""

from typing import assert_never

from domain.clock.deadline import TIMEOUTS_OF_ABANDONED, deadline, is_played_out, player_of, seconds_of_bank
from domain.commands import (
    CommandOfPeople,
    EndVacation,
    GiveConsent,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.decision import Decision
from domain.legality import refuse_finished, refuse_message, refuse_resigned
from domain.people.agreements import conclude, give_consent, withdraw_consent
from domain.people.events import (
    BankRefilled,
    BankUsed,
    MessagePosted,
    PlayerResigned,
    SeatAbandoned,
    SeatReclaimed,
    SeatReplaced,
    TurnTimedOut,
)
from domain.people.stops import end_vacation, resume_game, take_vacation
from domain.refusals import Reason, Refused


def decide_about_people(decision: Decision, command: CommandOfPeople) -> None:
    """Record what `command` causes on the decision's own game. Raises Refused."""
    match command:
        case TimeOut():
            time_out(decision, command)
        case ReclaimSeat():
            reclaim(decision, command)
        case Resign():
            resign(decision, command)
        case GiveConsent():
            give_consent(decision, command)
        case WithdrawConsent():
            withdraw_consent(decision, command)
        case TakeVacation():
            take_vacation(decision, command)
        case EndVacation():
            end_vacation(decision, command)
        case ResumeGame():
            resume_game(decision, command)
        case PostMessage():
            post_message(decision, command)
        case _ as never:
            assert_never(never)


def time_out(decision: Decision, command: TimeOut) -> None:
    """Time the present turn out if its deadline has passed; raises nothing."""
    game, until = decision.game, deadline(decision.game)
    is_due = until is not None and decision.now >= until and game.status == "playing"
    if not is_due or game.turn != command.turn or game.timed_out or player_of(game):
        return  # ended meanwhile, or timed out already: a job may run late, or more than once
    seat = game.turn_seat
    decision.record(TurnTimedOut(game.turn, seat))
    if is_played_out(game) and game.seats[seat].timeouts >= TIMEOUTS_OF_ABANDONED:
        decision.record(SeatAbandoned(seat))
        conclude(decision)


def settle_bank(decision: Decision) -> None:
    """Take what the turn that ends has used of its seat's time bank, and give back what a turn gives; raises nothing.

    A turn that a bot plays for a person who is away changes nothing, unless it is the one that timed out.
    """
    game = decision.game
    pace, seat, place = game.pace, game.turn_seat, game.seats[game.turn_seat]
    if pace is None or pace.bank_seconds is None or place.bank is None or (place.away and not game.timed_out):
        return
    if used := seconds_of_bank(game, decision.at):
        decision.record(BankUsed(seat, used, place.bank - used))
    if given := min(pace.bank_refill_seconds or 0, pace.bank_seconds - place.bank):
        decision.record(BankRefilled(seat, given, place.bank + given))


def reclaim(decision: Decision, command: ReclaimSeat) -> None:
    """Bring the person of an abandoned seat back. Raises Refused."""
    refuse_finished(decision.game)
    if decision.game.seats[command.seat].away != "abandoned":
        raise Refused(Reason.SEAT_NOT_ABANDONED)
    decision.record(SeatReclaimed(command.seat))


def replace_person(decision: Decision, name: str) -> None:
    """Give the lowest abandoned seat to a new person. Raises Refused where there is none, or the table didn't agree."""
    game = decision.game
    abandoned = (seat for seat, place in enumerate(game.seats) if place.away == "abandoned")
    seat = next(abandoned, None) if game.replaceable and not game.over else None
    if seat is None:
        raise Refused(Reason.NO_OPEN_SEAT)
    decision.record(SeatReplaced(seat, name))


def resign(decision: Decision, command: Resign) -> None:
    """Let a bot play for the seat from now on. Raises Refused."""
    refuse_finished(decision.game)
    refuse_resigned(decision.game, command.seat)
    decision.record(PlayerResigned(command.seat))
    conclude(decision)


def post_message(decision: Decision, command: PostMessage) -> None:
    """Record a message. Raises Refused."""
    if decision.game.seats[command.seat].name is None:
        raise Refused(Reason.GAME_NOT_STARTED, case="seat")
    refuse_message(decision.game, command.text)
    decision.record(MessagePosted(command.seat, command.text))
