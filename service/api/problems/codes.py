"""Every problem code of the contract, with its status, title and page: the one table of errors.

Text between backticks is code.
"""

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
    """For the code's page: what has happened."""
    remedy: str
    """For the code's page: what to do."""


def _conflict(title: str, meaning: str, remedy: str) -> Code:
    return Code(HTTPStatus.CONFLICT.value, title, meaning, remedy)


CODES: Final[dict[str, Code]] = {
    "malformed-json": Code(
        400,
        "The body is not valid JSON",
        "The body is empty, isn't JSON in UTF-8, repeats a member name or holds an invalid number.",
        "Send the body that a JSON library writes. `detail` says where the fault is.",
    ),
    "bad-request": Code(
        400,
        "The request is malformed",
        "The request isn't HTTP as it should be, a header is too long, or the body was cut off.",
        "Send it again. If that doesn't help, the client or a proxy is at fault.",
    ),
    "missing-token": Code(
        401,
        "A seat token is required",
        "Only a seat can send this request, and it came without a token.",
        "Add the seat's token: `Authorization: Bearer <token>`. "
        "It was in the answer that opened the game, or that took the seat.",
    ),
    "invalid-token": Code(
        401,
        "The seat token is not valid",
        "The service has not issued this token, or it is void.",
        "Check that it was copied whole, and sent as `Authorization: Bearer <token>`. To watch the game, send none.",
    ),
    "not-your-game": Code(
        403,
        "The seat token is for another game",
        "The token is valid, but for a seat of another game.",
        "Send this game's token. To watch the game, send none.",
    ),
    "not-your-seat": Code(
        403,
        "The token is for another seat",
        "A seat can be handed over with its own token only.",
        "Name the seat that the token is for: the view's `you` has its number.",
    ),
    "opening-key-required": Code(
        403,
        "This server opens games for those who have its key",
        "Its operator has set a key, without which no game and no fork can be opened; nothing else needs it.",
        "Ask the operator for the key, and send it in the header `Reibach-Opening-Key`.",
    ),
    "forbidden": Code(
        403,
        "Access is not allowed",
        "Metrics are given to the machine itself or to the bearer of the metrics token.",
        "Ask the operator of the service for the token.",
    ),
    "no-such-game": Code(
        404,
        "The game does not exist",
        "No game has this id.",
        "Ids are case-sensitive: check that it was copied whole.",
    ),
    "no-such-version": Code(
        404,
        "The game has no such version",
        "Versions are counted from 1 to the present one, which is the member `version`.",
        "Ask for a version up to that one.",
    ),
    "not-found": Code(
        404,
        "The resource does not exist",
        "No resource has this address, or the seat has not put there what it may put there.",
        "Compare the address with the list of all resources: `/docs`.",
    ),
    "method-not-allowed": Code(
        405,
        "The method is not allowed here",
        "The resource exists, but not for this method.",
        "The header `Allow` lists the methods that it has.",
    ),
    "not-acceptable": Code(
        406,
        "Not available in an accepted media type",
        "The resource has none of the media types that the header `Accept` names.",
        "Accept one of those that `detail` lists, or leave the header out.",
    ),
    "length-required": Code(
        411,
        "The body needs a Content-Length",
        "A body that is sent in chunks can't be known to be whole.",
        "Send it with its length.",
    ),
    "stale-version": Code(
        412,
        "The game has changed since that version",
        "The game is at no version of `If-Match`, or not where a fork was to begin. Nothing was done.",
        'Fetch the game again, then decide. Tags are quoted, as the view\'s `ETag` is: `If-Match: "57"`.',
    ),
    "body-too-large": Code(
        413,
        "The body is too large",
        "A body may have up to 65536 bytes.",
        "Send a shorter one.",
    ),
    "unsupported-media-type": Code(
        415,
        "The body must be JSON",
        "The body isn't declared as JSON in UTF-8, or it is compressed.",
        "Send `Content-Type: application/json` and no `Content-Encoding`.",
    ),
    "invalid-request": Code(
        422,
        "The request is not valid",
        "The body is JSON, but a field is missing, unknown or out of range; or so is a parameter or a header.",
        "`errors` lists each field with what is wrong.",
    ),
    "idempotency-key-reused": Code(
        422,
        "This Idempotency-Key was already used with another body",
        "A repeat must have the same body as the first request with its key.",
        "Use a new key for a new request.",
    ),
    "too-many-requests": Code(
        429,
        "Too many requests",
        "Too many requests or new games in a short time, or too many long polls, event streams and replays at once.",
        "Wait as many seconds as `Retry-After` says. Instead of asking often, wait with `?wait=30` or read the stream.",
    ),
    "store-unavailable": Code(
        503,
        "The store is not available",
        "The service can't reach its store at the moment.",
        "Wait as many seconds as `Retry-After` says, then repeat the request with the same `Idempotency-Key`: "
        "the answer says whether the first one was accepted.",
    ),
    "too-many-waiting": Code(
        503,
        "Too many requests are waiting",
        "Too many long polls, event streams or replays are open, too many bodies are being sent slowly, "
        "or too many requests change one game at once.",
        "Ask without `wait`, or ask for pages of events; or wait as many seconds as `Retry-After` says.",
    ),
    "internal-error": Code(
        500,
        "The service failed",
        "This is a fault of the service, recorded in its log.",
        "Repeat the request with the same `Idempotency-Key`. If it fails again, tell the operator when that was.",
    ),
    Reason.GAME_NOT_STARTED: _conflict(
        "The game has not started",
        "Some seats are still open: the game starts when the last one is taken.",
        "Wait for the other players. To play at once, open a game with bots in the free seats.",
    ),
    Reason.GAME_OVER: _conflict(
        "The game is over",
        "The game has ended and can't be changed any more.",
        "Look at the score sheet, or open a new game. Messages are still possible.",
    ),
    Reason.SCORING_IN_PROGRESS: _conflict(
        "A scoring round is in progress",
        "The 4th, 7th or 10th Reibach card turned up: the rows are being scored, which takes a moment.",
        "Try again when the view's `status` is no longer `scoring`; the turn goes on where it was interrupted.",
    ),
    Reason.NOT_YOUR_TURN: _conflict(
        "It is another seat's turn",
        "Only the seat whose turn it is can act.",
        "The view's `turn` names that seat. Wait for your turn with `?wait=30` or the event stream.",
    ),
    Reason.NOT_ENOUGH_ACTION_POINTS: _conflict(
        "Not enough action points",
        "The action costs more action points than are left of the turn's three.",
        "Choose a cheaper action: drawing costs 2, taking, laying and appending 1 each "
        "(taking a special 2 with the variant `expensive_specials`).",
    ),
    Reason.CARD_NOT_IN_HAND: _conflict(
        "This card is not in your hand",
        "Only cards of the hand can be laid or appended.",
        "The view's `you.hand` lists them.",
    ),
    Reason.NO_SUCH_ROW: _conflict(
        "You have no such row",
        "A card can be appended only to one of your own rows. They are counted from 0 in the order laid.",
        "Lay a businessmaker first, or name one of your rows.",
    ),
    Reason.ROW_CLOSED: _conflict(
        "A risk card has closed this row",
        "After a risk card nothing more can be appended to a row.",
        "Append the card to another row.",
    ),
    Reason.ROW_NEEDS_BUSINESS_FIRST: _conflict(
        "The first card must be a business card",
        "The first card of a row fixes its business: multitalent and risk cards come later.",
        "Append a business card first.",
    ),
    Reason.WRONG_BUSINESS: _conflict(
        "This row is of another business",
        "A row takes cards of one business, multitalents and a risk card.",
        "Append the card to the row of its business, or to one that has no card yet.",
    ),
    Reason.BUSINESS_ALREADY_HAS_ROW: _conflict(
        "You have a row of this business already",
        "Each business has one row, even when a risk card has closed it.",
        "Append the card to that row.",
    ),
    Reason.TOO_MANY_BUSINESSMAKERS: _conflict(
        "You have laid ten businessmakers already",
        "Ten businessmakers are the most, those of empty and closed rows included.",
        "Append cards to your rows, take or draw.",
    ),
    Reason.SEAT_RESIGNED: _conflict(
        "You have resigned",
        "The person of this seat has left the game for good: a bot plays on.",
        "Watch the game, or open another one. Messages are still possible.",
    ),
    Reason.SEAT_NOT_ABANDONED: _conflict(
        "This seat is not abandoned",
        "Only a seat that a bot plays since its turns timed out, or the others released it, can be taken back.",
        "The view's `away` says of each seat whether a bot plays for its person.",
    ),
    Reason.SEAT_NOT_SILENT: _conflict(
        "The game has not waited for this seat for so long",
        "Others can let a bot play on for a seat only when the game has waited 14 days for its person to act.",
        "Wait. Pauses, vacations and hours off don't count; cancelling the game needs all others until then.",
    ),
    Reason.CONSENT_UNCHANGED: _conflict(
        "The seat agrees, or doesn't, as before",
        "A seat can agree once to the same thing, and can withdraw only what it has agreed to.",
        "The view's `consents` names the seats that agree; where it is missing, none does.",
    ),
    Reason.TOO_MANY_CONSENTS: _conflict(
        "The seat has agreed too often",
        "A seat may agree 20 times in a game, and withdraw as often.",
        "Talk to the others in messages.",
    ),
    "too-many-devices": _conflict(
        "The seat has too many devices",
        "The notices of a seat go to five devices at most.",
        "End one that is no longer used: `DELETE …/notifications/push` with its endpoint.",
    ),
    "too-many-handovers": _conflict(
        "The seat has been handed over too often",
        "A person may hand a seat over 20 times.",
        "The token that you have stays valid. An operator of the service can give the seat a new one.",
    ),
    Reason.VACATION_REFUSED: _conflict(
        "The vacation is not possible",
        "A player may take two vacations in a game, one after the other, of 30 days together.",
        "`detail` says what is in the way. `vacations` in the view has those of each seat.",
    ),
    Reason.NOT_ON_VACATION: _conflict(
        "The seat is not on vacation",
        "Only a vacation that lasts can be ended.",
        "There is nothing to do: the clock of the seat's turns runs.",
    ),
    Reason.GAME_PAUSED: _conflict(
        "The game is paused",
        "The game's clock stands still already, as all have agreed.",
        "`POST …/resume` ends the pause.",
    ),
    Reason.GAME_NOT_PAUSED: _conflict(
        "The game is not paused",
        "Only a pause can be ended.",
        "There is nothing to do: the clock runs.",
    ),
    Reason.NO_OPEN_SEAT: _conflict(
        "Every seat is taken",
        "The game has no open seat.",
        "Watch it without a token, or open another game.",
    ),
    Reason.TOO_MANY_MESSAGES: _conflict(
        "The game has too many messages",
        "A game takes 1,000 messages with 256 KiB of text in all, and a fork copies up to 64 KiB of them.",
        "Write to the other players elsewhere; the game itself goes on. Or fork the game at an earlier version.",
    ),
}
"""In the order of the contract."""

assert CODES.keys() >= set(Reason), "every reason of the domain needs an entry in CODES"
