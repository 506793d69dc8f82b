"""The clauses of a turn: what is taken, drawn and laid, and in which requests."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from domain.cards import BUSINESS_SET, BUSINESSES, MULTITALENT, RISK
from domain.commands import Act
from domain.events import BusinessmakerLaid, CardAppended, CardDrawn, CardTaken, DisplayRefilled, PileDrawn, TurnStarted
from tests.games.played import Clause, Moment, Played


def _laid(moment: Moment, *cards: str) -> bool:
    return isinstance(moment.event, BusinessmakerLaid) and moment.event.card in cards


def _appended(test: Callable[[CardAppended, Moment], object]) -> Clause:
    return lambda played: played.any(
        lambda moment: isinstance(moment.event, CardAppended) and test(moment.event, moment)
    )


def _under(event: CardAppended, moment: Moment) -> tuple[str, int, int]:
    """Businessmaker, length and multitalents of the row that the card came to."""
    row = moment.before.seats[event.seat].rows[event.row]
    return row.businessmaker, row.length, row.cards.count(MULTITALENT)


def _ten(moment: Moment) -> bool:
    return isinstance(moment.event, BusinessmakerLaid) and moment.event.row == 9


def _own_rows(moment: Moment) -> list[tuple[bool, bool]]:
    """Of the seat that lays or appends: whether each row is empty, whether it is closed."""
    assert isinstance(moment.event, BusinessmakerLaid | CardAppended)
    return [(row.business is None, row.closed) for row in moment.after.seats[moment.event.seat].rows]


def _whole_turn(played: Played) -> bool:
    return any(
        isinstance(step.command, Act) and len(step.command.actions) == 3 and not step.refusal for step in played.steps
    )


def _turn_of(*kinds: type) -> Clause:
    def shows(played: Played) -> bool:
        turn: list[type] = []
        for moment in played.moments:
            if isinstance(moment.event, TurnStarted):
                if turn == list(kinds):
                    return True
                turn = []
            elif isinstance(moment.event, CardTaken | PileDrawn | BusinessmakerLaid | CardAppended):
                turn.append(type(moment.event))
        return False

    return shows


def _stopped(played: Played, reason: str) -> bool:
    return any(isinstance(step.command, Act) and step.events and step.refusal == reason for step in played.steps)


ACTIONS: Final[dict[str, Clause]] = {
    "take, refilled at once": lambda played: any(
        isinstance(one.event, CardTaken) and isinstance(two.event, DisplayRefilled)
        for one, two in pairwise(played.moments)
    ),
    "draw": lambda played: played.any(lambda moment: isinstance(moment.event, CardDrawn)),
    "lay a business card": lambda played: played.any(lambda moment: _laid(moment, *BUSINESSES)),
    "lay a multitalent": lambda played: played.any(lambda moment: _laid(moment, MULTITALENT)),
    "lay a risk card": lambda played: played.any(lambda moment: _laid(moment, RISK)),
    "a row of its businessmaker's business": _appended(lambda event, moment: event.card == _under(event, moment)[0]),
    "a row of another business": _appended(
        lambda event, moment: event.card in BUSINESS_SET and event.card != _under(event, moment)[0]
    ),
    "a multitalent on a row": _appended(lambda event, _: event.card == MULTITALENT),
    "three multitalents on a row": _appended(
        lambda event, moment: event.card == MULTITALENT and _under(event, moment)[2] == 2
    ),
    "a business card after a multitalent": _appended(
        lambda event, moment: event.card in BUSINESS_SET and _under(event, moment)[2]
    ),
    "a risk card on one business card": _appended(
        lambda event, moment: event.card == RISK and _under(event, moment)[1] == 1
    ),
    "a risk card on a longer row": _appended(lambda event, moment: event.card == RISK and _under(event, moment)[1] > 2),
    "a risk card after a multitalent": _appended(lambda event, moment: event.card == RISK and _under(event, moment)[2]),
    "three empty businessmakers of a seat": lambda played: played.any(
        lambda moment: isinstance(moment.event, BusinessmakerLaid) and sum(empty for empty, _ in _own_rows(moment)) == 3
    ),
    "ten businessmakers": lambda played: played.any(_ten),
    "ten businessmakers, empty and closed ones among them": lambda played: played.any(
        lambda moment: (
            _ten(moment)
            and sum(empty for empty, _ in _own_rows(moment)) > 1
            and any(closed for _, closed in _own_rows(moment))
        )
    ),
    "appending with ten businessmakers": _appended(lambda _, moment: len(_own_rows(moment)) == 10),
    "a businessmaker is hidden from its owner's next turn on": lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, TurnStarted)
            and any(row.shown for row in moment.before.seats[moment.event.seat].rows)
        )
    ),
    "a turn of three takes": _turn_of(CardTaken, CardTaken, CardTaken),
    "a turn of three businessmakers": _turn_of(BusinessmakerLaid, BusinessmakerLaid, BusinessmakerLaid),
    "a turn of three cards on rows": _turn_of(CardAppended, CardAppended, CardAppended),
    "a turn of a businessmaker and two cards on rows": _turn_of(BusinessmakerLaid, CardAppended, CardAppended),
    "a turn of a draw and a take": _turn_of(PileDrawn, CardTaken),
    "a turn of a take and a draw": _turn_of(CardTaken, PileDrawn),
    "a turn of a draw and a businessmaker": _turn_of(PileDrawn, BusinessmakerLaid),
    "a turn of a card on a row and a draw": _turn_of(CardAppended, PileDrawn),
    "three actions in one request": _whole_turn,
    **{
        f"a request stops: {reason}": (lambda played, reason=reason: _stopped(played, reason))
        for reason in ("not-your-turn", "scoring-in-progress", "not-enough-action-points", "no-such-row")
    },
}
