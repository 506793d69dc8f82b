"""The prose of the OpenAPI document: its introduction, and the operations in the order of use."""

from dataclasses import dataclass
from typing import Final

INTRODUCTION: Final = """\
Games of the card game Reibach & Co., each an event log that can't be rewritten unnoticed.

1. `POST /v1/games` opens a game; the answer has a token for each seat that is taken by name. \
Open seats are joined by `POST /v1/games/{id}/seats`.
2. Send the token of a seat as `Authorization: Bearer <token>` (here: press *Authorize* and paste it). \
Without a token you are a spectator.
3. `GET /v1/games/{id}/legal-actions` has all that the seat may do now, `POST /v1/games/{id}/actions` does it.
4. Wait for the others with `GET /v1/games/{id}?wait=30`, or read the event stream.

Every refusal is `application/problem+json`; its `type` is the address of a page that explains it. \
Every `POST` takes an `Idempotency-Key`, so that it can be sent again safely.
Pages of any origin may use the API; the operator can narrow that."""

SECURITY: Final = (
    "The token of one seat of one game: in the answer to `POST /v1/games` (`seats[].token`) or to "
    "`POST /v1/games/{id}/seats` (`token`). Keep it: it can't be had again."
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """Operations that belong together."""

    tag: str
    about: str
    operations: dict[str, str]
    """operationId -> description, in the order of use."""


CHAPTERS: Final = (
    Chapter(
        "play",
        "Open a game, take a seat, and play.",
        {
            "createGame": "Two to five seats, each taken by name, a bot's, or open. With no open seat the game starts "
            "at once. With `fork` the new game continues from a version of another: of a finished game as a copy of "
            "its events, of a running one (with a token of one of its seats) from what that seat sees.",
            "joinGame": "The answer has the seat's token. When the last open seat is taken the game starts.",
            "showGame": "The `ETag` is the version. With `If-None-Match` and `wait` this is a long poll. With `at` it "
            "is the game as it stood then; what may be seen follows the present version.",
            "showLegalActions": "Each can be sent as it is. None when it isn't the seat's turn.",
            "act": "A list is carried out in order, up to the first action that is refused; those before it can't be "
            "taken back. With `If-Match` nothing happens if the game has a newer version. When the 4th, 7th or 10th "
            "Reibach card turns up, the status is `scoring` until the round is done.",
            "postMessage": "Before, during and after the game. A message makes a new version and changes nothing else.",
        },
    ),
    Chapter(
        "watch",
        "Follow a game, with a seat's token or as a spectator.",
        {
            "showEvents": "Pages as JSON; all events as NDJSON, one in a line (the export); or a stream of server-sent "
            "events: those of the past, then new ones, until the game is over. The `EventSource` of browsers can't "
            "send a token: read a seat's own stream with `fetch`.",
            "showRecap": "Sentences about what the asker may see, in four languages.",
            "showScores": "As JSON, as CSV for spreadsheets, or as a page to print.",
            "showReplay": "One line for each event, with the game as it stood after it.",
        },
    ),
    Chapter(
        "verify",
        "Check that a game was dealt, played and kept honestly.",
        {
            "showReceipt": "Bots and workers append events as well: proof of the result is the receipt fetched after "
            "the end.",
            "showAudit": "Before the end, checks that would reveal cards have no result.",
            "showKeys": "A receipt names the key that signed it.",
        },
    ),
    Chapter(
        "service",
        "What the service offers, and how it is.",
        {
            "showBots": "A bot's name goes into `bot` of a seat.",
            "showDocument": "It is made from the schemas that validate requests.",
            "isUp": "For load balancers.",
            "isReady": "For load balancers: 503 names what is missing by a fixed word.",
            "metrics": "To loopback, or with the metrics token as bearer token.",
        },
    ),
)

ORDER: Final = [operation for chapter in CHAPTERS for operation in chapter.operations]
