"""What each event about people makes of a game: the part of `evolve.py` that the rules of the cards know nothing of."""

from collections.abc import Callable
from typing import Any, Final

from domain.clock.deadline import clock_from, free_from, is_awaited, is_silent
from domain.clock.timestamps import milliseconds
from domain.commands import utf8_length
from domain.people.legality import (
    AGREEMENTS,
    MOST_VACATIONS,
    begin_wait,
    end_consents,
    is_agreed,
    is_on_vacation,
    is_played_by_person,
    left_of_vacation,
    without_agreement,
)
from domain.state import Game


def _turn_timed_out(game: Game, turn: int, seat: int) -> None:
    assert (turn, seat, game.timed_out) == (game.turn, game.turn_seat, False)
    assert game.pace is not None
    game.timed_out = True
    game.seats[seat].timeouts += 1
    game.seats[seat].late_turns += 1


def _bank_used(game: Game, seat: int, seconds: int, left: int) -> None:
    assert seconds > 0
    assert left >= 0
    assert game.seats[seat].bank == left + seconds
    game.seats[seat].bank = left


def _bank_refilled(game: Game, seat: int, seconds: int, left: int) -> None:
    assert seconds > 0
    assert game.pace is not None
    assert game.pace.bank_seconds is not None
    assert left <= game.pace.bank_seconds
    assert game.seats[seat].bank == left - seconds
    game.seats[seat].bank = left


def _vacation_taken(game: Game, seat: int, until: str) -> None:
    place, end = game.seats[seat], milliseconds(until)
    assert game.started
    assert is_played_by_person(game, seat)
    assert not is_on_vacation(place, game.at)
    assert len(place.vacations) < MOST_VACATIONS
    assert 0 < end - game.at <= left_of_vacation(place)
    place.vacations = (*place.vacations, (game.at, end))


def _vacation_ended(game: Game, seat: int) -> None:
    place = game.seats[seat]
    assert is_on_vacation(place, game.at)
    *earlier, (since, _) = place.vacations
    place.vacations = (*earlier, (since, game.at))


def _seats_invited(game: Game, seats: list[int]) -> None:
    assert not game.awaited
    assert all(is_played_by_person(game, seat) for seat in seats)
    game.awaited = frozenset(seats)
    game.turn_since = clock_from(game)


def _invitation_accepted(game: Game, seat: int) -> None:
    assert is_awaited(game, seat, game.at)
    _await_no_longer(game, seat)


def _await_no_longer(game: Game, seat: int) -> None:
    """Let the clock of the first turn begin with the last person that it waits for."""
    game.awaited -= {seat}
    if not game.awaited:
        game.turn_since = min(game.turn_since, game.at)


def _game_paused(game: Game) -> None:
    assert game.paused_since is None
    assert is_agreed(game, "pause")
    game.consents = without_agreement(game.consents, "pause")
    game.paused_since = game.at


def _game_resumed(game: Game, seat: int) -> None:
    assert game.paused_since is not None
    assert is_played_by_person(game, seat)
    game.pauses = (*game.pauses, (game.paused_since, game.at))
    game.paused_since = None


def _seat_abandoned(game: Game, seat: int) -> None:
    assert game.seats[seat].away is None
    game.seats[seat].away = "abandoned"
    if game.replaceable:
        game.seats[seat].free_from = free_from(game, game.at)
    end_consents(game, seat)


def _seat_reclaimed(game: Game, seat: int) -> None:
    place = game.seats[seat]
    assert place.away == "abandoned"
    place.away, place.free_from, place.timeouts, place.forgiven = None, None, 0, place.late_turns
    if seat == game.turn_seat:
        begin_wait(game)


def _seat_replaced(game: Game, seat: int, name: str, salt: str | None = None) -> None:
    assert game.replaceable
    assert (salt is not None) == game.salted
    _seat_reclaimed(game, seat)
    place = game.seats[seat]
    place.name, place.late_turns, place.forgiven, place.consents_given = name, 0, 0, 0


def _player_resigned(game: Game, seat: int) -> None:
    assert game.seats[seat].away != "resigned"
    assert game.started
    game.seats[seat].away, game.seats[seat].free_from = "resigned", None
    end_consents(game, seat)
    _await_no_longer(game, seat)


def _consent_given(game: Game, seat: int, to: str, about: int | None = None) -> None:
    assert game.started
    assert not game.over
    assert to in AGREEMENTS
    assert about == (game.turn_seat if to == "release" else None)
    assert about is None or (about != seat and is_silent(game, about, game.at))
    assert is_played_by_person(game, seat)
    assert (seat, to) not in game.consents
    game.consents |= {(seat, to)}
    game.seats[seat].consents_given += 1


def _consent_withdrawn(game: Game, seat: int, to: str, about: int | None = None) -> None:
    assert to in AGREEMENTS
    assert about == (game.turn_seat if to == "release" else None)
    assert is_played_by_person(game, seat)
    assert (seat, to) in game.consents
    game.consents -= {(seat, to)}


def _game_cancelled(game: Game) -> None:
    assert not game.over
    assert is_agreed(game, "cancel") or game.version < game.copied_until
    game.winners = []
    # This event's own version: `apply_event` counts it after this call.
    game.end = game.version + 1
    game.scoring = None


def _message_posted(game: Game, seat: int, text: str, salt: str | None = None) -> None:
    assert game.seats[seat].name is not None
    assert (salt is not None) == game.salted or game.version < game.copied_until
    game.messages += 1
    game.message_bytes += utf8_length(text)


def _of_own_people(effect: Callable[..., None]) -> Callable[..., None]:
    """The effect, but where the event is a copy of the parent's: it is about the people who played there."""

    def apply(game: Game, *values: Any) -> None:
        if game.version >= game.copied_until:
            effect(game, *values)

    return apply


EFFECTS_OF_PEOPLE: Final[dict[str, Callable[..., None]]] = {
    "TurnTimedOut": _of_own_people(_turn_timed_out),
    "BankUsed": _of_own_people(_bank_used),
    "BankRefilled": _of_own_people(_bank_refilled),
    "VacationTaken": _of_own_people(_vacation_taken),
    "VacationEnded": _of_own_people(_vacation_ended),
    "SeatsInvited": _of_own_people(_seats_invited),
    "InvitationAccepted": _of_own_people(_invitation_accepted),
    "GamePaused": _of_own_people(_game_paused),
    "GameResumed": _of_own_people(_game_resumed),
    "SeatAbandoned": _of_own_people(_seat_abandoned),
    "SeatReclaimed": _of_own_people(_seat_reclaimed),
    "SeatReplaced": _of_own_people(_seat_replaced),
    "PlayerResigned": _of_own_people(_player_resigned),
    "ConsentGiven": _of_own_people(_consent_given),
    "ConsentWithdrawn": _of_own_people(_consent_withdrawn),
    "GameCancelled": _game_cancelled,
    "MessagePosted": _message_posted,
}
"""By event type, as `evolve.EFFECTS`, which has them all."""
