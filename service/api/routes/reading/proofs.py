"""What shows that a game was played fairly: its audit, signed receipts, and the keys that sign them."""

from contextlib import suppress
from typing import Final

from flask import Response

from domain.words.refusals.sentences import Sentence
from service.api.content.caching import revalidate
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest, GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import AtQuery
from service.gamelog.integrity import inspect_game
from service.gamelog.store.errors import CorruptLog, TokenVoid

routes: Final = RouteTable("verify")


@routes.get("/v1/games/<game>/audit", Operation(asker=Asker.WATCHER, weight=10, answers={200: "Audit"}))
def show_audit(request: GameRequest) -> Response:
    """Audit the stored log and what is served from it.

    A fork's log is compared with its parent's, if that is stored here, too. Before the end, checks that would reveal
    cards have no result.
    """
    from domain.audit.checks import audit  # imported at the first audit: a start compiles less
    from service.gamelog.copies.parents import load_parent

    report = inspect_game(request.services.games, request.game)
    with suppress(CorruptLog):  # a log that can't be served still has an audit, but no game has none
        head = request.load() if report.served is None else request.games.load_cached(request.game)
        if request.has_void_token(head):
            raise TokenVoid(request.game)
    parent = load_parent(request.services.games.store, report.events)
    findings = audit(report.events, stored=report.offence, served=report.served, parent=parent)
    return json_response(findings.to_json())


@routes.get(
    "/v1/games/<game>/receipt",
    Operation(
        asker=Asker.WATCHER, query=AtQuery, answers={200: "Receipt", 304: None}, refusals=frozenset({"no-such-version"})
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


@routes.get("/v1/push", Operation(answers={200: "PushKey"}, refusals=frozenset({"not-found"})))
def show_push_key(request: ApiRequest) -> Response:
    """The key for which a browser subscribes to Web Push (VAPID).

    It is the `applicationServerKey`. 404 where the service sends no pushes, as its operator can't be reached by push
    services.
    """
    if not request.services.registrar.push_contact:
        raise Problem("not-found", Sentence("push.unavailable"))
    from service.post.channels.push import PushKey  # likewise

    return json_response({"public_key": PushKey(request.services.deployment.push_secret).public})
