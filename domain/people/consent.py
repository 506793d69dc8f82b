"""What the people of a game agree on: who must agree, and whether all have.

Rule 1: a thing happens as soon as everyone agrees who plays, with the event that makes it so: the last consent, or the
leaving of the last one who has not agreed.
Rule 2: consents are public, and can be withdrawn until then. They end when their person
leaves, who agrees anew once back.
"""

from typing import Final

from domain.refusals import Reason, Refused
from domain.state import Consents, Game

AGREEMENTS: Final = ("cancel", "pause")
"""What can be agreed on: `to` of a consent."""
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
    """Whether all people who play have agreed; never where no person plays."""
    people = people_who_play(game)
    return bool(people) and all((seat, to) in game.consents for seat in people)


def consenting(game: Game, to: str) -> list[int]:
    """The seats that have agreed so far."""
    return sorted(seat for seat, agreement in game.consents if agreement == to)


def without_seat(consents: Consents, seat: int) -> Consents:
    """The consents that are left when the seat's person leaves."""
    return frozenset(one for one in consents if one[0] != seat)


def without_agreement(consents: Consents, to: str) -> Consents:
    """The consents that are left when what was agreed on has happened: the next time all agree anew."""
    return frozenset(one for one in consents if one[1] != to)


def refuse_consent(game: Game, seat: int, to: str) -> None:
    """Raise Refused where the seat has agreed already, or too often, or to a pause while there is one."""
    if to == "pause" and game.paused_since is not None:
        raise Refused(Reason.GAME_PAUSED)
    if (seat, to) in game.consents:
        raise Refused(Reason.CONSENT_UNCHANGED, case="given")
    if game.seats[seat].consents_given >= MOST_CONSENTS:
        raise Refused(Reason.TOO_MANY_CONSENTS, most=MOST_CONSENTS)


def refuse_withdrawal(game: Game, seat: int, to: str) -> None:
    """Raise Refused where there is nothing to withdraw."""
    if (seat, to) not in game.consents:
        raise Refused(Reason.CONSENT_UNCHANGED, case="withdrawn")
