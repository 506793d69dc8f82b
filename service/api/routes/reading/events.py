"""The log itself, as JSON pages, as NDJSON and as a stream."""

from typing import Final

from flask import Response

from domain.view import redact_event
from service.api.content.negotiation import EVENT_STREAM, JSON, NDJSON
from service.api.live.event_stream import open_event_stream
from service.api.protocol.headers import read_last_event_id
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import EventsQuery
from service.api.schemas.shapes import ref
from service.gamelog.codec import canonical

routes: Final = RouteTable()


@routes.get(
    "/v1/games/<game>/events",
    Operation(
        asker=Asker.WATCHER,
        weight=3,
        query=EventsQuery,
        takes=("Last-Event-ID", "If-None-Match"),
        answers={
            200: {
                JSON: ref("EventsPage"),
                NDJSON: {"type": "string", "description": "One event a line."},
                EVENT_STREAM: {"type": "string", "description": "Past events, then new ones until the game is over."},
            },
            204: None,
            304: None,
        },
        sends=("ETag",),
        refusals=frozenset({"no-such-version", "too-many-waiting"}),
    ),
)
def show_events(request: GameRequest) -> Response:
    """The events after a version, as the asking viewer may see them now."""
    after = request.query["after"]
    if request.media_type == EVENT_STREAM:
        return open_event_stream(request, after, read_last_event_id())
    head, past = request.load_events(after, None if request.media_type == NDJSON else request.query["limit"])
    events = [redact_event(event, request.viewer, head.game) for event in past]
    if request.media_type == NDJSON:
        answer = Response(b"".join(canonical(event) + b"\n" for event in events), content_type=NDJSON)
    else:
        end = after + len(events)
        answer = json_response({"events": events, "next": end if end < head.game.version else None})
    return request.finish(answer, head.game)
