"""The log: its events as pages, as NDJSON and as a stream; every state of the game; and a recap in sentences."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from itertools import islice
from typing import Final

import orjson
from flask import Response

from domain.events import EventRecord
from domain.projections.recap import last_own_action, played_for, recap
from domain.state import Game
from domain.view import Viewer, redact_event, view_of
from domain.words.refusals.sentences import Sentence
from domain.words.wording import words_of
from service.api.content.negotiation import EVENT_STREAM, JSON, NDJSON
from service.api.live import open_event_stream
from service.api.problems.language import language_headers, preferred_language
from service.api.protocol.headers import read_last_event_id
from service.api.protocol.request import GameRequest
from service.api.protocol.response import json_response
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import EventsQuery, RecapQuery, ReplayQuery
from service.api.schemas.shapes import ref
from service.gamelog.store.errors import NoSuchVersion
from service.gamelog.store.form.codec import canonical

routes: Final = RouteTable("watch")

_CHUNK_LINES: Final = 50
"""Lines of a replay that are handed to the web server at once."""
_RELEASE: Final = version("reibach")
"""Another release may shape the lines of a replay otherwise."""


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


@routes.get(
    "/v1/games/<game>/replay",
    Operation(
        asker=Asker.WATCHER,
        weight=5,
        query=ReplayQuery,
        answers={200: {NDJSON: {"type": "string", "description": "`{version, event, view}`, one a line."}}, 304: None},
        refusals=frozenset({"no-such-version", "too-many-waiting"}),
    ),
)
def show_replay(request: GameRequest) -> Response:
    """The events after a version, each with the game as it was then, as the caller may see them now.

    One line for each event, with the game as it stood after it.
    """
    with ExitStack() as resources:
        # The lines are made while they are sent: a client that doesn't read them would hold the thread forever.
        resources.enter_context(request.web.places.hold_waiting(Sentence("too-many-waiting.stream")))
        answer = _replay(request)
        answer.call_on_close(resources.pop_all().close)  # called also if the lines are never read
        return answer


def _replay(request: GameRequest) -> Response:
    after, limit = request.query["after"], request.query.get("limit")
    until = None if limit is None else after + limit
    history = request.load_history()  # before the first line is sent: a corrupt log is refused
    head, erasures = history.head.game, history.head.amendments.erasures
    if after > head.version:
        raise NoSuchVersion(after)
    request.web.limits.charge_lines(len(history.events[after:until]))
    chunks = _chunks(history.states_after(after), history.events[after:until], request.viewer, head)
    answer = Response(chunks, content_type=NDJSON)
    # The lines are too long to be made for a tag of their content: the tag names what they depend on, beside the query.
    answer.set_etag(f"{head.version}-{erasures}-{request.viewer}-{_RELEASE}", weak=True)
    return request.finish(answer, head)


def _chunks(states: Iterator[Game], events: Sequence[EventRecord], viewer: Viewer, head: Game) -> Iterator[bytes]:
    """The lines for `events`, several at a time. `states`: after each of them."""
    lines = (_line(event, game, viewer, head) for event, game in zip(events, states, strict=False))
    while chunk := b"".join(islice(lines, _CHUNK_LINES)):
        yield chunk


def _line(event: EventRecord, game: Game, viewer: Viewer, head: Game) -> bytes:
    view = view_of(game, viewer, event["hash"], head=head)
    line = {"version": game.version, "event": redact_event(event, viewer, head), "view": view}
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


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
    words = words_of(request.query.get("language") or preferred_language())
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
    by, limit = request.query["by"], request.query["limit"]
    page = recap(events, since, words.language, by=by, limit=limit, players=players, reader=seat)
    content = {
        "since": since,
        "version": head.version,
        "language": words.language,
        "items": page.items,
        "next": page.next,
    }
    return request.finish(json_response(content, headers=language_headers(words.language)), head)
