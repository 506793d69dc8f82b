"""What the game's page says of time: when the turn ends, and which players are away. All of it is open to all."""

from collections.abc import Mapping
from datetime import UTC, datetime

from babel.dates import format_date, format_time

from domain.clock.deadline import deadline, player_of
from domain.state import Game, Seat
from domain.words.catalogue import read
from domain.words.wording import Words


def note_clock(game: Game, words: Words) -> str:
    """A sentence about the clock of the present turn; empty where none runs."""
    plain: Mapping[str, str] = read(words.language, "plain_table")
    if game.over or not game.turn:
        return ""
    if game.paused_since is not None:
        return plain["paused"]
    if game.timed_out:
        return plain["late"]
    until = deadline(game)
    return "" if until is None or player_of(game) is not None else plain["deadline"].format(time=_format(until, words))


def note_seats(game: Game, words: Words, now: int) -> list[str]:
    """By seat: why its player is away, if so. `now`: in ms since 1970."""
    return ["" if game.over else _note_seat(seat, words, now) for seat in game.seats]


def _note_seat(seat: Seat, words: Words, now: int) -> str:
    plain: Mapping[str, str] = read(words.language, "plain_table")
    if seat.away is not None:
        return plain["abandoned"] if seat.away == "abandoned" else plain["resigned"]
    until = next((until for since, until in seat.vacations if since <= now < until), None)
    return "" if until is None else plain["vacation"].format(time=_format(until, words))


def _format(milliseconds: int, words: Words) -> str:
    moment, locale = datetime.fromtimestamp(milliseconds // 1000, UTC), words.locale
    return f"{format_date(moment, 'long', locale)}, {format_time(moment, 'short', locale=locale)} UTC"
