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
            "joinGame": "The answer has the seat's token. When the last open seat is taken the game starts. In a "
            "`replaceable` game that has started, a new person takes the lowest abandoned seat, with its cards; the "
            "shuffle, and so the entropy, stays.",
            "handOverSeat": "For one who plays on in your place, or after others saw the token. The old one is void at "
            "once, in other processes of the service within 2 seconds. With an `Idempotency-Key` the request can be "
            "repeated with the old token, if its answer was lost. There is no body.",
            "showGame": "The `ETag` is the version. With `If-None-Match` and `wait` this is a long poll. With `at` it "
            "is the game as it stood then; what may be seen follows the present version.",
            "showLegalActions": "Each can be sent as it is. None when it isn't the seat's turn.",
            "act": "A list is carried out in order, up to the first action that is refused; those before it can't be "
            "taken back. With `If-Match` nothing happens if the game has a newer version. When the 4th, 7th or 10th "
            "Reibach card turns up, the status is `scoring` until the round is done.",
            "reclaimSeat": "A seat is abandoned when two of its turns in a row have timed out; a bot plays until its "
            "person is back. An accepted action takes the seat back, too. There is no body.",
            "resign": "The bot plays the seat to the end of the game, and its token can only watch and write "
            "messages. There is no body.",
            "putOrders": "When the seat's turn starts, each step does its first alternative that is legal then. A "
            "step without one drops itself and all the rest; steps that the turn doesn't reach, or that a scoring "
            "round cuts off, stay for later. Orders put in during one's own turn begin with the next, and replace "
            "those before. No other player sees them.",
            "showOrders": "The steps that are left, and the last ones that were dropped, with a reason for each "
            "alternative of the first of them.",
            "deleteOrders": "No step is carried out after the answer. 204 also where there were none.",
            "agreeToCancel": "The game is cancelled when all seats that people play have agreed: it is over without a "
            "winner, and its cards are shown as after every end. Resigned and abandoned seats need not agree. "
            "`consents` of the view lists those that have agreed. There is no body.",
            "withdrawCancel": "Until the last one has agreed.",
            "takeVacation": "It begins at once, whichever seat is to play, and no deadline counts its time; the seat "
            "can act meanwhile. At most two vacations in a game, of 30 days together; what one that ended early has "
            "left over is for the other.",
            "endVacation": "The clock runs again.",
            "agreeToPause": "The game is paused when all seats that people play have agreed: the clock stops for all, "
            "and everything else goes on. `consents` of the view lists those that have agreed. There is no body.",
            "withdrawPause": "Until the last one has agreed.",
            "resumeGame": "Any one player can. There is no body.",
            "postMessage": "Before, during and after the game. A message makes a new version and changes nothing else.",
        },
    ),
    Chapter(
        "post",
        "Play by post: notices by mail or webhook.",
        {
            "subscribe": "Notices go to a mail address, a webhook, or both; this replaces the earlier subscription. A "
            "new address gets one mail with a link, and nothing else until its reader confirms it there: `confirmed` "
            "says so. A webhook's secret stays as long as its URL; the forms for Discord and Slack aren't signed, and "
            "have no `secret`. If it is the seat's turn already, its notice is sent at once. Other seats see nothing "
            "of it.",
            "showSubscription": "404 where the seat has no subscription, or its subscription has ended.",
            "unsubscribe": "204 also where there was no subscription. Notices that wait are dropped.",
            "askForToken": "If a seat of the game has confirmed this address, it gets a mail with a link to a page, "
            "whose button gives a new token and voids the old one. The answer is always the same.",
            "showDeliveries": "The last 50 attempts, the newest first.",
        },
    ),
    Chapter(
        "watch",
        "Find a game, and follow it with a seat's token or as a spectator.",
        {
            "listListedGames": "The games that were opened with `listed`, the newest first. Other games are never "
            "listed, so `listed=true` must be asked for. A game keeps its place: pages neither repeat one nor miss "
            "one while others are opened.",
            "showEvents": "Pages as JSON; all events as NDJSON, one in a line (the export); or a stream of server-sent "
            "events: those of the past, then new ones, until the game is over. The `EventSource` of browsers can't "
            "send a token: read a seat's own stream with `fetch`.",
            "showRecap": "Sentences about what the asker may see, in four languages.",
            "showScores": "As JSON, as CSV for spreadsheets, or as a page to print.",
            "showScoresNow": "What each seat would earn by its open cards, by the scoring of the rules; hidden cards "
            "count for nothing. Penalties come with the third round. After it, or after the game was cancelled, "
            "`round` is null, no business is named, every `income` is 0, and `total` is final.",
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
