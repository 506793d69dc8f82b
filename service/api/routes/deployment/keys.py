"""Signed receipts, and the keys that sign them."""

from typing import Final

from flask import Response

from service.api.content.caching import revalidate
from service.api.protocol.request import ApiRequest, GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import AtQuery
from service.post.channels.push import PushKey

routes: Final = RouteTable("verify")


@routes.get(
    "/v1/games/<game>/receipt",
    Operation(
        asker=Asker.WATCHER,
        query=AtQuery,
        answers={200: "Receipt", 304: None},
        refusals=frozenset({"no-such-version"}),
    ),
)
def show_receipt(request: GameRequest) -> Response:
    """The signed receipt at a version, for anyone who may watch.

    Bots and workers append events as well: proof of the result is the receipt fetched after the end.
    """
    loaded = request.load_at(request.query["at"])[1] if "at" in request.query else request.load()
    receipt = request.services.receipts.sign(request.game, loaded.game.version, loaded.hash.hex())
    return revalidate(json_response(receipt))


@routes.get("/v1/keys", Operation(answers={200: "Keys"}))
def show_keys(request: ApiRequest) -> Response:
    """Every key that ever signed a receipt.

    A receipt names the key that signed it.
    """
    return json_response(request.services.receipts.public_keys())


@routes.get("/v1/push", Operation(answers={200: "PushKey"}))
def show_push_key(request: ApiRequest) -> Response:
    """The key for which a browser subscribes to Web Push (VAPID).

    It is the `applicationServerKey`.
    """
    return json_response({"public_key": PushKey(request.services.deployment.push_secret).public})
