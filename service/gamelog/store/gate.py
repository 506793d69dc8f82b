"""How many threads of a process wait for the store, or for each other: a store that hangs holds up only so many.

Rule 1: a call that finds too many others waiting is refused at once.
Rule 2: after a call that has timed out, one at a time is made until one is answered; the others are refused at once.
Rule 3: of several servers one may hang, and says nothing of the others: in place of rule 2, calls to one server take
half of the room at most, and calls to all of them a quarter.
Rule 4: threads that write one game do so one after the other, rather than race for its next version.
"""

from collections.abc import Callable
from threading import Lock, RLock, get_ident
from typing import Final

import structlog
from redis.exceptions import TimeoutError as NoAnswer

from service.gamelog.errors import GameBusy, StoreUnavailable

MOST_WAITING: Final = 128
"""Threads of a process that wait for its store, and as many that wait for a game."""
_ALWAYS: Final = 8
"""So many are let through without asking how much room there is, which costs time."""
_SHARE: Final = 2
"""Calls to one of several servers take this part of the room, those to all of them the next one."""
_SHARE_OF_ALL: Final = 4

logger = structlog.get_logger("service.gamelog")


def _room() -> int:
    return MOST_WAITING


class StoreGate:
    """What each call to the store passes. Safe for threads; without a lock, since every request passes here."""

    def __init__(self, find_server: Callable[[str], str] | None = None) -> None:
        """`find_server`: the name of the server that has a key, "" for no key; None where there is one server alone."""
        self.room: Callable[[], int] = _room
        """How many threads may wait; a web process says how many it can spare."""
        self.is_apart: Callable[[], bool] = lambda: False
        """Whether the calling thread holds up none of the others: it needs no room."""
        self.is_hung = False
        """Whether the last call that has ended got no answer in time."""
        self._find_server = find_server
        self._inside: dict[int, str] = {}
        """By thread: the server."""
        self._probing = Lock()

    def enter(self, key: str = "") -> bool:
        """Enter for one call. Returns whether it is the one by which a store that hangs is tried, for `leave`.

        `key`: any on the server that the call needs; "": it needs all of them. Raises StoreUnavailable.
        """
        is_probe = self.is_hung
        if is_probe and not self._probing.acquire(blocking=False):
            raise StoreUnavailable("the store doesn't answer")
        if self.is_apart():
            return is_probe
        inside = self._inside
        server = "" if self._find_server is None else self._find_server(key)
        if len(inside) >= _ALWAYS and not self._has_room(server):
            if is_probe:
                self._probing.release()
            raise StoreUnavailable("too many requests wait for the store")
        inside[get_ident()] = server
        return is_probe

    def _has_room(self, server: str) -> bool:
        room, inside = self.room(), list(self._inside.values())
        if len(inside) >= room:
            return False
        return self._find_server is None or inside.count(server) < room // (_SHARE if server else _SHARE_OF_ALL)

    def leave(self, *, is_probe: bool) -> None:
        """Leave after that call."""
        self._inside.pop(get_ident(), None)
        if is_probe:
            self._probing.release()

    def note(self, failure: BaseException | None) -> None:
        """Note how a call has ended: with what failure, or None."""
        is_hung = self._find_server is None and isinstance(failure, NoAnswer | TimeoutError)
        if is_hung != self.is_hung:
            self.is_hung = is_hung
            logger.warning("the store doesn't answer: requests are refused at once" if is_hung else "the store answers")


class _Writers:
    """The threads that write one game."""

    __slots__ = ("count", "turn")

    def __init__(self) -> None:
        self.turn = RLock()
        self.count = 0


class GameLocks:
    """A lock for each game that is being written. Safe for threads."""

    def __init__(self, room: Callable[[], int] = _room) -> None:
        """`room`: how many threads may wait at once, for all games together."""
        self._room = room
        self._lock = Lock()
        self._games: dict[str, _Writers] = {}
        self._waiting = 0

    def acquire(self, game: str, seconds: float) -> bool:
        """Wait for the game's lock, for so many seconds at most; whether others were before. Raises GameBusy."""
        with self._lock:
            writers = self._games.get(game)
            if writers is None:
                writers = self._games[game] = _Writers()
            writers.count += 1
            if writers.turn.acquire(blocking=False):
                return False
            if self._waiting >= self._room():
                writers.count -= 1
                raise GameBusy("too many requests wait for games")
            self._waiting += 1
        has_turn = writers.turn.acquire(timeout=seconds)
        with self._lock:
            self._waiting -= 1
            if not has_turn:
                self._leave(game, writers)
                raise GameBusy("the requests before this one take too long")
        return True

    def release(self, game: str) -> None:
        """Release the game's lock, which this thread holds."""
        with self._lock:
            writers = self._games[game]
            writers.turn.release()
            self._leave(game, writers)

    def _leave(self, game: str, writers: _Writers) -> None:
        writers.count -= 1
        if not writers.count:
            del self._games[game]
