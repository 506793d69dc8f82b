"""The log itself, as JSON pages and as NDJSON."""

from flask import Blueprint, Response

from domain.fairness import canonical_json
from domain.view import event_seen
from service.api.answers import answer
from service.api.asking import JSON, NDJSON, accept, game_known, viewer_of
from service.api.queries import query
from service.api.schemas import EventsQuery
from service.api.services import services
from service.gamelog.history import NoSuchVersion, history

events = Blueprint("events", __name__)

_EVENTS = EventsQuery()


@events.get("/v1/games/<game>/events")
def show_events(game: str) -> Response:
    """The events after a version, as the asking viewer may see them now."""
    viewer = viewer_of(game)
    game_known(game)
    form = accept(JSON, NDJSON)
    asked = query(_EVENTS)
    after, limit = asked["after"], asked["limit"]
    head = services().log.load(game)
    if after > head.game.version:
        raise NoSuchVersion(after)
    log = services().log
    end = head.game.version if form == NDJSON else min(head.game.version, after + limit)
    # A look at the present end is the usual one, and costs nothing.
    found = history(log.store.read(game).entries)[after:end] if after < end else []
    seen = [event_seen(event, viewer, head.game) for event in found]
    if form == NDJSON:
        return Response(b"".join(canonical_json(event) + b"\n" for event in seen), content_type=NDJSON)
    last = after + len(seen)
    return answer({"events": seen, "next": last if last < head.game.version else None})
