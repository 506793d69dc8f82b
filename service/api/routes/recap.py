"""What has happened, in the reader's language."""

from flask import Blueprint, Response

from domain.projections.recap import last_own_action
from domain.projections.recap import recap as recap_of
from domain.view import redact_event
from service.api.protocol.language import headers_of, words_asked
from service.api.protocol.request import JSON, accept, game_known, viewer_of
from service.api.protocol.response import answer
from service.api.protocol.validation import query
from service.api.protocol.web import services
from service.api.schemas.requests import RecapQuery
from service.gamelog.errors import NoSuchVersion

recap = Blueprint("recap", __name__)

_RECAP = RecapQuery()


@recap.get("/v1/games/<game>/recap")
def show_recap(game: str) -> Response:
    """What happened since a version, or since the asking seat's last action, in sentences."""
    viewer = viewer_of(game)
    game_known(game)
    accept(JSON)
    asked = query(_RECAP)
    words = words_asked(asked)
    log = services().games
    history = log.load_history(game)
    head = history.head.game
    if asked.get("since", 0) > head.version:
        raise NoSuchVersion(asked["since"])
    seen = [redact_event(event, viewer, head) for event in history.events]
    since = asked["since"] if "since" in asked else last_own_action(seen, viewer)
    content = {
        "since": since,
        "version": head.version,
        "language": words.language,
        "items": recap_of(seen, since, words.language),
    }
    return answer(content, headers=headers_of(words))
