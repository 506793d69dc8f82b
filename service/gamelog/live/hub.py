"""The hub: wakes the threads of this process that wait for a game, by one connection and one listener for all of them.

A thread that waits has read the game, and follows it from there. When a new version is published, the listener reads
the store once for all threads; also after a subscription or a lost connection, because a message may have been missed.
"""

import math
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

import structlog

from service.gamelog.cache import LoadedGame
from service.gamelog.errors import CorruptLog, NoSuchGame, StoreUnavailable
from service.gamelog.history import decode_events
from service.gamelog.live.watch import KEPT, Snapshot, WakeQueue, WatchedGame, Watcher
from service.gamelog.log import GameLog
from service.gamelog.store.scripts import STORE_ERRORS
from service.runtime.guards.threads import FaultLog

logger = structlog.get_logger("service.gamelog")

_READ_TIMEOUT_S: Final = 5.0
"""Seconds that the listener blocks for a message."""
_RETRY_S: Final = 0.2
_FIND_INTERVAL_S: Final = 1.0
_WRITE_ALL_S: Final = 0.3
"""Seconds that a write to all streams of a process takes."""
_CONNECTION_LOST: Final = (*STORE_ERRORS, AttributeError, TypeError, ValueError)
"""What a lost connection raises; the last three if another thread has just closed it."""


class Hub:
    """Publishes snapshots of the watched games to the threads of this process."""

    def __init__(self, games: GameLog) -> None:
        """Connects when the first thread waits."""
        self._games = games
        self._store = games.store
        self._lock = threading.Lock()
        self._queue = WakeQueue(games.activity.seconds_since)
        self._watched: dict[str, WatchedGame] = {}
        """By channel."""
        self._pubsub: Any = None
        self._thread: threading.Thread | None = None
        self._found_at = -math.inf
        self.closed = False

    def close(self) -> None:
        """Wake all threads for the last time: this process is about to end."""
        self.closed = True
        self.wake_all()

    def wake_all(self) -> None:
        """Wake all threads as if there were news: each looks whether it must end."""
        with self._lock:
            games = list(self._watched.values())
        for watched in games:
            self._publish(watched)

    def wake_games(self, games: Iterable[str]) -> None:
        """Wake the threads that wait for one of these games, as `wake_all` does."""
        channels = [self._store.stream(game) for game in games]
        with self._lock:
            watched = [self._watched[channel] for channel in channels if channel in self._watched]
        for one in watched:
            self._publish(one)

    def find_disconnected(self) -> float:
        """Wake all threads: a write shows which of their clients have disconnected.

        Returns the seconds that this takes. Threads are woken in this way at most once a second.
        """
        with self._lock:
            now = time.monotonic()
            elapsed = now - self._found_at
            if elapsed < _FIND_INTERVAL_S:
                return max(0.0, _WRITE_ALL_S - elapsed)
            self._found_at = now
        self.wake_all()
        return _WRITE_ALL_S

    @contextmanager
    def watch(self, loaded: LoadedGame) -> Iterator[Watcher]:
        """Watch a game from what the caller has read of it; the first snapshots may be older than that."""
        channel = self._store.stream(loaded.game.id)
        with self._lock:
            watched = self._watched.get(channel)
            if watched is None:
                watched = self._watched[channel] = WatchedGame(loaded)
                self._send("subscribe", channel)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._listen, name="hub", daemon=True)
                    self._thread.start()
            watcher = Watcher(watched, self._queue)
            watched.watchers.add(watcher)
        try:
            yield watcher
        finally:
            watcher.release()
            with self._lock:
                watched.watchers.remove(watcher)
                if not watched.watchers:
                    del self._watched[channel]
                    self._send("unsubscribe", channel)

    def _send(self, command: str, channel: str) -> None:
        """Subscribe or unsubscribe. Without a connection nothing is sent: the next one subscribes to all channels.

        The lock is held.
        """
        if self._pubsub is not None:
            try:
                getattr(self._pubsub, command)(channel)
            except _CONNECTION_LOST:
                self._disconnect()

    def _disconnect(self) -> None:
        """Close the connection: what it was subscribed to is unknown. The lock is held."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            with suppress(*_CONNECTION_LOST):
                pubsub.close()

    def _connect(self) -> Any:
        """The connection, a new one if there is none. Raises one of _CONNECTION_LOST."""
        with self._lock:
            if self._pubsub is None:
                pubsub = self._store.client.pubsub()
                if self._watched:
                    pubsub.subscribe(*self._watched)
                self._pubsub = pubsub
            return self._pubsub

    def _listen(self) -> None:
        pause, faults = threading.Event(), FaultLog("hub")
        while True:
            try:
                pubsub = self._connect()
                message = pubsub.get_message(timeout=_READ_TIMEOUT_S)
                if message and message["type"] in ("message", "subscribe"):
                    version = int(message["data"]) if message["type"] == "message" else None
                    self._receive(message["channel"].decode(), version)
                elif message is None and not pubsub.subscribed:
                    pause.wait(_RETRY_S)
            except (*_CONNECTION_LOST, StoreUnavailable):
                with self._lock:
                    self._disconnect()
                pause.wait(_RETRY_S)
            except Exception as error:  # noqa: BLE001 - all threads that wait would be deaf for good
                faults.note(error)
                with self._lock:
                    self._disconnect()  # the next connection reads every game
                pause.wait(_RETRY_S)

    def _receive(self, channel: str, version: int | None) -> None:
        """Read a game whose `version` was published; None after a subscription. Raises StoreUnavailable."""
        with self._lock:
            watched = self._watched.get(channel)
        if watched is None:
            return
        now = watched.now
        if version is not None and version <= now.head.game.version:
            return  # read together with an earlier message
        try:
            head, entries = self._games.load_since(now.head)
            events = decode_events(entries, now.head)
        except (CorruptLog, NoSuchGame) as error:
            logger.error("a watched game can't be read", game=now.head.game.id, reason=str(error))
            self._publish(watched, replace(now, lost=True, encoded={}))
            return
        if events:
            self._publish(watched, Snapshot(head, [*now.events, *events][-KEPT:]))

    def _publish(self, watched: WatchedGame, now: Snapshot | None = None) -> None:
        """Replace the snapshot of a game and wake its threads. None: by an equal one, as if there were news."""
        with self._lock:  # an equal one must not take the place of a newer one
            watched.now = now or replace(watched.now)
            watchers = list(watched.watchers)
        self._queue.wake(watchers)
