"""A seat's subscription: of which events its player gets notices, and where. For that seat alone, no part of the log.

Rule: neither version nor tag of the game changes, and no answer to another seat does. Every answer with an address or a
webhook has `no-store`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from flask import Response

from domain.legality import refuse_finished
from domain.refusals import Reason
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.request import GameRequest
from service.api.protocol.response import NO_STORE, json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.notifications import LostTokenSchema, NotificationsSchema
from service.gamelog.errors import TokenVoid
from service.post.channels.address import AddressRefused
from service.post.mail.address import BadMailAddress
from service.post.quotas import TooManyMails
from service.post.recovery import VALID_HOURS
from service.post.registration import MailUnavailable, Wish
from service.post.subscriptions import FORMATS, WORDS, Subscription

routes: Final = RouteTable("post")

_NOTIFICATIONS: Final = NotificationsSchema()
_LOST_TOKEN: Final = LostTokenSchema()
_PATH: Final = "/v1/games/<game>/notifications"


@routes.put(
    _PATH,
    Operation(
        asker=Asker.SEAT,
        body=(NotificationsSchema,),
        example={
            "email": "anna@example.org",
            "webhook": {"url": "https://example.org/reibach"},
            "on": ["turn", "reminder", "over"],
            "language": "de",
            "zone": "Europe/Berlin",
            "quiet": {"from": "22:00", "to": "08:00"},
            "while_watching": True,
        },
        answers={200: "Subscription"},
        refusals=frozenset({Reason.GAME_OVER}),
    ),
)
def subscribe(request: GameRequest) -> Response:
    """Subscribe a seat's player to notices, or replace the subscription.

    Notices go to a mail address, a webhook, or both; this replaces the earlier subscription. A new address gets one
    mail with a link, and nothing else until its reader confirms it there: `confirmed` says so. A webhook's secret stays
    as long as its URL; the forms for Discord and Slack aren't signed, and have no `secret`. If it is the seat's turn
    already, its notice is sent at once. Other seats see nothing of it.
    """
    wish = _read_wish(request)
    game = request.load().game
    if game.over:
        refuse_finished(game)
    with _limited_mails():
        return _respond(request.services.registrar.register(game, request.seat_token, wish, _client(request)))


@routes.get(_PATH, Operation(asker=Asker.SEAT, answers={200: "Subscription"}, refusals=frozenset({"not-found"})))
def show_subscription(request: GameRequest) -> Response:
    """The notices that the seat's player wants, and where they go.

    404 where the seat has no subscription, or its subscription has ended.
    """
    kept = request.services.registrar.subscriptions.load_seat(request.game, request.seat)
    if kept is None:
        raise Problem("not-found", Sentence("not-found.notifications"))
    if kept.generation != request.seat_token.generation:
        raise TokenVoid(request.game)
    return _respond(kept)


@routes.delete(_PATH, Operation(asker=Asker.SEAT, answers={204: None}))
def unsubscribe(request: GameRequest) -> Response:
    """Tell the seat's player nothing any more.

    204 also where there was no subscription. Notices that wait are dropped.
    """
    request.load()  # there may be no such game
    request.services.registrar.end(request.seat_token)
    return Response(status=204)


@routes.get(f"{_PATH}/deliveries", Operation(asker=Asker.SEAT, answers={200: "Deliveries"}))
def show_deliveries(request: GameRequest) -> Response:
    """What became of the last notices to the seat's player.

    The last 50 attempts, the newest first.
    """
    deliveries = request.services.registrar.list_deliveries(request.seat_token)
    if not deliveries:
        request.load()  # there may be no such game
    return json_response({"deliveries": deliveries}, headers=NO_STORE)


@routes.post(
    "/v1/games/<game>/lost-token",
    Operation(
        asker=Asker.WATCHER,
        body=(LostTokenSchema,),
        example={"email": "anna@example.org"},
        shortest_key=1,
        answers={202: "TokenSent"},
        weight=10,
    ),
)
def ask_for_token(request: GameRequest) -> Response:
    """Ask for a new token by a mail to the seat's confirmed address.

    If a seat of the game has confirmed this address, it gets a mail with a link to a page, whose button gives a new
    token and voids the old one. The answer is always the same.
    """
    request.idempotency_key("lost-token")  # a repeat may send another mail, and appends nothing in any case
    email = _read_email(request, validate_body(_LOST_TOKEN, request.body)["email"])
    request.load()  # there may be no such game
    with _limited_mails():
        request.services.recovery.ask(request.game, email, _client(request))
    return json_response({"valid_hours": VALID_HOURS}, 202, NO_STORE)


@contextmanager
def _limited_mails() -> Iterator[None]:
    """Refuse what is above the limits of mails. Raises Problem `too-many-requests`."""
    try:
        yield
    except TooManyMails as error:
        headers = {"Retry-After": str(error.wait_s)}
        raise Problem("too-many-requests", Sentence("too-many-requests.mails"), headers=headers) from None


def _client(request: GameRequest) -> str | None:
    """What tells clients apart; None where they have no limits."""
    limits = request.web.limits
    return f"{limits.client:016x}" if limits.are_on else None


def _read_email(request: GameRequest, text: str) -> str:
    """The address in its one spelling. Raises Problem `invalid-request`."""
    try:
        return request.services.registrar.check_email(text)
    except MailUnavailable:
        raise InvalidRequest({"email": [Sentence("email.unavailable")]}) from None
    except BadMailAddress:
        raise InvalidRequest({"email": [Sentence("email.bad")]}) from None


def _read_wish(request: GameRequest) -> Wish:
    """The validated body. Raises Problem `invalid-request` and `too-many-requests`."""
    body = validate_body(_NOTIFICATIONS, request.body)
    registrar, email, webhook = request.services.registrar, body["email"], body["webhook"]
    if email is not None:
        email = _read_email(request, email)
    if webhook is not None:
        request.web.limits.charge_look_up()
        try:
            registrar.check_url(webhook["url"])
        except AddressRefused as error:
            raise InvalidRequest({"webhook.url": [Sentence(f"webhook.{error.case}", error.values)]}) from None
    return Wish(
        email=email,
        url=None if webhook is None else webhook["url"],
        format=FORMATS[0] if webhook is None else webhook["format"],
        on=frozenset(body["on"]),
        language=body["language"],
        while_watching=body["while_watching"],
        zone=body["zone"],
        quiet=body["quiet"],
        receipts=body["receipts"],
    )


def _respond(kept: Subscription) -> Response:
    webhook: dict[str, Any] | None = None
    if kept.webhook is not None:
        webhook = {"url": kept.webhook.url}
        if kept.webhook.format == FORMATS[0]:
            webhook["secret"] = kept.webhook.secret
        else:  # a chat service checks no signature
            webhook["format"] = kept.webhook.format
    content = {
        "email": kept.email,
        "confirmed": None if kept.email is None else kept.is_confirmed,
        "webhook": webhook,
        "on": [word for word in WORDS if word in kept.on],
        "language": kept.language,
        "zone": kept.zone,
        "quiet": {name: kept.quiet.to_json()[name] for name in ("from", "to")} if kept.quiet else None,
        "while_watching": kept.while_watching,
        "receipts": kept.receipts,
    }
    return json_response(content, headers=NO_STORE)
