"""What has happened, in the reader's language."""

from typing import Final

from flask import Response

from domain.projections.recap import last_own_action, played_for, recap
from domain.view import redact_event
from service.api.content.negotiation import choose_words
from service.api.problems.language import language_headers
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import RecapQuery
from service.gamelog.store.errors import NoSuchVersion

routes: Final = RouteTable("watch")


@routes.get(
    "/v1/games/<game>/recap",
    Operation(
        asker=Asker.WATCHER,
        weight=5,
        query=RecapQuery,
        takes=("Accept-Language",),
        answers={200: "Recap", 304: None},
        sends=("Content-Language",),
        refusals=frozenset({"no-such-version"}),
    ),
)
def show_recap(request: GameRequest) -> Response:
    """What happened since a version, or since the caller's last action: a sentence a turn, or an action.

    Sentences about what the caller may see, in the reader's language. What a bot or standing orders did in the caller's
    name is told as such.
    """
    words = choose_words(request.query.get("language"))
    history = request.load_history()
    head = history.head.game
    since = request.query.get("since")
    if since is not None and since > head.version:
        raise NoSuchVersion(since)
    events = [redact_event(event, request.viewer, head) for event in history.events]
    seat = request.viewer
    players = played_for(events, seat, request.services.orders.orders_of(request.game, seat).done)
    if since is None:
        since = last_own_action(events, seat, players)
    page = recap(events, since, words.language, by=request.query["by"], limit=request.query["limit"], players=players)
    content = {
        "since": since,
        "version": head.version,
        "language": words.language,
        "items": page.items,
        "next": page.next,
    }
    return request.finish(json_response(content, headers=language_headers(words.language)), head)
