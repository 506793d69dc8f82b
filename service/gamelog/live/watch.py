"""A game that threads of this process wait for, and how they are woken.

Rule 1: the hub's listener alone moves a game on; everybody else reads `Followed.now`, which is replaced, never changed.
Rule 2: threads that sleep are woken a few at a time, each when one before it has made its answer. A crowd that wakes at
once queues for the interpreter, with a POST behind it.
Rule 3: nobody waits for a thread that doesn't sleep: one that a slow client holds finds the news when it is back.
Rule 4: whoever acts comes first. While one action follows the other, in any process of this machine, sleepers are let
sleep for a moment more; they are told of all of them together then.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from service.gamelog.cache import LoadedGame

_AWAKE: Final = 2
"""Threads of a process that may be awake with news at once."""
_CALM_S: Final = 0.003
"""Seconds after an action without another: more than one takes."""
_PATIENCE_S: Final = 0.02
"""Seconds after which news is told all the same."""
KEPT: Final = 256
"""Events kept for those who follow a game; who is further behind reads the store."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game at the newest version that this process has heard of."""

    head: LoadedGame
    events: list[dict[str, Any]] = field(default_factory=list)
    """The last events up to the head, unredacted: at most KEPT, and none from before the game was followed."""
    lost: bool = False
    """The game can't be read any more: nobody should go on waiting."""
    made: dict[Any, bytes] = field(default_factory=dict)
    """What those who follow make of it, so that the same for many is made once."""


class WatchedGame:
    """One game for all threads of this process that wait for it."""

    def __init__(self, loaded: LoadedGame) -> None:
        """`loaded`: the game as the first of them has read it."""
        self.now = Snapshot(loaded)
        self.watches: set[Watcher] = set()


class WakeQueue:
    """Wakes sleeping watches, at most _AWAKE at once. Its lock also guards what the watches say of themselves."""

    def __init__(self, seconds_since_activity: Callable[[], float] = lambda: _CALM_S) -> None:
        """Nobody sleeps yet. `seconds_since_activity`: seconds since somebody acted."""
        self.lock = threading.Lock()
        self._stirred = seconds_since_activity
        self._called: deque[Watcher] = deque()
        self._awake = 0
        self._until = 0.0
        """When those who were called have waited long enough."""
        self._put_off = threading.Event()
        self._thread: threading.Thread | None = None

    def call(self, watches: Iterable["Watcher"]) -> None:
        """Wake those that sleep, one after the other."""
        with self.lock:
            if not self._called:
                self._until = time.monotonic() + _PATIENCE_S
            for watch in watches:
                if watch.state == "asleep":
                    watch.state = "called"
                    self._called.append(watch)
            self._go_on()

    def done(self, watch: "Watcher") -> None:
        """The watch, with the lock held, is up: where it was woken it makes room for the next."""
        if watch.state == "woken":
            self._awake -= 1
        watch.state = "up"
        self._go_on()

    def _go_on(self) -> None:
        while self._called and self._awake < _AWAKE:
            if self._stirred() < _CALM_S and time.monotonic() < self._until:
                self._wait()
                return
            watch = self._called.popleft()
            if watch.state == "called":
                watch.state = "woken"
                self._awake += 1
                watch.bell.release()

    def _wait(self) -> None:
        """With the lock held: go on when it is calm."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._resume, name="turns", daemon=True)
            self._thread.start()
        self._put_off.set()

    def _resume(self) -> None:
        while True:
            self._put_off.wait()
            self._put_off.clear()
            time.sleep(_CALM_S)
            with self.lock:
                self._go_on()


class Watcher:
    """One thread's look at a followed game. Made by the hub, and closed by whoever asked for it."""

    def __init__(self, followed: WatchedGame, turns: WakeQueue) -> None:
        """Awake, and up to date with `followed`."""
        self._followed = followed
        self._turns = turns
        self.state = "up"
        """`up`, `asleep`, `called` (its turn will come) or `woken` (it has the turn)."""
        self.bell = threading.Lock()
        self.bell.acquire()

    @property
    def now(self) -> Snapshot:
        """The game as this process knows it."""
        return self._followed.now

    def sleep(self, seen: Snapshot, seconds: float) -> None:
        """Return when there is something newer than `seen`, the hub is closed, or after so many seconds.

        After that the thread may have a turn: it calls `up` as soon as it has made its answer, before it sends it.
        """
        with self._turns.lock:
            if self._followed.now is not seen or self.state != "up":
                return
            self.state = "asleep"
        if not self.bell.acquire(timeout=max(0.0, seconds)):
            with self._turns.lock:
                if self.state == "woken":
                    self.bell.acquire()  # rung just now
                else:
                    self.state = "up"

    def up(self) -> None:
        """Let the next thread have its turn."""
        if self.state != "up":
            with self._turns.lock:
                self._turns.done(self)
