"""The log itself, as JSON pages, as NDJSON and as a stream."""

from flask import Blueprint, Response

from domain.view import redact_event
from service.api.protocol.request import EVENT_STREAM, JSON, NDJSON, accept, game_known, viewer_of
from service.api.protocol.response import answer
from service.api.protocol.validation import query
from service.api.protocol.web import services
from service.api.routes.event_stream import event_stream, in_turn, last_event_id
from service.api.schemas.requests import EventsQuery
from service.gamelog.codec import canonical

events = Blueprint("events", __name__)

_EVENTS = EventsQuery()


@events.get("/v1/games/<game>/events")
@in_turn()
def show_events(game: str) -> Response:
    """The events after a version, as the asking viewer may see them now."""
    viewer = viewer_of(game)
    game_known(game)
    form = accept(JSON, NDJSON, EVENT_STREAM)
    asked = query(_EVENTS)
    after, limit = asked["after"], asked["limit"]
    if form == EVENT_STREAM:
        seen = last_event_id()
        return event_stream(game, viewer, after if seen is None else seen)
    log = services().games
    head, past = log.load_events(game, after)
    if form != NDJSON:
        past = past[:limit]
    found = [redact_event(event, viewer, head.game) for event in past]
    if form == NDJSON:
        return Response(b"".join(canonical(event) + b"\n" for event in found), content_type=NDJSON)
    last = after + len(found)
    return answer({"events": found, "next": last if last < head.game.version else None})
