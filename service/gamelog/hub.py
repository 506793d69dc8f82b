"""News of games for those who wait: one connection a process, however many wait.

Whoever waits first registers, then looks at the game, then waits; the hub wakes everybody of a game when its new
version is published, and also when a subscription has just begun or the connection was lost: then something may have
been missed, and a look is cheap.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import redis

from service.gamelog.store import Store

_PATIENCE = 5.0
"""Seconds that the listener blocks before it looks whether anybody still waits."""
_PAUSE = 0.2


class Hub:
    """Wakes the threads of this process that wait for a game to go on."""

    def __init__(self, store: Store) -> None:
        """Connects when somebody first waits."""
        self._store = store
        self._lock = threading.Lock()
        self._waiting: dict[str, set[threading.Event]] = {}
        self._pubsub: Any = None
        self._thread: threading.Thread | None = None
        self.closed = False

    def close(self) -> None:
        """Wake everybody for the last time: this process is about to end."""
        self.closed = True
        with self._lock:
            waiting = [news for watchers in self._waiting.values() for news in watchers]
        for news in waiting:
            news.set()

    @contextmanager
    def watch(self, game: str) -> Iterator[threading.Event]:
        """An event that is set whenever the game may have gone on; clear it before you look."""
        channel = self._store.stream(game)
        news = threading.Event()
        with self._lock:
            watchers = self._waiting.setdefault(channel, set())
            watchers.add(news)
            if len(watchers) == 1:
                self._subscribe(channel)
        try:
            yield news
        finally:
            with self._lock:
                watchers.discard(news)
                if not watchers and self._waiting.get(channel) is watchers:
                    del self._waiting[channel]
                    with suppress(redis.exceptions.RedisError, OSError):
                        self._pubsub.unsubscribe(channel)

    def _subscribe(self, channel: str) -> None:
        """With the lock held. A connection that fails here fails the listener too, which starts it anew."""
        with suppress(redis.exceptions.RedisError, OSError):
            if self._pubsub is None:
                self._pubsub = self._store.client.pubsub()
            self._pubsub.subscribe(channel)
        if self._thread is None:
            self._thread = threading.Thread(target=self._listen, name="hub", daemon=True)
            self._thread.start()

    def _listen(self) -> None:
        pause = threading.Event()
        while True:
            try:
                message = self._pubsub.get_message(timeout=_PATIENCE)
            except (redis.exceptions.RedisError, OSError, AttributeError):
                # AttributeError: the very first connection failed, there is no pubsub yet.
                pause.wait(_PAUSE)
                self._reconnect()
                continue
            if message and message["type"] in ("message", "subscribe"):
                self._wake(message["channel"].decode())
            elif message is None and not self._pubsub.subscribed:
                pause.wait(_PAUSE)

    def _wake(self, channel: str) -> None:
        with self._lock:
            watchers = list(self._waiting.get(channel, ()))
        for news in watchers:
            news.set()

    def _reconnect(self) -> None:
        with self._lock, suppress(redis.exceptions.RedisError, OSError):
            if self._pubsub is not None:
                self._pubsub.close()
            self._pubsub = self._store.client.pubsub()
            if self._waiting:
                self._pubsub.subscribe(*self._waiting)
