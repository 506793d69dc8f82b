"""The log as server-sent events: past events, then new ones, until the game is over.

Rule 1: what a viewer may see is judged when a chunk is handed to the web server, by the newest state known then.
Rule 2: a stream's position is the last version that it sent, and nothing else: no event is sent twice or left out,
whether it came from the store or from the hub.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

import orjson
from flask import Response

from domain.events import EventRecord
from domain.state import Game
from domain.view import Viewer, redact_event
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import EVENT_STREAM
from service.api.problems.problem import Problem
from service.api.protocol.headers import read_viewer
from service.api.protocol.metrics import STREAMS
from service.api.protocol.request import GameRequest
from service.gamelog.cache import LoadedGame
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion, StoreUnavailable
from service.gamelog.live.hub import Hub
from service.gamelog.live.watch import KEPT, Snapshot, Watcher
from service.gamelog.log import GameLog

HEARTBEAT_SECONDS: Final = 10.0
"""Longest pause between two chunks. A heartbeat shows the client that the stream works, and shows us a lost client."""
_CHUNK_EVENTS: Final = 100
_OPENING_SECONDS: Final = 5.0
"""How long a request waits for its turn to open a stream."""
_HEARTBEAT: Final = b":\n\n"
_ADVICE: Final = Sentence("too-many-waiting.stream")


def open_event_stream(request: GameRequest, after: int, last_event_id: int | None) -> Response:
    """The events after `last_event_id`, else `after`, as a stream; 204 where none can follow any more.

    A finished game answers 204 to every later `last_event_id`, also past the head. Raises NoSuchVersion, and Problem
    `too-many-waiting` where this process holds as many streams as it may, or `too-many-requests` where its client does.
    """
    web = request.web
    resumed = last_event_id is not None
    after = after if last_event_id is None else last_event_id
    with ExitStack() as resources:
        if not request.is_head:
            # Before the turn: a client that asks for too many streams must not hold up the turns of others. Only a
            # write shows that a stream's client has disconnected: where no place is free, all streams are written to.
            resources.enter_context(web.places.hold_waiting(_ADVICE, web.hub.find_disconnected))
        with _opening_turn(web.stream_openings):
            try:
                head, past = request.load_events(after, KEPT)
            except NoSuchVersion:
                if resumed and request.games.load_cached(request.game).game.end is not None:
                    return Response(status=204)
                raise
            if head.game.end is not None and head.game.end <= after:
                return Response(status=204)
            answer = Response(content_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"})
            if request.is_head:
                return answer
            resources.enter_context(STREAMS.track_inprogress())
            watcher = resources.enter_context(web.hub.watch(head))
            is_void = _void_question(request)
            stream = _Stream(request.games, web.hub, watcher, request.viewer, is_void, after, head, past)
            answer.response = stream.chunks()
            answer.call_on_close(resources.pop_all().close)  # called also if the stream is never read
        return answer


@contextmanager
def _opening_turn(openings: BoundedSemaphore) -> Iterator[None]:
    """Wait for a turn to open a stream. Raises Problem `too-many-waiting`.

    After a restart all clients reconnect at once; without turns each would open a connection to the store.
    """
    if not openings.acquire(timeout=_OPENING_SECONDS):
        raise Problem("too-many-waiting", _ADVICE, headers={"Retry-After": "5"})
    try:
        yield
    finally:
        openings.release()


def _void_question(request: GameRequest) -> Callable[[], bool]:
    tokens, game, viewer = request.services.tokens, request.game, request.viewer
    if viewer is None:
        return lambda: False
    generation = tokens.generation_of(game, viewer)
    read_viewer(tokens, game)  # after the line above: the token may have become void before it
    return lambda: tokens.generation_of(game, viewer) != generation


@dataclass(slots=True)
class _Stream:
    """One viewer's stream of a game. Used by one thread."""

    games: GameLog
    hub: Hub
    watcher: Watcher
    viewer: Viewer
    is_void: Callable[[], bool]
    """Whether the viewer's token has become void since the stream was opened."""
    sent: int
    """The last version that was sent."""
    head: LoadedGame
    """The newest game that this stream has read: the hub may be a moment behind the first read."""
    past: list[EventRecord]
    """Events that have been read and are still to be sent, at most KEPT: a slow client must not hold a whole game."""
    ended: bool = False

    def chunks(self) -> Iterator[bytes]:
        """What is sent, chunk by chunk; ends after GameEnded, and when the process stops."""
        yield _HEARTBEAT
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        slept_on: Snapshot | None = None
        while not (self.hub.closed or self.ended or self.is_void()):
            now = self.watcher.now
            woken, slept_on = slept_on is not None and slept_on is not now, None
            if now.head.game.version > self.head.game.version:
                self.head = now.head
            try:
                chunk = self._next(now)
            except (StoreUnavailable, CorruptLog, NoSuchGame, NoSuchVersion):
                return  # the client reconnects, gets the problem, and has missed nothing
            self.watcher.release()  # before the chunk is sent: other threads don't wait for a slow client
            if not chunk and (woken or time.monotonic() >= heartbeat_at):
                chunk = _HEARTBEAT
            if chunk:
                yield chunk
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
            elif now.lost:
                return
            else:
                slept_on = now
                self.watcher.sleep(now, heartbeat_at - time.monotonic())

    def _next(self, now: Snapshot) -> bytes:
        """The next chunk; empty where there is nothing new."""
        unsent = self.head.game.version - self.sent
        live = not self.past and self.head is now.head and 0 < unsent <= len(now.events)
        if live:
            self.past = now.events[-unsent:]
        elif not self.past and unsent > 0:  # a long history, or a client so slow that the hub has dropped these events
            self.watcher.release()
            self.head, self.past = self.games.load_events(self.head.game.id, self.sent, KEPT)
        events, self.past = _up_to_game_ended(self.past[:_CHUNK_EVENTS]), self.past[_CHUNK_EVENTS:]
        if not events:
            return b""
        self.sent = events[-1]["version"]
        self.ended = events[-1]["type"] == "GameEnded"
        if not live:
            return _encode(events, self.viewer, self.head.game)
        # The same for all streams with this viewer: encoded once.
        key = self.viewer, events[0]["version"]
        if key not in now.encoded:
            now.encoded[key] = _encode(events, self.viewer, self.head.game)
        return now.encoded[key]


def _up_to_game_ended(events: list[EventRecord]) -> list[EventRecord]:
    """The events without those after GameEnded."""
    for index, event in enumerate(events):
        if event["type"] == "GameEnded":
            return events[: index + 1]
    return events


def _encode(events: list[EventRecord], viewer: Viewer, head: Game) -> bytes:
    """The events as `viewer` may see them while the game stands at `head`."""
    return b"".join(
        b"id: %d\nevent: %b\ndata: %b\n\n"
        % (event["version"], event["type"].encode(), orjson.dumps(redact_event(event, viewer, head)))
        for event in events
    )
