"""A circuit breaker for calls to the store, and locks for games: a store that hangs holds up only so many threads.

Rule 1: a call that finds too many others waiting is refused at once.
Rule 2: after a call that has timed out, one at a time is made until one is answered; the others are refused at once.
Rule 3: of several servers one may hang, and says nothing of the others: in place of rule 2, calls to one server take
half of the limit at most, and calls to all of them a quarter.
Rule 4: threads that write one game do so one after the other, rather than race for its next version.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Final

import structlog
from redis.exceptions import TimeoutError as NoAnswer

from service.gamelog.store.errors import GameBusy, StoreUnavailable

MOST_WAITING: Final = 128
"""Threads of a process that wait for its store, and as many that wait for a game."""
_ALWAYS: Final = 8
"""So many calls are made without asking for the limit, which costs time."""
_SHARE: Final = 2
"""Calls to one of several servers take this part of the limit, those to all of them the next one."""
_SHARE_OF_ALL: Final = 4

logger = structlog.get_logger("service.gamelog")


@dataclass(frozen=True, slots=True)
class ThreadRoom:
    """Which threads of a process may wait for its store."""

    limit: Callable[[], int] = lambda: MOST_WAITING
    """How many of them; a web process says how many it can spare."""
    has_own_thread: Callable[[], bool] = lambda: False
    """Whether the calling thread holds up none of the others: its calls don't count."""


COMMON_ROOM: Final = ThreadRoom()
"""Of a process that isn't told how many threads it can spare."""


class CircuitBreaker:
    """Refuses calls while it is open: the store hangs. Safe for threads; without a lock, as each request passes."""

    def __init__(self, find_server: Callable[[str], str] | None = None, room: ThreadRoom = COMMON_ROOM) -> None:
        """`find_server`: the name of the server that has a key, "" for no key; None where there is one server alone."""
        self.limit: Final = room.limit
        self._has_own_thread = room.has_own_thread
        self.is_open = False
        """Whether the last call that has ended got no answer in time."""
        self._find_server = find_server
        self._calls: dict[int, str] = {}
        """By thread: the server."""
        self._trying = Lock()

    def acquire(self, key: str = "") -> bool:
        """Begin a call. Returns whether it is the trial of a store that hangs, for `release`.

        `key`: any on the server that the call needs; "": it needs all of them. Raises StoreUnavailable.
        """
        is_trial = self.is_open
        if is_trial and not self._trying.acquire(blocking=False):
            raise StoreUnavailable("the store doesn't answer")
        if self._has_own_thread():
            return is_trial
        calls = self._calls
        server = "" if self._find_server is None else self._find_server(key)
        if len(calls) >= _ALWAYS and not self._is_below_limit(server):
            if is_trial:
                self._trying.release()
            raise StoreUnavailable("too many requests wait for the store")
        calls[get_ident()] = server
        return is_trial

    def _is_below_limit(self, server: str) -> bool:
        limit, calls = self.limit(), list(self._calls.values())
        if len(calls) >= limit:
            return False
        return self._find_server is None or calls.count(server) < limit // (_SHARE if server else _SHARE_OF_ALL)

    def release(self, *, is_trial: bool) -> None:
        self._calls.pop(get_ident(), None)
        if is_trial:
            self._trying.release()

    def record(self, failure: BaseException | None) -> None:
        """Open or close by how a call has ended: with what failure, or None."""
        is_open = self._find_server is None and isinstance(failure, NoAnswer | TimeoutError)
        if is_open != self.is_open:
            self.is_open = is_open
            logger.warning("the store doesn't answer: requests are refused at once" if is_open else "the store answers")


class GameLocks:
    """A lock for each game that is being written: threads get it in the order in which they came."""

    def __init__(self, limit: Callable[[], int] = COMMON_ROOM.limit) -> None:
        """`limit`: how many threads may wait at once, for all games together."""
        self._limit = limit
        self._lock = Lock()
        self._games: dict[str, list[Lock]] = {}
        """Of each that is being written: what the threads wait for, each one's turn."""
        self._waiting = 0

    def acquire(self, game: str, seconds: float) -> bool:
        """Wait for the game's lock, for so many seconds at most; whether others were before. Raises GameBusy."""
        with self._lock:
            turns = self._games.get(game)
            if turns is None:
                self._games[game] = []
                return False
            if self._waiting >= self._limit():
                raise GameBusy("too many requests wait for games")
            self._waiting += 1
            turn = Lock()
            turn.acquire()
            turns.append(turn)
        try:
            turn.acquire(timeout=seconds)
        finally:
            with self._lock:
                self._waiting -= 1
                is_late = turn in turns
                if is_late:
                    turns.remove(turn)
        if is_late:
            raise GameBusy("the requests before this one take too long")
        return True

    def release(self, game: str) -> None:
        with self._lock:
            if turns := self._games[game]:
                turns.pop(0).release()
            else:
                del self._games[game]
