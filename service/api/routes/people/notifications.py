"""A seat's subscription: of which events its player gets notices, and where. For that seat alone, no part of the log.

Rule: neither version nor tag of the game changes, and no answer to another seat does. Every answer with an address or a
webhook has `no-store`.
"""

from typing import Any, Final

from flask import Response

from domain.clock.timestamps import timestamp
from domain.legality import refuse_finished
from domain.refusals import Reason
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.mails import client_of, limited_mails, read_email
from service.api.protocol.request import GameRequest
from service.api.protocol.response import NO_STORE, json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.notifications import AddressSchema, DeviceSchema, FormerDeviceSchema, NotificationsSchema
from service.gamelog.idempotency import FirstAnswer
from service.gamelog.store.errors import TokenVoid
from service.post.channels.address import AddressRefused
from service.post.recovery import VALID_HOURS
from service.post.registration import LOOK_UP_S, TooManyDevices
from service.post.subscriptions import FORMATS, PLACES, WORDS, Device, Subscription, WebhookTarget

routes: Final = RouteTable("post")

_PATH: Final = "/v1/games/<game>/notifications"


@routes.put(
    _PATH,
    Operation(
        asker=Asker.SEAT,
        body=(NotificationsSchema,),
        answers={200: "Subscription"},
        refusals=frozenset({Reason.GAME_OVER}),
    ),
)
def subscribe(request: GameRequest) -> Response:
    """Subscribe a seat's player to notices, or replace the subscription.

    Notices go to a mail address, a webhook, or both; this replaces the earlier subscription, not its devices. A new
    address gets one mail with a link, and nothing else until its reader confirms it there: `confirmed` says so. A
    webhook's secret stays as long as its URL; the forms for chats aren't signed, and have no `secret`. If it is
    the seat's turn already, its notice is sent at once. Other seats see nothing of it.
    """
    wish = _read_wish(request)
    game = request.load().game
    if game.over:
        refuse_finished(game)
    with limited_mails():
        return _respond(request.services.registrar.register(game, request.seat_token, wish, client_of(request)))


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
    """Unsubscribe.

    204 also where there was no subscription. Notices that wait are dropped.
    """
    request.load()  # there may be no such game
    request.services.registrar.end(request.seat_token)
    return Response(status=204)


@routes.post(
    f"{_PATH}/push",
    Operation(
        asker=Asker.SEAT,
        body=(DeviceSchema,),
        shortest_key=1,
        answers={201: "Devices", 200: "Devices"},
        refusals=frozenset({Reason.GAME_OVER, "too-many-devices"}),
    ),
)
def add_device(request: GameRequest) -> Response:
    """Send the seat's notices to a device, too.

    The body is a browser's subscription for the key of `GET /v1/push`. 200 where the seat has a device with this
    endpoint, which gets these keys; up to five may be named.
    """
    key, body = request.idempotency_key(f"push/{request.seat}"), request.validate_body()
    game, store = request.load().game, request.services.store
    name = f"{store.tag(game.id)}:push:{game.id}:{key.digest.hex() if key else ''}"
    if key and (record := store.with_retries(lambda: store.client.get(name), name)):
        status, count, _ = key.read_record(record)
        return json_response({"devices": count}, status, NO_STORE | {"Idempotency-Replayed": "true"})
    if not request.services.registrar.push_contact:
        raise InvalidRequest({"endpoint": [Sentence("push.unavailable")]})
    _check_url(request, body["endpoint"], "endpoint")
    if game.over:
        refuse_finished(game)
    device = Device(**body.pop("keys"), **body, since=request.services.outside.clock())
    try:
        count, is_new = request.services.registrar.add_device(game, request.seat_token, device, client_of(request))
    except TooManyDevices:
        raise Problem("too-many-devices", Sentence("too-many-devices", {"most": len(PLACES)})) from None
    status = 201 if is_new else 200
    if key:  # no event keeps it; after a day a repeat only names the same device again
        first = key.record_of(FirstAnswer(status, count))
        store.with_retries(lambda: store.client.set(name, first, ex=24 * 3600), name)
    return json_response({"devices": count}, status, NO_STORE)


@routes.delete(f"{_PATH}/push", Operation(asker=Asker.SEAT, body=(FormerDeviceSchema,), answers={204: None}))
def remove_device(request: GameRequest) -> Response:
    """Send the seat's notices to a device no longer.

    204 also where the seat has no such device.
    """
    body = request.validate_body()
    request.load()  # there may be no such game
    registrar = request.services.registrar
    registrar.subscriptions.end(request.game, request.seat, body["endpoint"], request.seat_token)
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


@routes.get("/v1/games/<game>/invitations", Operation(asker=Asker.SEAT, answers={200: "Invitations"}))
def show_invitations(request: GameRequest) -> Response:
    """Who was invited by mail, and what has become of it.

    What becomes of an address after its answer is known to that player alone.
    """
    return json_response({"invitations": request.services.registrar.list_invitations(request.load().game)})


@routes.put(
    "/v1/games/<game>/invitations/<seat>",
    Operation(
        asker=Asker.SEAT,
        body=(AddressSchema,),
        needs_body=False,
        answers={200: "Invitations"},
        refusals=frozenset({"not-found", Reason.GAME_OVER}),
        weight=10,
    ),
)
def invite_again(request: GameRequest) -> Response:
    """Send an invitation again that nobody has accepted.

    An address gets one a day at most. With a body it goes to another address, where the mailbox of the first one has
    refused a mail.
    """
    email = None if request.body is None else read_email(request, request.validate_body()["email"])
    game, seat = request.load().game, {str(seat): seat for seat in range(5)}.get(request.path["seat"], -1)
    if game.over:
        refuse_finished(game)
    with limited_mails():
        if not request.services.registrar.invite_again(game, seat, request.seat_token, client_of(request), email):
            raise Problem("not-found", Sentence("not-found.invitation"))
    return show_invitations(request)


@routes.post(
    "/v1/games/<game>/lost-token",
    Operation(asker=Asker.WATCHER, body=(AddressSchema,), shortest_key=1, answers={202: "TokenSent"}, weight=10),
)
def ask_for_token(request: GameRequest) -> Response:
    """Ask for a new token by a mail to the seat's confirmed address.

    If a seat of the game has confirmed this address, it gets a mail with a link to a page, whose button gives a new
    token and revokes the old one. The answer is always the same.
    """
    request.idempotency_key("lost-token")  # a repeat may send another mail, and appends nothing in any case
    email = read_email(request, request.validate_body()["email"])
    request.load()  # there may be no such game
    with limited_mails():
        request.services.recovery.ask(request.game, email, client_of(request))
    return json_response({"valid_hours": VALID_HOURS}, 202, NO_STORE)


def _read_wish(request: GameRequest) -> Subscription:
    """The validated body. Raises Problem `invalid-request` and `too-many-requests`."""
    body = request.validate_body()
    email, webhook, zone = body["email"], body["webhook"], body["zone"] or ""
    if email is not None:
        email = read_email(request, email)
    if webhook is not None:
        _check_url(request, webhook["url"], "webhook.url")
    elif email is None:
        kept = request.services.registrar.subscriptions.load_seat(request.game, request.seat)
        if kept is None or not kept.devices:
            raise InvalidRequest({"": [Sentence("notifications.none")]})
    target = webhook and WebhookTarget(**webhook, secret="")
    return Subscription(**body | {"email": email, "webhook": target, "on": frozenset(body["on"]), "zone": zone})


def _check_url(request: GameRequest, url: str, member: str) -> None:
    """Raises Problem `invalid-request` and `too-many-requests`."""
    request.web.limits.charge("look-ups")
    try:
        request.services.registrar.addresses.check(url, LOOK_UP_S)
    except AddressRefused as error:
        raise InvalidRequest({member: [Sentence(f"webhook.{error.case}", error.values)]}) from None


def _respond(kept: Subscription) -> Response:
    webhook: dict[str, Any] | None = None
    if kept.webhook is not None:
        webhook = {"url": kept.webhook.url}
        if kept.webhook.format == FORMATS[0]:
            webhook["secret"] = kept.webhook.secret
        else:  # a chat service checks no signature
            webhook["format"] = kept.webhook.format
            if kept.webhook.mention is not None:
                webhook["mention"] = kept.webhook.mention
    content = {
        "email": kept.email,
        "confirmed": None if kept.email is None else kept.confirmed_email is not None,
        "refused": kept.email is not None and kept.is_refused,
        "webhook": webhook,
        "on": [word for word in WORDS if word in kept.on],
        "language": kept.language,
        "zone": kept.zone,
        "quiet": {name: kept.quiet.to_json()[name] for name in ("from", "to")} if kept.quiet else None,
        "while_watching": kept.while_watching,
        "receipts": kept.receipts,
        "push": [{"host": device.host, "since": timestamp(device.since)} for _, device in sorted(kept.devices.items())],
    }
    return json_response(content, headers=NO_STORE)
