"""The audit of a game, for anyone who may watch."""

from contextlib import suppress

from flask import Blueprint, Response

from domain.audit.checks import audit as audit_log
from service.api.protocol.web import services
from service.api.protocol.request import accept, game_known, viewer_of
from service.api.protocol.response import answer
from service.gamelog.errors import CorruptLog
from service.gamelog.integrity import inspect_game

audit = Blueprint("audit", __name__)


@audit.get("/v1/games/<game>/audit")
def show_audit(game: str) -> Response:
    """All checks on the game's log as it lies in the store, and on what is served of it."""
    viewer_of(game)
    with suppress(CorruptLog):  # a log that can't be served is what an audit is for
        game_known(game)
    accept("application/json")
    report = inspect_game(services().games, game)
    return answer(audit_log(report.events, stored=report.offence, served=report.served).to_json())
