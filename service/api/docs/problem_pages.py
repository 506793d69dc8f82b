"""What the `type` of a problem points at: a short page on each code."""

from html import escape
from typing import Final

from flask import Blueprint, Response

from domain.refusals import Reason
from service.api.protocol.problems import TITLES, Problem, title_of

problem_pages = Blueprint("problem_pages", __name__)

MEANINGS: Final = {
    "malformed-json": "The body is empty, isn't JSON in UTF-8, names a member twice or holds a number that isn't one.",
    "bad-request": "The request itself is broken. Check the client.",
    "missing-token": "Only a seat can ask for this. Send its token: Authorization: Bearer <token>.",
    "invalid-token": "The service has not issued this token, or it is void. To watch the game, send none.",
    "not-your-game": "The token is good, but for a seat of another game.",
    "forbidden": "Metrics are given to the machine itself or to the bearer of the metrics token.",
    "no-such-game": "No game has this id. Ids are case-sensitive, and never guessed.",
    "no-such-version": "Versions count from 1 to the game's present one, which `version` tells.",
    "not-found": "No resource has this address. /docs lists what there is.",
    "method-not-allowed": "The resource is there, but not for this method: Allow names those that it takes.",
    "not-acceptable": "The resource comes in none of the media types in Accept; the detail names those it has.",
    "stale-version": "The game is no longer at a version in If-Match, or at the one where a fork was to begin. "
    "Nothing was done: look at it again, then decide.",
    "body-too-large": "A body may have up to 65536 bytes.",
    "unsupported-media-type": "Send application/json, in UTF-8, without Content-Encoding.",
    "invalid-request": "The request can be read, but not like this: `errors` has the messages by field.",
    "idempotency-key-reused": "The key came with another body before. A new request needs a new key.",
    "too-many-requests": "Slow down, and try again after as many seconds as Retry-After says.",
    "store-unavailable": "The games can't be reached for the moment. Repeat the request with the same Idempotency-Key: "
    "the answer says whether the first was accepted.",
    "too-many-waiting": "Too many long polls are open. Ask without `wait`, or later.",
    "internal-error": "A fault of the service, noted in its log.",
    Reason.GAME_NOT_STARTED: "The game starts when its last open seat is taken.",
    Reason.GAME_OVER: "The game has ended; nothing changes it any more.",
    Reason.SCORING_IN_PROGRESS: "A scoring round interrupts the game. It takes a moment: try again when the view's "
    "status is no longer `scoring`.",
    Reason.NOT_YOUR_TURN: "Another seat is on turn: the view's `turn` says which.",
    Reason.NOT_ENOUGH_ACTION_POINTS: "The action costs more action points than the turn has left.",
    Reason.CARD_NOT_IN_HAND: "The seat's hand doesn't hold this card.",
    Reason.NO_SUCH_ROW: "Rows are the seat's own, counted from 0 in the order laid.",
    Reason.ROW_CLOSED: "A risk card has closed the row: nothing more can be appended.",
    Reason.ROW_NEEDS_BUSINESS_FIRST: "The first card of a row is a business card, which fixes the row's business.",
    Reason.WRONG_BUSINESS: "The row takes cards of its own business, and specials.",
    Reason.BUSINESS_ALREADY_HAS_ROW: "A seat has one row for a business: append to that one.",
    Reason.TOO_MANY_BUSINESSMAKERS: "Ten are laid, empty and closed ones included; there can be no more.",
    Reason.NO_OPEN_SEAT: "All seats of the game are taken. You can watch it.",
}
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<h1>{title}</h1>
<p>{meaning}</p>
<p><code>{code}</code>, status {status}. <a href="/docs">The API</a></p>
</html>
"""


@problem_pages.get("/problems/<code>")
def show_problem(code: str) -> Response:
    """The page on one code."""
    if code not in MEANINGS:
        raise Problem("not-found", "No such resource.")
    status, title = TITLES[code] if code in TITLES else (409, title_of(Reason(code)))
    page = _PAGE.format(title=escape(title), meaning=escape(MEANINGS[code], quote=False), code=code, status=status)
    return Response(
        page, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": "default-src 'none'"}
    )
