"""The log as server-sent events: first what has happened, then what happens, until the game is over.

Rule 1: what may be seen is judged when a piece is handed to the web server, by the game's newest state known then.
Rule 2: the last version sent is all that a stream knows of its place: nothing is sent twice, and nothing left out,
whichever way an event came.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

import orjson
from flask import Response, current_app, request
from marshmallow import ValidationError

from domain.events import EventRecord
from domain.state import Game
from domain.view import Viewer, redact_event
from service.api.protocol.body import flatten, invalid
from service.api.protocol.metrics import STREAMS
from service.api.protocol.problems import Problem
from service.api.protocol.request import EVENT_STREAM
from service.api.protocol.web import services, web_of
from service.api.schemas.requests import Digits
from service.gamelog.cache import LoadedGame
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion, StoreUnavailable
from service.gamelog.live.hub import Hub
from service.gamelog.live.watch import Snapshot, Watcher
from service.gamelog.log import GameLog

HEARTBEAT_SECONDS: Final = 10.0
"""Pause after which a stream shows that it lives, and finds out that its client doesn't."""
_PIECE: Final = 100
"""Events of one piece of the history."""
_OPENING: Final = BoundedSemaphore(4)
_OPENING_SECONDS: Final = 5.0
_BEAT: Final = b":\n\n"
_VERSION: Final = Digits()


@contextmanager
def in_turn() -> Iterator[None]:
    """Streams are opened a few at a time. Raises Problem `too-many-waiting` where a turn doesn't come.

    A crowd that comes back at once, as after a restart, would else take a connection to the store each.
    """
    if EVENT_STREAM not in request.headers.get("Accept", ""):
        yield
        return
    if not _OPENING.acquire(timeout=_OPENING_SECONDS):
        raise _full_house()
    try:
        yield
    finally:
        _OPENING.release()


def _full_house() -> Problem:
    return Problem("too-many-waiting", "Ask again later, or ask for pages.", headers={"Retry-After": "5"})


def last_event_id() -> int | None:
    """The version that the client saw last, as its header says. Raises Problem `invalid-request`."""
    given = request.headers.get("Last-Event-ID")
    try:
        return None if given is None else _VERSION.deserialize(given)
    except ValidationError as error:
        raise invalid(flatten({"Last-Event-ID": error.messages})) from None


def event_stream(game: str, viewer: Viewer, after: int) -> Response:
    """The events after a version as a stream; 204 where none can follow any more.

    Raises NoSuchVersion, and Problem `too-many-waiting` where this process holds as many as it may.
    """
    log, hub = services().games, web_of(current_app).hub
    head, past = _past(log, game, after)
    if head.game.over and not past:
        return Response(status=204)
    answer = Response(content_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"})
    if request.method == "HEAD":
        return answer
    polls = web_of(current_app).polls
    # Only what is sent to them shows which of the others are gone.
    if not polls.acquire(blocking=False) and not polls.acquire(timeout=hub.wake_all()):
        raise _full_house()
    with ExitStack() as opened:
        opened.callback(polls.release)
        opened.enter_context(STREAMS.track_inprogress())
        watch = opened.enter_context(hub.watch(head))
        answer.response = _Stream(log, hub, watch, viewer, after, head, past).pieces()
        answer.call_on_close(opened.pop_all().close)  # called also for a stream that nobody began to read
    return answer


@dataclass(slots=True)
class _Stream:
    """One viewer's stream of a game, from its thread's side."""

    log: GameLog
    hub: Hub
    watch: Watcher
    viewer: Viewer
    sent: int
    """The last version that was sent."""
    head: LoadedGame
    """The newest game that this stream has seen: the hub may be a moment behind what it began with."""
    past: list[EventRecord]
    """Events that have been read and are still to be sent."""
    ended: bool = False

    def pieces(self) -> Iterator[bytes]:
        """What is sent, piece by piece; ends after GameEnded, and when the process stops."""
        yield _BEAT
        beat_at = time.monotonic() + HEARTBEAT_SECONDS
        slept_on: Snapshot | None = None
        while not (self.hub.closed or self.ended):
            now = self.watch.now
            knocked, slept_on = slept_on is not None and slept_on is not now, None
            if now.head.game.version > self.head.game.version:
                self.head = now.head
            try:
                piece = self._next(now)
            except (StoreUnavailable, CorruptLog, NoSuchGame, NoSuchVersion):
                return  # the client is told when it comes back, and has missed nothing
            self.watch.up()  # before it is sent: nobody waits for a slow client
            if not piece and (knocked or time.monotonic() >= beat_at):
                piece = _BEAT
            if piece:
                yield piece
                beat_at = time.monotonic() + HEARTBEAT_SECONDS
            elif now.lost:
                return
            else:
                slept_on = now
                self.watch.sleep(now, beat_at - time.monotonic())

    def _next(self, now: Snapshot) -> bytes:
        """The next piece; empty where there is nothing new."""
        fresh = now.head.game.version - self.sent
        live = not self.past and 0 < fresh <= len(now.events)
        if live:
            self.past = _up_to_the_end(now.events[-fresh:])
        elif not self.past and fresh > 0:  # so long with a slow client that the hub has forgotten
            self.watch.up()
            self.head, self.past = _past(self.log, self.head.game.id, self.sent)
        events, self.past = self.past[:_PIECE], self.past[_PIECE:]
        if not events:
            return b""
        self.sent = events[-1]["version"]
        self.ended = events[-1]["type"] == "GameEnded"
        if not live or self.head is not now.head:
            return _told(events, self.viewer, self.head.game)
        key = self.viewer, events[0]["version"]
        if key not in now.made:
            now.made[key] = _told(events, self.viewer, self.head.game)
        return now.made[key]


def _past(log: GameLog, game: str, after: int) -> tuple[LoadedGame, list[EventRecord]]:
    """The game's head, and the events after a version; none from after the end of the game.

    Raises NoSuchGame, NoSuchVersion and CorruptLog.
    """
    head, events = log.load_events(game, after)
    events = _up_to_the_end(events)
    ends_before = head.game.over and not (events and events[-1]["type"] == "GameEnded")
    return head, [] if ends_before else events


def _up_to_the_end(events: list[EventRecord]) -> list[EventRecord]:
    """The events without those after GameEnded."""
    for index, event in enumerate(events):
        if event["type"] == "GameEnded":
            return events[: index + 1]
    return events


def _told(events: list[EventRecord], viewer: Viewer, head: Game) -> bytes:
    """The events as `viewer` may see them while the game stands at `head`."""
    return b"".join(
        b"id: %d\nevent: %b\ndata: %b\n\n"
        % (event["version"], event["type"].encode(), orjson.dumps(redact_event(event, viewer, head)))
        for event in events
    )
