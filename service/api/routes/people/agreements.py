"""Agreements of all people who play: to a pause, to the game's end, to let a bot play on for a silent seat."""

from typing import Final

from flask import Response

from domain.commands import GiveConsent, ResumeGame, WithdrawConsent
from domain.refusals import Reason
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import RouteTable
from service.api.routes.people.seat_changes import REFUSED_UNLESS_PLAYING, carry_out, change

routes: Final = RouteTable("play")

_WITHDRAWN: Final = REFUSED_UNLESS_PLAYING | {Reason.CONSENT_UNCHANGED}
_GIVEN: Final = _WITHDRAWN | {Reason.TOO_MANY_CONSENTS}


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


@routes.post("/v1/games/<game>/resume", change(REFUSED_UNLESS_PLAYING | {Reason.GAME_NOT_PAUSED}))
def resume_game(request: GameRequest) -> Response:
    """End a pause.

    Any one player can. There is no body.
    """
    return carry_out(request, ResumeGame(seat=request.seat), "resume")
