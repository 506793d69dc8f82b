"""What the commands about people cause: time-outs, leaving and coming back, agreements, vacations, messages."""

from collections.abc import Callable
from typing import Final

from domain.clock.deadline import deadline, is_awaited, is_lost, is_played_out, player_of, seconds_of_bank
from domain.clock.timestamps import timestamp
from domain.commands import (
    AcceptInvitation,
    CommandOfPeople,
    CommandOfSeat,
    EndVacation,
    GiveConsent,
    JoinGame,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.decision import Decision
from domain.events import Event, require_all
from domain.legality import refuse_finished, refuse_message, refuse_resigned
from domain.people.events import (
    BankRefilled,
    BankUsed,
    ConsentGiven,
    ConsentWithdrawn,
    GameCancelled,
    GamePaused,
    GameResumed,
    InvitationAccepted,
    MessagePosted,
    PlayerResigned,
    SeatAbandoned,
    SeatReclaimed,
    SeatReplaced,
    TurnTimedOut,
    VacationEnded,
    VacationTaken,
)
from domain.people.legality import is_agreed, is_on_vacation, refuse_consent, refuse_vacation, refuse_withdrawal
from domain.refusals import Reason, Refused
from domain.state import Game

COMMANDS_OF_A_SEAT: Final[dict[str, Callable[..., CommandOfPeople]]] = {
    "SeatReclaimed": ReclaimSeat,
    "PlayerResigned": Resign,
    "VacationEnded": EndVacation,
    "GameResumed": ResumeGame,
    "InvitationAccepted": AcceptInvitation,
}
"""By event: the command that causes it, where it says nothing but the seat."""


def decide_about_people(decision: Decision, command: CommandOfPeople) -> None:
    """Record what `command` causes on the decision's own game. Raises Refused."""
    if not isinstance(command, AcceptInvitation | TimeOut | PostMessage):
        refuse_finished(decision.game)
    if isinstance(command, CommandOfSeat) and not isinstance(command, PostMessage | ReclaimSeat):
        refuse_resigned(decision.game, command.seat)
    _DECISIONS[type(command)](decision, command)


def time_out(decision: Decision, command: TimeOut) -> None:
    """Time the present turn out if its deadline has passed; raises nothing."""
    game, until = decision.game, deadline(decision.game)
    is_due = until is not None and decision.now >= until and game.status == "playing"
    if not is_due or game.turn != command.turn or game.timed_out or player_of(game):
        return  # ended meanwhile, or timed out already: a job may run late, or more than once
    seat = game.turn_seat
    decision.record(TurnTimedOut(game.turn, seat))
    if is_played_out(game) and is_lost(game, seat):
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
    if decision.game.seats[command.seat].away != "abandoned":
        raise Refused(Reason.SEAT_NOT_ABANDONED)
    decision.record(SeatReclaimed(command.seat))


def replace_person(decision: Decision, command: JoinGame) -> None:
    """Give the lowest abandoned seat to a new person. Raises Refused where there is none, or it isn't free yet."""
    game = decision.game
    abandoned = (seat for seat, place in enumerate(game.seats) if place.away == "abandoned")
    seat = next(abandoned, None) if game.replaceable and not game.over else None
    if seat is None:
        raise Refused(Reason.NO_OPEN_SEAT)
    since = game.seats[seat].free_from
    if since is not None and since > decision.at and not command.is_history:
        raise Refused(Reason.NO_OPEN_SEAT, case="from", at=since)
    decision.record(SeatReplaced(seat, command.name, command.salt if game.salted else None))


def accept_invitation(decision: Decision, command: AcceptInvitation) -> None:
    """Record that the seat's person has come, where the first turn's clock waits for that one; raises nothing."""
    if is_awaited(decision.game, command.seat, decision.at):
        decision.record(InvitationAccepted(command.seat))


def resign(decision: Decision, command: Resign) -> None:
    decision.record(PlayerResigned(command.seat))
    conclude(decision)


def post_message(decision: Decision, command: PostMessage) -> None:
    if decision.game.seats[command.seat].name is None:
        raise Refused(Reason.GAME_NOT_STARTED, case="seat")
    refuse_message(decision.game, command.text)
    salt = command.salt if decision.game.salted else None
    decision.record(MessagePosted(command.seat, command.text, salt))


_OUTCOMES: Final[dict[str, Callable[[Game], Event]]] = {
    "cancel": lambda _game: GameCancelled(),
    "pause": lambda _game: GamePaused(),
    "release": lambda game: SeatAbandoned(game.turn_seat),
}
"""What was agreed on -> the event that makes it happen; the first one that all agree on happens."""


def give_consent(decision: Decision, command: GiveConsent) -> None:
    """Agree, and do what the last consent agrees on; an abandoned seat is reclaimed by it, as by an action."""
    game, seat = decision.game, command.seat
    refuse_consent(game, command, decision.at)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(ConsentGiven(seat, command.to, command.about))
    conclude(decision, command.to)  # alone: what all others agreed on before a seat was silent isn't meant


def withdraw_consent(decision: Decision, command: WithdrawConsent) -> None:
    refuse_withdrawal(decision.game, command)
    decision.record(ConsentWithdrawn(command.seat, command.to, command.about))


def conclude(decision: Decision, *agreements: str) -> None:
    """Record what all people who play agree on, if anything. Called after each event by which one agrees, or leaves."""
    for to in agreements or _OUTCOMES:
        if is_agreed(decision.game, to):
            decision.record(_OUTCOMES[to](decision.game))
            if to == "release":  # one has left by it
                conclude(decision)
            return


def take_vacation(decision: Decision, command: TakeVacation) -> None:
    """Stop the clock of the seat's turns until then, at once; an abandoned seat is reclaimed, as by an action."""
    game, seat = decision.game, command.seat
    refuse_vacation(game.seats[seat], decision.at, command.until)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(VacationTaken(seat, timestamp(command.until)))


def end_vacation(decision: Decision, command: EndVacation) -> None:
    game, seat = decision.game, command.seat
    if not is_on_vacation(game.seats[seat], decision.at):
        raise Refused(Reason.NOT_ON_VACATION)
    decision.record(VacationEnded(seat))


def resume_game(decision: Decision, command: ResumeGame) -> None:
    """End the pause, which one person can alone; an abandoned seat is reclaimed by it. Raises Refused."""
    game, seat = decision.game, command.seat
    if game.paused_since is None:
        raise Refused(Reason.GAME_NOT_PAUSED)
    if game.seats[seat].away:
        decision.record(SeatReclaimed(seat))
    decision.record(GameResumed(seat))


_DECISIONS: Final[dict[type, Callable[..., None]]] = {
    TimeOut: time_out,
    ReclaimSeat: reclaim,
    Resign: resign,
    GiveConsent: give_consent,
    WithdrawConsent: withdraw_consent,
    TakeVacation: take_vacation,
    EndVacation: end_vacation,
    ResumeGame: resume_game,
    AcceptInvitation: accept_invitation,
    PostMessage: post_message,
}
_COMMANDS: Final = {"TimeOut", *(kind.__name__ for kind in CommandOfSeat.__subclasses__())}
require_all("_DECISIONS about people", (kind.__name__ for kind in _DECISIONS), _COMMANDS)
