"""Every state that a game went through, in one pass."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from itertools import islice
from typing import Final

import orjson
from flask import Response

from domain.events import EventRecord
from domain.state import Game
from domain.view import Viewer, redact_event, view_of
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import NDJSON
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import Asker, Operation, RouteTable
from service.api.schemas.queries import ReplayQuery
from service.gamelog.store.errors import NoSuchVersion

routes: Final = RouteTable("watch")

_CHUNK_LINES: Final = 50
"""Lines that are handed to the web server at once."""
_RELEASE: Final = version("reibach")
"""Another release may shape the lines otherwise."""


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
