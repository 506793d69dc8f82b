"""The audit of a game, for anyone who may watch."""

from contextlib import suppress
from typing import Final

from flask import Response

from domain.audit.checks import audit
from domain.clock.timestamps import timestamp
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.gamelog.audit.integrity import inspect_game
from service.gamelog.audit.parents import load_parent
from service.gamelog.errors import CorruptLog
from service.gamelog.losses.ledger import read_game_losses

routes: Final = RouteTable()


@routes.get("/v1/games/<game>/audit", Operation(asker=Asker.WATCHER, weight=10, answers={200: "Audit"}))
def show_audit(request: GameRequest) -> Response:
    """Audit the stored log and what is served from it.

    A fork's log is compared with its parent's, if that is stored here, too. Events that the store has
    lost are listed beside the checks: the log that is left may pass all of them.
    """
    report = inspect_game(request.services.games, request.game)
    request.web.limits.charge_events(len(report.events))
    if report.served is None:
        with suppress(CorruptLog):  # a log that can't be served still has an audit, but no game has none
            request.load()
    parent = load_parent(request.services.games.store, report.events)
    found = audit(report.events, stored=report.offence, served=report.served, parent=parent)
    losses = [
        {"version": loss.version, "events": loss.events, "noticed_at": timestamp(loss.noticed * 1000)}
        for loss in read_game_losses(request.services.games.store, request.game)
    ]
    return json_response(found.to_json() | {"losses": losses})
