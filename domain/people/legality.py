"""What the people of a game may agree on, and how long a vacation may stop the clock of a seat's turns.

Rule 1: what is agreed on happens as soon as everyone agrees who plays, with the event that makes it so: the last
consent, or the leaving of the last one who has not agreed.
Rule 2: consents are public, and can be withdrawn until then. They end when their person leaves, who agrees anew once
back.
Times are in ms since 1970.
"""

from typing import Final

from domain.clock.deadline import SILENT_MS, is_silent, silent_from
from domain.commands import GiveConsent, WithdrawConsent
from domain.refusals import Reason, Refused
from domain.state import Consents, Game, Seat

AGREEMENTS: Final = ("cancel", "pause", "release")
"""What can be agreed on: `to` of a consent. To release is about the seat whose turn it is: no other can be silent."""
MOST_CONSENTS: Final = 20
"""That a seat's person may give in one game, to all agreements together; so no more can be withdrawn."""


def people_who_play(game: Game) -> list[int]:
    """The seats that must agree: each that its person plays. A turn that has timed out leaves its person in play."""
    return [seat for seat in range(len(game.seats)) if is_played_by_person(game, seat)]


def is_played_by_person(game: Game, seat: int) -> bool:
    """Whether a person has the seat, and has neither abandoned it nor resigned."""
    place = game.seats[seat]
    return place.name is not None and place.bot is None and place.away is None


def is_agreed(game: Game, to: str) -> bool:
    """Whether all people who play have agreed, but for a silent one; never where none has."""
    heard = [seat for seat in people_who_play(game) if not is_silent(game, seat, game.at)]
    return any(consent[1] == to for consent in game.consents) and all((seat, to) in game.consents for seat in heard)


def consenting(game: Game, to: str) -> list[int]:
    return sorted(seat for seat, agreement in game.consents if agreement == to)


def asked_of(consents: Consents, seat: int, turn_seat: int) -> list[str]:
    """What others ask the seat's person for that one has not agreed to; no seat releases itself."""
    mine = {to for consenting, to in consents if consenting == seat} | ({"release"} if turn_seat == seat else set())
    return sorted({to for _, to in consents} - mine)


def end_consents(game: Game, seat: int) -> None:
    """End what the seat's person, who leaves, has agreed to, and what others have agreed about the seat."""
    about = "release" if seat == game.turn_seat else ""
    game.consents = frozenset(consent for consent in game.consents if consent[0] != seat and consent[1] != about)


def begin_wait(game: Game) -> None:
    """Let the game wait anew for the seat that is to act: none is silent, and no seat is to be released."""
    game.waiting_since, game.waits_in_copy = game.at, game.version < game.copied_until
    if game.consents:
        game.consents = without_agreement(game.consents, "release")


def without_agreement(consents: Consents, to: str) -> Consents:
    """The consents that are left when what was agreed on has happened: the next time all agree anew."""
    return frozenset(consent for consent in consents if consent[1] != to)


def refuse_consent(game: Game, consent: GiveConsent, at: int) -> None:
    """Raise Refused where the seat has agreed already or too often, to a pause while there is one, or too early."""
    seat, to = consent.seat, consent.to
    if to == "release":
        since = None if consent.about == seat else silent_from(game, consent.about)
        if since is None or since > at:
            case: dict[str, int | str] = {"case": "from", "at": since} if since else {}
            raise Refused(Reason.SEAT_NOT_SILENT, days=SILENT_MS // _DAY, **case)
    if to == "pause" and game.paused_since is not None:
        raise Refused(Reason.GAME_PAUSED)
    if (seat, to) in game.consents:
        raise Refused(Reason.CONSENT_UNCHANGED, case="given")
    if game.seats[seat].consents_given >= MOST_CONSENTS:
        raise Refused(Reason.TOO_MANY_CONSENTS, most=MOST_CONSENTS)


def refuse_withdrawal(game: Game, consent: WithdrawConsent) -> None:
    is_other = consent.to == "release" and consent.about != game.turn_seat
    if is_other or (consent.seat, consent.to) not in game.consents:
        raise Refused(Reason.CONSENT_UNCHANGED, case="withdrawn")


MOST_VACATION_DAYS: Final = 30
"""Of a seat in a game, all its vacations together."""
MOST_VACATIONS: Final = 2
"""Of a seat in a game."""
_DAY: Final = 24 * 3600 * 1000
MOST_VACATION_MS: Final = MOST_VACATION_DAYS * _DAY


def is_on_vacation(place: Seat, at: int) -> bool:
    return bool(place.vacations) and place.vacations[-1][1] > at


def left_of_vacation(place: Seat) -> int:
    """How long the seat's vacations may still be, in milliseconds."""
    return MOST_VACATION_MS - sum(until - since for since, until in place.vacations)


def refuse_vacation(place: Seat, at: int, until: int) -> None:
    if is_on_vacation(place, at):
        raise Refused(Reason.VACATION_REFUSED, case="running")
    if len(place.vacations) >= MOST_VACATIONS:
        raise Refused(Reason.VACATION_REFUSED, case="number", most=MOST_VACATIONS)
    if until <= at:
        raise Refused(Reason.VACATION_REFUSED, case="past")
    left = left_of_vacation(place)
    if until - at > left:
        raise Refused(Reason.VACATION_REFUSED, case="days", most=MOST_VACATION_DAYS, hours=left * 24 // _DAY)
