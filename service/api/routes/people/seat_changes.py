"""Changes that a seat's person makes to its part in the game: each takes a POST, some are taken back by DELETE.

Vacations, the way back to an abandoned seat, and the way out of the game; and agreements of all people who play: to a
pause, to the game's end, to let a bot play on for a silent seat.
"""

from typing import Final

from flask import Response
from marshmallow import Schema

from domain.commands import (
    Command,
    EndVacation,
    GiveConsent,
    ReclaimSeat,
    Resign,
    ResumeGame,
    TakeVacation,
    WithdrawConsent,
)
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.response import outcome_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.requests import VacationSchema

routes: Final = RouteTable("play")

_REFUSED_UNLESS_RUNNING: Final = frozenset({Reason.GAME_NOT_STARTED, Reason.GAME_OVER})
"""Refusals of a change that needs a running game."""
_REFUSED_UNLESS_PLAYING: Final = _REFUSED_UNLESS_RUNNING | {Reason.SEAT_RESIGNED}
"""Refusals of a change that needs a seat which has not resigned, too."""
_WITHDRAWN: Final = _REFUSED_UNLESS_PLAYING | {Reason.CONSENT_UNCHANGED}
_GIVEN: Final = _WITHDRAWN | {Reason.TOO_MANY_CONSENTS}


def change(refusals: frozenset[str], *, takes_back: bool = False, body: tuple[type[Schema], ...] = ()) -> Operation:
    """What such a route takes and answers. `takes_back`: it is a DELETE."""
    return Operation(
        asker=Asker.SEAT,
        body=body,
        shortest_key=1,
        takes=("If-Match",),
        answers={200 if takes_back else 201: "Accepted"},
        sends=("ETag",),
        refusals=refusals,
    )


def carry_out(request: GameRequest, command: Command, resource: str, undo: str = "") -> Response:
    """Append what the command causes. `resource`: the last word of the path; `undo`: of a DELETE, what it does."""
    parts = [resource, undo, request.path.get("seat", ""), str(request.seat)]
    outcome = request.carry_out(command, resource, "/".join(filter(None, parts)))
    return outcome_response(outcome, request.seat, request.services.receipts, 200 if undo else 201)


@routes.post(
    "/v1/games/<game>/vacation", change(_REFUSED_UNLESS_PLAYING | {Reason.VACATION_REFUSED}, body=(VacationSchema,))
)
def take_vacation(request: GameRequest) -> Response:
    """Go on vacation: the clock of the seat's turns stops now.

    It begins at once, whichever seat is to play, and no deadline counts its time; the seat can act meanwhile. At most
    two vacations in a game, of 30 days together; what one that ended early has left over is for the other.
    """
    until = request.validate_body()["until"]
    return carry_out(request, TakeVacation(seat=request.seat, until=until), "vacation")


@routes.delete("/v1/games/<game>/vacation", change(_REFUSED_UNLESS_PLAYING | {Reason.NOT_ON_VACATION}, takes_back=True))
def end_vacation(request: GameRequest) -> Response:
    """Come back from vacation before its end.

    The clock runs again.
    """
    return carry_out(request, EndVacation(seat=request.seat), "vacation", "end")


@routes.post("/v1/games/<game>/reclaim", change(_REFUSED_UNLESS_RUNNING | {Reason.SEAT_NOT_ABANDONED}))
def reclaim_seat(request: GameRequest) -> Response:
    """Take an abandoned seat back.

    A seat is abandoned when two of its turns in a row, or `timeouts` of them, have timed out, or the others release it;
    a bot plays until its person is back. An accepted action takes the seat back, too. There is no body.
    """
    return carry_out(request, ReclaimSeat(seat=request.seat), "reclaim")


@routes.post("/v1/games/<game>/resign", change(_REFUSED_UNLESS_PLAYING))
def resign(request: GameRequest) -> Response:
    """Leave the game for good; a bot plays on.

    The bot plays the seat to the end of the game, and its token can only watch and write messages. There is no body.
    """
    return carry_out(request, Resign(seat=request.seat), "resign")


@routes.post("/v1/games/<game>/cancel", change(_GIVEN))
def agree_to_cancel(request: GameRequest) -> Response:
    """Agree to cancel the game; with the last consent it is over, without a winner.

    The game is cancelled when all seats that people play have agreed: it is over without a winner, and its cards are
    shown as after every end. Resigned, abandoned and silent seats need not agree. `consents` of the view lists those
    that have agreed. There is no body.
    """
    return carry_out(request, GiveConsent(seat=request.seat, to="cancel"), "cancel")


@routes.delete("/v1/games/<game>/cancel", change(_WITHDRAWN, takes_back=True))
def withdraw_cancel(request: GameRequest) -> Response:
    """Withdraw the consent to cancel the game.

    Until the last one has agreed.
    """
    return carry_out(request, WithdrawConsent(seat=request.seat, to="cancel"), "cancel", "withdraw")


@routes.post("/v1/games/<game>/pause", change(_GIVEN | {Reason.GAME_PAUSED}))
def agree_to_pause(request: GameRequest) -> Response:
    """Agree to pause the game; with the last consent the clock stops.

    The game is paused when all seats that people play have agreed: the clock stops, and everything else
    continues. `consents` of the view lists those that have agreed. There is no body.
    """
    return carry_out(request, GiveConsent(seat=request.seat, to="pause"), "pause")


@routes.delete("/v1/games/<game>/pause", change(_WITHDRAWN, takes_back=True))
def withdraw_pause(request: GameRequest) -> Response:
    """Withdraw the consent to pause the game.

    Until the last one has agreed.
    """
    return carry_out(request, WithdrawConsent(seat=request.seat, to="pause"), "pause", "withdraw")


@routes.post("/v1/games/<game>/seats/<seat>/release", change(_GIVEN | {Reason.SEAT_NOT_SILENT}))
def agree_to_release(request: GameRequest) -> Response:
    """Agree that a bot plays on for a silent seat.

    It does when all other seats that people play have agreed, and the game has waited 14 days for this one; pauses,
    vacations and hours in which the clock is stopped don't count. The seat is abandoned then, and can be reclaimed.
    There is no body.
    """
    return _release(request, GiveConsent)


@routes.delete("/v1/games/<game>/seats/<seat>/release", change(_WITHDRAWN, takes_back=True))
def withdraw_release(request: GameRequest) -> Response:
    """Withdraw the consent that a bot plays on for a silent seat.

    Until the last one has agreed; when the silent seat acts, all these consents end.
    """
    return _release(request, WithdrawConsent, "withdraw")


def _release(request: GameRequest, command: type[GiveConsent | WithdrawConsent], undo: str = "") -> Response:
    about = {str(seat): seat for seat in range(5)}.get(request.path["seat"], -1)  # the game waits for no other
    return carry_out(request, command(seat=request.seat, to="release", about=about), "release", undo)


@routes.post("/v1/games/<game>/resume", change(_REFUSED_UNLESS_PLAYING | {Reason.GAME_NOT_PAUSED}))
def resume_game(request: GameRequest) -> Response:
    """End a pause.

    Any one player can. There is no body.
    """
    return carry_out(request, ResumeGame(seat=request.seat), "resume")
