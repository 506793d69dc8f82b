"""News of games for those who wait: one connection and one reader a process, however many wait.

Whoever waits has read the game, and follows it from there. When a new version is published the listener reads the
store once, for all of them; and also when a subscription has just begun or the connection was lost: then something
may have been missed.
"""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

import redis
import structlog

from service.gamelog.cache import LoadedGame
from service.gamelog.errors import CorruptLog, NoSuchGame, StoreUnavailable
from service.gamelog.history import decode_events
from service.gamelog.live.watch import KEPT, Snapshot, WakeQueue, WatchedGame, Watcher
from service.gamelog.log import GameLog

logger = structlog.get_logger("service.gamelog")

_PATIENCE = 5.0
"""Seconds that the listener blocks before it looks whether anybody still waits."""
_PAUSE = 0.2
_BETWEEN_KNOCKS: Final = 1.0
_AFTER_KNOCK: Final = 0.3
"""Seconds in which all streams of a process have been written to."""
_LOST: Final = (redis.exceptions.RedisError, OSError, AttributeError, ValueError)
"""What a lost connection raises; the last two where another thread has just closed it."""


class Hub:
    """Wakes the threads of this process that wait for a game to go on."""

    def __init__(self, games: GameLog) -> None:
        """Connects when somebody first waits."""
        self._games = games
        self._store = games.store
        self._lock = threading.Lock()
        self._turns = WakeQueue(games.activity.seconds_since)
        self._followed: dict[str, WatchedGame] = {}
        """By channel."""
        self._pubsub: Any = None
        self._thread: threading.Thread | None = None
        self._knocked = -math.inf
        self.closed = False

    def close(self) -> None:
        """Wake everybody for the last time: this process is about to end."""
        self.closed = True
        with self._lock:
            followed = list(self._followed.values())
        for one in followed:
            self._tell(one, replace(one.now))

    def wake_all(self) -> float:
        """Wake everybody as if there were news, so that those find out who wait for nobody.

        Returns for how many seconds it is worth waiting for that; nobody is woken twice within a second.
        """
        with self._lock:
            now = time.monotonic()
            waited = now - self._knocked
            if waited < _BETWEEN_KNOCKS:
                return max(0.0, _AFTER_KNOCK - waited)
            self._knocked = now
            followed = list(self._followed.values())
        for one in followed:
            self._tell(one, replace(one.now))
        return _AFTER_KNOCK

    @contextmanager
    def watch(self, loaded: LoadedGame) -> Iterator[Watcher]:
        """A look at the game from what the caller has read of it; for a moment it may be behind that."""
        channel = self._store.stream(loaded.game.id)
        with self._lock:
            followed = self._followed.get(channel)
            if followed is None:
                followed = self._followed[channel] = WatchedGame(loaded)
                self._tell_store("subscribe", channel)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._listen, name="hub", daemon=True)
                    self._thread.start()
            watch = Watcher(followed, self._turns)
            followed.watches.add(watch)
        try:
            yield watch
        finally:
            watch.up()
            with self._lock:
                followed.watches.remove(watch)
                if not followed.watches:
                    del self._followed[channel]
                    self._tell_store("unsubscribe", channel)

    def _tell_store(self, command: str, channel: str) -> None:
        """With the lock held. Where there is no connection, the next one begins with the channels of its moment."""
        if self._pubsub is not None:
            try:
                getattr(self._pubsub, command)(channel)
            except _LOST:
                self._hang_up()

    def _hang_up(self) -> None:
        """With the lock held: what was subscribed to is not known any more."""
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            with suppress(*_LOST):
                pubsub.close()

    def _connected(self) -> Any:
        """The connection, a new one where there is none. Raises one of _LOST."""
        with self._lock:
            if self._pubsub is None:
                pubsub = self._store.client.pubsub()
                if self._followed:
                    pubsub.subscribe(*self._followed)
                self._pubsub = pubsub
            return self._pubsub

    def _listen(self) -> None:
        pause = threading.Event()
        while True:
            try:
                pubsub = self._connected()
                message = pubsub.get_message(timeout=_PATIENCE)
                if message and message["type"] in ("message", "subscribe"):
                    self._hear(message["channel"].decode(), message["data"] if message["type"] == "message" else None)
                elif message is None and not pubsub.subscribed:
                    pause.wait(_PAUSE)
            except (*_LOST, StoreUnavailable):
                with self._lock:
                    self._hang_up()
                pause.wait(_PAUSE)

    def _hear(self, channel: str, published: bytes | None) -> None:
        """A version was published, or, None, anything may have happened unheard. Raises StoreUnavailable."""
        with self._lock:
            followed = self._followed.get(channel)
        if followed is None:
            return
        now = followed.now
        if published is not None and int(published) <= now.head.game.version:
            return  # read together with the one before
        try:
            head, entries = self._games.load_since(now.head)
            events = decode_events(entries, now.head)
        except (CorruptLog, NoSuchGame) as error:
            logger.error("a followed game can't be read", game=now.head.game.id, reason=str(error))
            self._tell(followed, replace(now, lost=True, made={}))
            return
        if events:
            self._tell(followed, Snapshot(head, [*now.events, *events][-KEPT:]))

    def _tell(self, followed: WatchedGame, now: Snapshot) -> None:
        followed.now = now
        with self._lock:
            watches = list(followed.watches)
        self._turns.call(watches)
