"""Every problem code of the contract, with its status, title and meaning: the one table of errors."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from domain.refusals import Reason


@dataclass(frozen=True, slots=True)
class Code:
    """What each problem of one code has in common."""

    status: int
    title: str
    meaning: str
    """For the code's page: what it says, and what to do."""


def _conflict(title: str, meaning: str) -> Code:
    return Code(HTTPStatus.CONFLICT.value, title, meaning)


CODES: Final[dict[str, Code]] = {
    "malformed-json": Code(
        400,
        "The body is not valid JSON",
        "The body is empty, isn't JSON in UTF-8, repeats a member name or holds an invalid number.",
    ),
    "bad-request": Code(400, "The request is malformed", "The request itself is broken. Check the client."),
    "missing-token": Code(
        401,
        "A seat token is required",
        "Only a seat can send this request. Add its token: Authorization: Bearer <token>.",
    ),
    "invalid-token": Code(
        401,
        "The seat token is not valid",
        "The service has not issued this token, or it is void. To watch the game, send no token.",
    ),
    "not-your-game": Code(
        403, "The seat token is for another game", "The token is valid, but for a seat of another game."
    ),
    "forbidden": Code(
        403,
        "Access is not allowed",
        "Metrics are given to the machine itself or to the bearer of the metrics token.",
    ),
    "no-such-game": Code(
        404, "The game does not exist", "No game has this id. Ids are case-sensitive and can't be guessed."
    ),
    "no-such-version": Code(
        404,
        "The game has no such version",
        "Versions count from 1 to the game's present one, which is the member `version`.",
    ),
    "not-found": Code(404, "The resource does not exist", "No resource has this address. /docs lists all of them."),
    "method-not-allowed": Code(
        405,
        "The method is not allowed here",
        "The resource exists, but not for this method: the header Allow lists its methods.",
    ),
    "not-acceptable": Code(
        406,
        "Not available in an accepted media type",
        "The resource has none of the media types in Accept; `detail` lists those that it has.",
    ),
    "stale-version": Code(
        412,
        "The game has changed since that version",
        "The game is not at a version in If-Match, or not at the version where a fork was to begin. "
        "Nothing was done: fetch the game again, then decide.",
    ),
    "body-too-large": Code(413, "The body is too large", "A body may have up to 65536 bytes."),
    "unsupported-media-type": Code(
        415, "The body must be JSON", "Send application/json, in UTF-8, without Content-Encoding."
    ),
    "invalid-request": Code(
        422,
        "The request is not valid",
        "The body or the query has a wrong field: `errors` has messages by field.",
    ),
    "idempotency-key-reused": Code(
        422,
        "This Idempotency-Key was already used with another body",
        "A repeat must have the same body as the first request. A new request needs a new key.",
    ),
    "too-many-requests": Code(
        429, "Too many requests", "Send fewer requests; try again after as many seconds as Retry-After says."
    ),
    "store-unavailable": Code(
        503,
        "The store is not available",
        "The service can't reach its store at the moment. Repeat the request with the same Idempotency-Key: "
        "the answer says whether the first one was accepted.",
    ),
    "too-many-waiting": Code(
        503,
        "Too many requests are waiting",
        "Too many long polls or event streams are open. Ask without `wait`, or later.",
    ),
    "internal-error": Code(500, "The service failed", "A fault of the service, recorded in its log."),
    Reason.GAME_NOT_STARTED: _conflict("The game has not started", "The game starts when its last open seat is taken."),
    Reason.GAME_OVER: _conflict("The game is over", "The game has ended and can't be changed any more."),
    Reason.SCORING_IN_PROGRESS: _conflict(
        "A scoring round is in progress",
        "A scoring round interrupts the game for a moment: try again when the view's status is no longer `scoring`.",
    ),
    Reason.NOT_YOUR_TURN: _conflict("It is another seat's turn", "The view's `turn` says which seat it is."),
    Reason.NOT_ENOUGH_ACTION_POINTS: _conflict(
        "Not enough action points", "The action costs more action points than the turn has left."
    ),
    Reason.CARD_NOT_IN_HAND: _conflict("The card is not in the hand", "The seat's hand doesn't hold this card."),
    Reason.NO_SUCH_ROW: _conflict(
        "The seat has no such row", "A seat appends to its own rows, counted from 0 in the order laid."
    ),
    Reason.ROW_CLOSED: _conflict("The row is closed", "A risk card has closed the row: nothing more can be appended."),
    Reason.ROW_NEEDS_BUSINESS_FIRST: _conflict(
        "The row needs a business card first",
        "The first card of a row is a business card, which fixes the row's business.",
    ),
    Reason.WRONG_BUSINESS: _conflict(
        "The card is of another business", "The row takes cards of its own business, and specials."
    ),
    Reason.BUSINESS_ALREADY_HAS_ROW: _conflict(
        "The business already has a row", "A seat has one row for each business: append to that one."
    ),
    Reason.TOO_MANY_BUSINESSMAKERS: _conflict(
        "Too many businessmakers", "A seat can lay ten businessmakers, empty and closed ones included."
    ),
    Reason.NO_OPEN_SEAT: _conflict("No seat is open", "All seats of the game are taken. It can still be watched."),
    Reason.TOO_MANY_MESSAGES: _conflict(
        "The game has too many messages",
        "A game takes 1,000 messages with 256 KiB of text in all, and a fork copies up to 64 KiB of them.",
    ),
}
"""In the order of the contract."""

assert CODES.keys() >= set(Reason), "every reason of the domain needs an entry in CODES"
