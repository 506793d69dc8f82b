"""Every state that a game went through, in one pass."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import orjson
from flask import Blueprint, Response

from domain.state import Game, Seat
from domain.view import Viewer, redact_event, view_of, view_of_seat
from service.api.protocol.request import NDJSON, accept, game_known, viewer_of
from service.api.protocol.validation import query
from service.api.protocol.web import services
from service.api.schemas.requests import ReplayQuery
from service.gamelog.errors import NoSuchVersion

replay = Blueprint("replay", __name__)

_REPLAY = ReplayQuery()
_PIECE: Final = 50
"""Lines that are handed to the web server at once."""


@replay.get("/v1/games/<game>/replay")
def show_replay(game: str) -> Response:
    """The events after a version, each with the game as it stood then, as the asking viewer may see them now."""
    viewer = viewer_of(game)
    game_known(game)
    accept(NDJSON)
    asked = query(_REPLAY)
    log = services().games
    history = log.load_history(game)  # all of it before the first line is sent: a broken log is refused
    head = history.head.game
    after = asked["after"]
    if after > head.version:
        raise NoSuchVersion(after)
    until = min(head.version, after + asked.get("limit", head.version))
    return Response(_pieces(history.states(), history.events[after:until], viewer, head), content_type=NDJSON)


def _pieces(states: Iterator[Game], events: Sequence[dict[str, Any]], viewer: Viewer, head: Game) -> Iterator[bytes]:
    """The lines for `events`, a number of them at a time."""
    after = events[0]["version"] - 1 if events else 0
    seats = _Seats(head)
    lines = (
        _line(event, game, viewer, head, seats.seen(game))
        for event, game in zip(events, islice(states, after, None), strict=False)
    )
    while piece := b"".join(islice(lines, _PIECE)):
        yield piece


class _Seats:
    """The seats of a game that goes on, as JSON: most events change one of them, and most of a view are seats."""

    def __init__(self, head: Game) -> None:
        self._head = head
        self._known: list[Seat | None] = [None] * len(head.seats)
        self._json = [orjson.Fragment(b"null")] * len(head.seats)

    def seen(self, game: Game) -> list[orjson.Fragment]:
        """As everybody may see them, made anew where a seat isn't what it was."""
        for index, place in enumerate(game.seats):
            if place != self._known[index]:
                self._known[index] = place.copy()
                self._json[index] = orjson.Fragment(orjson.dumps(view_of_seat(index, place, (self._head,))))
        return self._json


def _line(event: dict[str, Any], game: Game, viewer: Viewer, head: Game, seats: list[orjson.Fragment]) -> bytes:
    view = view_of(game, viewer, event["hash"], head=head, seats=seats)
    seen = {"version": game.version, "event": redact_event(event, viewer, head), "view": view}
    return orjson.dumps(seen, option=orjson.OPT_APPEND_NEWLINE)
