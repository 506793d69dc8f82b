"""The audit of a game, for anyone who may watch."""

from contextlib import suppress
from typing import Final

from flask import Response

from domain.audit.checks import audit
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.gamelog.copies.parents import load_parent
from service.gamelog.integrity import inspect_game
from service.gamelog.store.errors import CorruptLog, TokenVoid

routes: Final = RouteTable("verify")


@routes.get("/v1/games/<game>/audit", Operation(asker=Asker.WATCHER, weight=10, answers={200: "Audit"}))
def show_audit(request: GameRequest) -> Response:
    """Audit the stored log and what is served from it.

    A fork's log is compared with its parent's, if that is stored here, too. Before the end, checks that would reveal
    cards have no result.
    """
    report = inspect_game(request.services.games, request.game)
    with suppress(CorruptLog):  # a log that can't be served still has an audit, but no game has none
        head = request.load() if report.served is None else request.games.load_cached(request.game)
        if request.has_void_token(head):
            raise TokenVoid(request.game)
    parent = load_parent(request.services.games.store, report.events)
    findings = audit(report.events, stored=report.offence, served=report.served, parent=parent)
    return json_response(findings.to_json())
