"""Answers that wait for a game's next version: long polls, and the log as server-sent events.

A stream has past events, then new ones, until the game is over.

Rule 1: what a viewer may see is judged when a chunk is handed to the web server, by the newest state known then.
Rule 2: a stream's position is the last version that it sent, and nothing else: no event is sent twice or left out,
whether it came from the store or from the hub.
Rule 3: where the store has lost events, the stream ends with `id: 0`: a client that resumes it begins anew.
Rule 4: the game's tokens are read with its events, and a stream ends where its own is revoked by then: what the seat's
next person sees does not reach the former one.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Final

import orjson
from flask import Response

from domain.events import ENDS, EventRecord
from domain.state import Game
from domain.view import Viewer, redact_event
from domain.words.refusals.sentences import Sentence
from service.api.content.caching import client_has
from service.api.content.negotiation import EVENT_STREAM
from service.api.problems.problem import Problem
from service.api.protocol.metrics import POLLS, STREAMS
from service.api.protocol.request import GameRequest
from service.gamelog.cache import LoadedGame
from service.gamelog.live.watch import KEPT, Snapshot, WatchedGame
from service.gamelog.store.errors import CorruptLog, NoSuchGame, NoSuchVersion, PastLost, StoreUnavailable, TokenVoid
from service.post.presence import RENEW_S, Presence

HEARTBEAT_SECONDS: Final = 10.0
"""Longest pause between two chunks. A heartbeat shows the client that the stream works, and shows us a lost client."""
_CHUNK_EVENTS: Final = 100
_OPENING_SECONDS: Final = 5.0
"""How long a request waits for its turn to open a stream."""
_HEARTBEAT: Final = b":\n\n"
_BEGIN_ANEW: Final = b"id: 0\n\n"
"""No event, for it has no data; but a client that reads it resumes with this id."""
_ADVICE: Final = Sentence("too-many-waiting.stream")


def open_event_stream(request: GameRequest, after: int, last_event_id: int | None) -> Response:
    """The events after `last_event_id`, else `after`, as a stream; 204 where none can follow.

    A finished game answers 204 to every later `last_event_id`, also past the head. Raises NoSuchVersion, and Problem
    `too-many-waiting` where this process holds as many streams as it may, or `too-many-requests` where its client does.
    """
    resumed = last_event_id is not None
    after = after if last_event_id is None else last_event_id
    with ExitStack() as resources:
        if not request.is_head:
            # Before the turn: a client that asks for too many streams must not hold up the turns of others.
            resources.enter_context(request.web.places.hold_waiting(_ADVICE))
        with _opening_turn(request.web.places.stream_openings):
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
            watched = resources.enter_context(request.services.hub.watch(head))
            watching = Presence(request.services.store).watching(request.game, request.viewer)
            renew = resources.enter_context(watching)
            answer.response = _Stream(request, watched, renew, after, head, past).chunks()
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


@dataclass(slots=True)
class _Stream:
    """One viewer's stream of a game. Used by one thread."""

    request: GameRequest
    watched: WatchedGame
    renew_presence: Callable[[], None]
    """Says again that the seat is watching."""
    sent: int
    head: LoadedGame
    """The newest game that this stream has read: the hub may be a moment behind the first read."""
    past: list[EventRecord]
    """Events that have been read and are still to be sent, at most KEPT: a slow client must not hold a whole game."""
    ended: bool = False

    def chunks(self) -> Iterator[bytes]:
        """What is sent, chunk by chunk; ends with the game, and when the process stops."""
        yield _HEARTBEAT
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        renew_at = time.monotonic() + RENEW_S
        woken = False
        while not (self.request.services.hub.closed or self.ended):
            if time.monotonic() >= renew_at:
                self.renew_presence()
                renew_at = time.monotonic() + RENEW_S
            now = self.watched.now
            if now.head.game.version > self.head.game.version:
                self.head = now.head
            try:
                chunk = self._next(now)
            except (PastLost, NoSuchVersion):
                yield _BEGIN_ANEW
                return
            except (StoreUnavailable, CorruptLog, NoSuchGame, TokenVoid):
                return  # the client reconnects, gets the problem, and has missed nothing
            if woken:  # before the chunk is sent: other threads don't wait for a slow client
                self.watched.wake_next()
            if not chunk and (woken or time.monotonic() >= heartbeat_at):
                chunk = _HEARTBEAT
            woken = False
            if chunk:
                yield chunk
                heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
            else:
                woken = self.watched.sleep(now, heartbeat_at - time.monotonic())

    def _next(self, now: Snapshot) -> bytes:
        """The next chunk; empty where there is nothing new. Raises PastLost, TokenVoid, and as a read does."""
        if now.lost:
            raise (PastLost if now.has_other_past else NoSuchGame)(self.head.game.id)
        is_live = not self.past and self._take_news(now)
        if self.request.has_void_token(now.head) or self.request.has_void_token(self.head):
            raise TokenVoid(self.head.game.id)
        events, self.past = _up_to_end(self.past[:_CHUNK_EVENTS]), self.past[_CHUNK_EVENTS:]
        if not events:
            return b""
        self.sent = events[-1]["version"]
        self.ended = events[-1]["type"] in ENDS
        viewer = self.request.viewer
        if not is_live:
            return _encode(events, viewer, self.head.game)
        # The same for all streams with this viewer: encoded once.
        key = viewer, events[0]["version"]
        if key not in now.encoded:
            now.encoded[key] = _encode(events, viewer, self.head.game)
        return now.encoded[key]

    def _take_news(self, now: Snapshot) -> bool:
        """Put what follows the last event that was sent into `past`; whether the snapshot has it all."""
        unsent = self.head.game.version - self.sent
        if unsent <= 0:
            return False
        if self.head is now.head and unsent <= len(now.events):
            self.past = now.events[-unsent:]
            return True
        # A long history, or a client so slow that the hub has dropped these events.
        self.head, self.past = self.request.games.load_events(self.head.game.id, self.sent, KEPT)
        return False


def _up_to_end(events: list[EventRecord]) -> list[EventRecord]:
    """The events without those after the game's end."""
    for index, event in enumerate(events):
        if event["type"] in ENDS:
            return events[: index + 1]
    return events


def _encode(events: list[EventRecord], viewer: Viewer, head: Game) -> bytes:
    """The events as `viewer` may see them when the game is at `head`."""
    return b"".join(
        b"id: %d\nevent: %b\ndata: %b\n\n"
        % (event["version"], event["type"].encode(), orjson.dumps(redact_event(event, viewer, head)))
        for event in events
    )


def wait_for_news(request: GameRequest, seconds: float) -> LoadedGame:
    """The game as soon as it is newer than what the client has, or after so many seconds.

    Raises Problem `too-many-waiting`, `too-many-requests`; and TokenVoid.
    """
    loaded = request.load()
    if seconds <= 0 or not client_has(loaded.game.version):
        return loaded
    with request.web.places.hold_waiting(Sentence("too-many-waiting.poll")):
        return _wait(request, loaded, time.monotonic() + seconds)


def _wait(request: GameRequest, loaded: LoadedGame, deadline: float) -> LoadedGame:
    hub = request.services.hub
    with POLLS.track_inprogress(), hub.watch(loaded) as watched:
        while not hub.closed and not watched.now.lost and (left := deadline - time.monotonic()) > 0:
            now = watched.now
            if request.has_void_token(now.head):
                break
            if now.head.game.version > loaded.game.version and not client_has(now.head.game.version):
                return now.head
            if watched.sleep(now, left):
                watched.wake_next()
    return request.load()  # a version whose notification was lost, or that the token is revoked, is found here
