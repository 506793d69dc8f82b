"""The hub: wakes the threads of this process that wait for a game, by one connection and one listener for all of them.

A thread that waits has read the game, and follows it from there. When a new version is published, the listener reads
the store once for all threads; also after a subscription or a lost connection, because a message may have been missed.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

import structlog

from service.connections.clients import STORE_ERRORS
from service.gamelog.cache import LoadedGame
from service.gamelog.live.watch import Snapshot, WatchedGame
from service.gamelog.log import GameLog
from service.gamelog.store.errors import CorruptLog, NoSuchGame, PastLost, StoreUnavailable
from service.runtime.guards.threads import FaultLog

logger = structlog.get_logger("service.gamelog")

_SILENCE_S: Final = 4.0
"""Seconds without a message after which the listener sends the store a PING, and after as many more
closes the connection: a firewall that has dropped its state informs neither end."""
_RETRY_S: Final = 0.2
_COMPARE_S: Final = 10.0
"""Seconds after which the heads of all watched games are compared with the store's.

A message may have been lost, or the store may have changed under an open connection.
"""
_CONNECTION_LOST: Final = (*STORE_ERRORS, AttributeError, TypeError, ValueError)
"""What a lost connection raises; the last three if another thread has just closed it."""


def _refuse_reconnect(*_: object) -> None:
    raise ConnectionError("the connection is lost")


class Hub:
    """Publishes snapshots of the watched games to the threads of this process."""

    def __init__(self, games: GameLog) -> None:
        """Connects when the first thread waits."""
        self._games = games
        self._store = games.store
        self._lock = threading.Lock()
        self._watched: dict[str, WatchedGame] = {}
        """By channel."""
        self._pubsub: Any = None
        self._asked = False
        """Whether a PING was sent, and no answer has come since."""
        self._thread: threading.Thread | None = None
        self._compared_at = time.monotonic()
        self.closed = False

    def close(self) -> None:
        """Wake all threads for the last time, and end the listener: this process is about to end."""
        self.closed = True
        self.wake_all()
        with self._lock:
            is_listening = self._pubsub is not None and self._pubsub.subscribed
            self._disconnect()
        if is_listening and self._thread:
            self._thread.join(_RETRY_S)  # it may be reading

    def wake_all(self) -> None:
        """Wake all threads as if there were news: each looks whether it must end."""
        with self._lock:
            games = list(self._watched.values())
        for watched in games:
            self._publish(watched)

    @contextmanager
    def watch(self, loaded: LoadedGame) -> Iterator[WatchedGame]:
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
            watched.threads += 1
        try:
            yield watched
        finally:
            watched.wake_next()
            with self._lock:
                watched.threads -= 1
                # One that was lost has left the table, and another one may have its place.
                if not watched.threads and self._watched.get(channel, watched) is watched:
                    self._watched.pop(channel, None)
                    self._send("unsubscribe", channel)

    def _send(self, command: str, channel: str) -> None:
        """Subscribe or unsubscribe, with the lock held. A next connection subscribes to all channels."""
        if self._pubsub is not None:
            try:
                getattr(self._pubsub, command)(channel)
            except _CONNECTION_LOST:
                self._disconnect()

    def _disconnect(self) -> None:
        """Give the connection up: what it was subscribed to is unknown. The lock is held.

        The listener alone closes it. To close returns it to the pool, and the listener, if it were still reading, would
        take the replies of the thread that gets it next.
        """
        pubsub, self._pubsub = self._pubsub, None
        if pubsub is not None:
            with suppress(*_CONNECTION_LOST):
                # The listener waits in this socket, and redis-py's own ways to close it return it to the pool.
                pubsub.connection._sock.shutdown(socket.SHUT_RDWR)  # noqa: SLF001

    def _close(self, pubsub: Any) -> None:
        """Close a connection, if there is one. The listener alone calls this."""
        with self._lock:
            if self._pubsub is pubsub:
                self._pubsub = None
        if pubsub is not None:
            with suppress(*_CONNECTION_LOST):
                pubsub.close()

    def _connect(self) -> Any:
        """The connection, a new one if there is none; None while no game is watched. The listener alone calls this.

        It takes seconds where the store hangs, so the lock isn't held meanwhile. Raises one of _CONNECTION_LOST, also
        where the hub is closed.
        """
        with self._lock:
            if self._pubsub is not None or not self._watched:
                return self._pubsub
            channels = set(self._watched)
        pubsub = self._store.client.pubsub()
        # redis-py would connect again within any command, with the lock held, for as long as the store hangs.
        pubsub._reconnect = _refuse_reconnect  # noqa: SLF001
        try:
            pubsub.subscribe(*channels)
            with self._lock:
                if self.closed:
                    raise ConnectionError("this process is about to end")
                for command, changed in (
                    (pubsub.subscribe, self._watched.keys() - channels),
                    (pubsub.unsubscribe, channels - self._watched.keys()),
                ):
                    if changed:
                        command(*changed)
                self._pubsub, self._asked = pubsub, False
        except BaseException:
            pubsub.close()
            raise
        return pubsub

    def _listen(self) -> None:
        pause, faults, pubsub = threading.Event(), FaultLog("hub"), None
        while not self.closed:
            try:
                if pubsub is not self._pubsub:  # another thread has given it up
                    self._close(pubsub)
                pubsub = self._connect()
                if pubsub is None:
                    pause.wait(_RETRY_S)
                    continue
                message = pubsub.get_message(timeout=_SILENCE_S)
                if message and message["type"] in ("message", "subscribe"):
                    version = int(message["data"]) if message["type"] == "message" else None
                    self._receive(message["channel"].decode(), version)
                elif message is None and not pubsub.subscribed:
                    pause.wait(_RETRY_S)
                self._check_alive(pubsub, is_silent=message is None and pubsub.subscribed)
                if time.monotonic() - self._compared_at > _COMPARE_S:
                    self.compare_watched()
            except (*_CONNECTION_LOST, StoreUnavailable):
                self._close(pubsub)
                pause.wait(_RETRY_S)
            except Exception as error:  # noqa: BLE001 - else no waiting thread would be woken again
                faults.note(error)
                self._close(pubsub)  # the next connection reads every game
                pause.wait(_RETRY_S)
        self._close(pubsub)

    def _check_alive(self, pubsub: Any, *, is_silent: bool) -> None:
        """Send a PING on a silent connection. Raises one of _CONNECTION_LOST where the one before had no answer."""
        if not is_silent:
            self._asked = False
            return
        if self._asked:
            raise ConnectionError("the store has answered no PING")
        with self._lock:
            if pubsub is self._pubsub:
                pubsub.ping()
                self._asked = True

    def _receive(self, channel: str, version: int | None) -> None:
        """Read a game whose `version` was published; 0: a token was revoked; None: a message may have been lost."""
        with self._lock:
            watched = self._watched.get(channel)
        if watched is None:
            return
        now = watched.now
        if version and version <= now.head.game.version:
            return  # read together with an earlier message
        try:
            head, events = self._games.load_since(now.head)
            following = now.follow(head, events)
        except PastLost:
            self._end(channel, watched, has_other_past=True)
            return
        except (CorruptLog, NoSuchGame) as error:
            if isinstance(error, CorruptLog):  # a deleted game is no fault
                logger.error("a watched game can't be read", game=now.head.game.id, reason=str(error))
            self._end(channel, watched, has_other_past=False)
            return
        if following is not now:
            self._publish(watched, following)

    def compare_watched(self) -> None:
        """Read each watched game whose head or tokens in the store aren't those that its threads know."""
        self._compared_at = time.monotonic()
        with self._lock:
            channels = {watched.now.head.game.id: channel for channel, watched in self._watched.items()}
            heads = [watched.now.head for watched in self._watched.values()]
        for loaded in self._games.find_changed(heads) if heads else ():
            self._receive(channels[loaded.game.id], None)

    def end_all(self) -> None:
        """End the waiting of all threads: the store is another one. Their clients ask again, and get that answer."""
        with self._lock:
            games = list(self._watched.items())
        for channel, watched in games:
            self._end(channel, watched, has_other_past=False)

    def _end(self, channel: str, watched: WatchedGame, *, has_other_past: bool) -> None:
        """End the waiting of a game's threads. Those that come from now on watch the game as they have read it."""
        with self._lock:
            if self._watched.get(channel) is watched:
                del self._watched[channel]
        self._publish(watched, replace(watched.now, lost=True, has_other_past=has_other_past, encoded={}))

    def _publish(self, watched: WatchedGame, now: Snapshot | None = None) -> None:
        """Replace the snapshot of a game and wake its threads. None: by an equal one, as if there were news."""
        with self._lock:
            # An equal one must not replace a newer one, nor a read from before a loss that of after it.
            watched.publish(replace(watched.now) if now is None or watched.now.lost else now)
