"""What each event about people makes of a game: the part of `evolve.py` that the rules of the cards know nothing of."""

from collections.abc import Callable
from typing import Final

from domain.clock.timestamps import milliseconds
from domain.commands import utf8_length
from domain.people.consent import AGREEMENTS, is_agreed, is_played_by_person, without_agreement, without_seat
from domain.people.vacation import MOST_VACATIONS, is_on_vacation, left_of_vacation
from domain.state import Game


def _turn_timed_out(game: Game, turn: int, seat: int) -> None:
    if _is_history(game):
        return
    assert (turn, seat, game.timed_out) == (game.turn, game.turn_seat, False)
    assert game.pace is not None
    game.timed_out = True
    game.seats[seat].timeouts += 1


def _bank_used(game: Game, seat: int, seconds: int, left: int) -> None:
    if _is_history(game):
        return
    assert seconds > 0
    assert left >= 0
    assert game.seats[seat].bank == left + seconds
    game.seats[seat].bank = left


def _bank_refilled(game: Game, seat: int, seconds: int, left: int) -> None:
    if _is_history(game):
        return
    assert seconds > 0
    assert game.pace is not None
    assert game.pace.bank_seconds is not None
    assert left <= game.pace.bank_seconds
    assert game.seats[seat].bank == left - seconds
    game.seats[seat].bank = left


def _vacation_taken(game: Game, seat: int, until: str) -> None:
    if _is_history(game):
        return
    place, end = game.seats[seat], milliseconds(until)
    assert game.started
    assert is_played_by_person(game, seat)
    assert not is_on_vacation(place, game.at)
    assert len(place.vacations) < MOST_VACATIONS
    assert 0 < end - game.at <= left_of_vacation(place)
    place.vacations = (*place.vacations, (game.at, end))


def _vacation_ended(game: Game, seat: int) -> None:
    if _is_history(game):
        return
    place = game.seats[seat]
    assert is_on_vacation(place, game.at)
    *earlier, (since, _) = place.vacations
    place.vacations = (*earlier, (since, game.at))


def _game_paused(game: Game) -> None:
    if _is_history(game):
        return
    assert game.paused_since is None
    assert is_agreed(game, "pause")
    game.consents = without_agreement(game.consents, "pause")
    game.paused_since = game.at


def _game_resumed(game: Game, seat: int) -> None:
    if _is_history(game):
        return
    assert game.paused_since is not None
    assert is_played_by_person(game, seat)
    game.pauses = (*game.pauses, (game.paused_since, game.at))
    game.paused_since = None


def _seat_abandoned(game: Game, seat: int) -> None:
    if _is_history(game):
        return
    assert game.seats[seat].away is None
    game.seats[seat].away = "abandoned"
    game.consents = without_seat(game.consents, seat)


def _seat_reclaimed(game: Game, seat: int) -> None:
    if _is_history(game):
        return
    assert game.seats[seat].away == "abandoned"
    game.seats[seat].away, game.seats[seat].timeouts = None, 0


def _seat_replaced(game: Game, seat: int, name: str) -> None:
    if _is_history(game):
        return
    place = game.seats[seat]
    assert game.replaceable
    assert place.away == "abandoned"
    place.name, place.away, place.timeouts, place.consents_given = name, None, 0, 0


def _player_resigned(game: Game, seat: int) -> None:
    if _is_history(game):
        return
    assert game.seats[seat].away != "resigned"
    assert game.started
    game.seats[seat].away = "resigned"
    game.consents = without_seat(game.consents, seat)


def _consent_given(game: Game, seat: int, to: str) -> None:
    if _is_history(game):
        return
    assert game.started
    assert not game.over
    assert to in AGREEMENTS
    assert is_played_by_person(game, seat)
    assert (seat, to) not in game.consents
    game.consents |= {(seat, to)}
    game.seats[seat].consents_given += 1


def _consent_withdrawn(game: Game, seat: int, to: str) -> None:
    if _is_history(game):
        return
    assert to in AGREEMENTS
    assert is_played_by_person(game, seat)
    assert (seat, to) in game.consents
    game.consents -= {(seat, to)}


def _game_cancelled(game: Game) -> None:
    assert not game.over
    assert is_agreed(game, "cancel") or _is_history(game)
    game.winners = []
    # This event's own version: `apply_event` counts it after this call.
    game.end = game.version + 1
    game.scoring = None


def _is_history(game: Game) -> bool:
    """Whether the next event is a copy of the parent's, and about the people who played there."""
    return game.version < game.copied_until


def _message_posted(game: Game, seat: int, text: str) -> None:
    assert text
    assert game.seats[seat].name is not None
    game.messages += 1
    game.message_bytes += utf8_length(text)


EFFECTS_OF_PEOPLE: Final[dict[str, Callable[..., None]]] = {
    "TurnTimedOut": _turn_timed_out,
    "BankUsed": _bank_used,
    "BankRefilled": _bank_refilled,
    "VacationTaken": _vacation_taken,
    "VacationEnded": _vacation_ended,
    "GamePaused": _game_paused,
    "GameResumed": _game_resumed,
    "SeatAbandoned": _seat_abandoned,
    "SeatReclaimed": _seat_reclaimed,
    "SeatReplaced": _seat_replaced,
    "PlayerResigned": _player_resigned,
    "ConsentGiven": _consent_given,
    "ConsentWithdrawn": _consent_withdrawn,
    "GameCancelled": _game_cancelled,
    "MessagePosted": _message_posted,
}
"""By event type, as `evolve.EFFECTS`, which has them all."""
