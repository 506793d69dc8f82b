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
from service.gamelog.store.form.codec import canonical

routes: Final = RouteTable("watch")


@routes.get(
    "/v1/games/<game>/events",
    Operation(
        asker=Asker.WATCHER,
        weight=3,
        query=EventsQuery,
        takes=("Last-Event-ID",),
        answers={
            200: {
                JSON: ref("EventsPage"),
                NDJSON: {"type": "string", "description": "One event a line."},
                EVENT_STREAM: {"type": "string", "description": "Past events, then new ones until the game is over."},
            },
            204: None,
            304: None,
        },
        refusals=frozenset({"no-such-version", "too-many-waiting"}),
    ),
)
def show_events(request: GameRequest) -> Response:
    """The events after a version, as the caller may see them now.

    Pages as JSON; all events as NDJSON, one in a line (the export); or a stream of server-sent events: those of the
    past, then new ones, until the game is over. The `EventSource` of browsers can't send a token: read a seat's own
    stream with `fetch`.
    """
    after = request.query["after"]
    if request.media_type == EVENT_STREAM:
        return open_event_stream(request, after, read_last_event_id())
    if request.media_type == NDJSON:
        head, events = request.load_events(after)
        lines = [canonical(redact_event(event, request.viewer, head.game)) for event in events]
        answer = Response(b"\n".join([*lines, b""]), content_type=NDJSON)
    else:
        head, events = request.load_events(after, request.query["limit"])
        shown = [redact_event(event, request.viewer, head.game) for event in events]
        end = after + len(shown)
        answer = json_response({"events": shown, "next": end if end < head.game.version else None})
    return request.finish(answer, head.game)
