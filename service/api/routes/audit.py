"""The audit of a game, for anyone who may watch."""

from contextlib import suppress

from flask import Blueprint, Response

from domain.audit.chain import Offence
from domain.audit.checks import audit as audit_log
from service.api.protocol.context import services
from service.api.protocol.request import accept, game_known, viewer_of
from service.api.protocol.response import answer
from service.gamelog.errors import CorruptLog
from service.gamelog.integrity import check_integrity, served_views

audit = Blueprint("audit", __name__)


@audit.get("/v1/games/<game>/audit")
def show_audit(game: str) -> Response:
    """All checks on the game's log as it lies in the store, and on what is served of it."""
    viewer_of(game)
    with suppress(CorruptLog):  # a log that can't be served is what an audit is for
        game_known(game)
    accept("application/json")
    log = services().games
    served, offence = None, None
    try:
        head = log.load(game)
        served = served_views(head)
    except CorruptLog:
        offence = Offence(1, "a log that can be served")
    found = check_integrity(log.store, game)
    # What was appended since the load is not served by it: leave it to the next audit.
    events = found.events if served is None else found.events[: head.game.version]
    return answer(audit_log(events, stored=found.offence or offence, served=served).to_json())
