"""A game that threads of this process wait for, and the order in which they are woken.

Rule 1: only the hub's listener publishes a new state of a game. A snapshot is replaced, never changed.
Rule 2: at most MAX_AWAKE threads are awake with news at a time; each passes its slot on when its answer is made. If all
woke at once, a POST would wait behind them for the GIL.
Rule 3: a thread that a slow client blocks holds no slot. It finds the newest snapshot when it comes back.
Rule 4: POSTs have priority. While actions keep arriving, on any process of the machine, waiting threads are woken at
most 20 ms later, once for all new entries.

The states of a watcher:

| from | to | when |
|---|---|---|
| RUNNING | ASLEEP | `sleep`, unless there is a newer snapshot |
| ASLEEP | QUEUED | `WakeQueue.wake`: there is a newer snapshot |
| QUEUED | WOKEN | a slot is free, and no action arrived in the last 3 ms, or 20 ms have passed |
| ASLEEP, QUEUED | RUNNING | the timeout of `sleep` |
| WOKEN | RUNNING | `release`: the next in the queue gets the slot |
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, Final

from service.gamelog.cache import LoadedGame

MAX_AWAKE: Final = 2
"""Threads of a process that may be awake with news at once."""
_CALM_S: Final = 0.003
"""Seconds without an action after which threads are woken: longer than one action takes."""
_MAX_DELAY_S: Final = 0.02
"""Seconds after which threads are woken although actions keep arriving."""
KEPT: Final = 256
"""Events that a snapshot keeps; a thread that is further behind reads the store."""


class State(Enum):
    RUNNING = auto()
    ASLEEP = auto()
    QUEUED = auto()
    WOKEN = auto()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game at the newest version that this process knows."""

    head: LoadedGame
    events: list[dict[str, Any]] = field(default_factory=list)
    """The last events up to the head, unredacted: at most KEPT, and none from before the game was watched."""
    before: bytes = b""
    """The hash of the event before these: of the head where there are none."""
    lost: bool = False
    """Whether the game can't be read any more, so that waiting for it is useless."""
    has_other_past: bool = False
    """Whether that is so because the store has lost events that were sent: the log is another one now."""
    encoded: dict[Any, bytes] = field(default_factory=dict)
    """Answers built from this snapshot, by what they depend on: the same answer for many threads is built once."""

    def follow(self, head: LoadedGame, events: list[dict[str, Any]]) -> "Snapshot":
        """The snapshot when these events have led to `head`; itself where nothing is new, not even a token."""
        if not events:
            return self if head.amendments == self.head.amendments else replace(self, head=head)
        known = [*self.events, *events]
        before = self.before if len(known) <= KEPT else bytes.fromhex(known[-KEPT - 1]["hash"])
        return Snapshot(head, known[-KEPT:], before)

    def contradicts(self, read: LoadedGame) -> bool:
        """Whether the log, as it is at the head, can't lead to a state that was read before the head was."""
        if read.game.version > self.head.game.version:
            return True
        known_hash = self.hash_at(read.game.version)
        return known_hash is not None and known_hash != read.hash.hex()

    def hash_at(self, version: int) -> str | None:
        """The hash of the event of that version, in hex; None if the snapshot doesn't have it."""
        first = self.head.game.version - len(self.events)
        if version == first:
            return self.before.hex() or None
        if first < version <= self.head.game.version:
            known: str = self.events[version - first - 1]["hash"]
            return known
        return None


class WatchedGame:
    def __init__(self, loaded: LoadedGame) -> None:
        """`loaded`: the game as the first of these threads has read it."""
        self.now = Snapshot(loaded, before=loaded.hash)
        self.newest = loaded
        """The newest state that one of the threads has brought along. The log must lead there, too."""
        self.watchers: set[Watcher] = set()


class WakeQueue:
    """Wakes sleeping watchers, MAX_AWAKE at a time. Its lock also guards their states."""

    def __init__(self, seconds_since_action: Callable[[], float] = lambda: _CALM_S) -> None:
        """`seconds_since_action`: since the last action on this machine; without it nothing is delayed."""
        self.lock = threading.Lock()
        self._seconds_since_action = seconds_since_action
        self._queue: deque[Watcher] = deque()
        self._awake = 0
        self._deadline = 0.0
        """When the watchers in the queue have been delayed for long enough."""
        self._delayed = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self, watchers: Iterable["Watcher"]) -> None:
        """Wake those that sleep, one after the other; the others notice the new snapshot by themselves."""
        with self.lock:
            if not self._queue:
                self._deadline = time.monotonic() + _MAX_DELAY_S
            for watcher in watchers:
                if watcher.state is State.ASLEEP:
                    watcher.state = State.QUEUED
                    self._queue.append(watcher)
            self._fill_slots()

    def release(self, watcher: "Watcher") -> None:
        """Pass on the watcher's slot, if it has one."""
        with self.lock:
            if watcher.state is State.WOKEN:
                self._awake -= 1
            watcher.state = State.RUNNING
            self._fill_slots()

    def _fill_slots(self) -> None:
        """Wake the first in the queue while slots are free. The lock is held."""
        while self._queue and self._awake < MAX_AWAKE:
            if self._seconds_since_action() < _CALM_S and time.monotonic() < self._deadline:
                self._delay()
                return
            watcher = self._queue.popleft()
            if watcher.state is State.QUEUED:  # its timeout may have come first
                watcher.state = State.WOKEN
                self._awake += 1
                watcher.bell.release()

    def _delay(self) -> None:
        """Have a thread try again in a moment. The lock is held."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._retry, name="wake-queue", daemon=True)
            self._thread.start()
        self._delayed.set()

    def _retry(self) -> None:
        while True:
            self._delayed.wait()
            self._delayed.clear()
            time.sleep(_CALM_S)
            with self.lock:
                self._fill_slots()


class Watcher:
    """One thread's access to a watched game. `Hub.watch` makes it; only that thread calls its methods."""

    def __init__(self, watched: WatchedGame, queue: WakeQueue) -> None:
        """The thread is running, and has seen the snapshot of `watched`."""
        self._watched = watched
        self._queue = queue
        self.state = State.RUNNING
        self.bell = threading.Lock()
        """Released to wake the thread. A bare lock: a Condition or Event takes another lock for each wait."""
        self.bell.acquire()

    @property
    def now(self) -> Snapshot:
        return self._watched.now

    def sleep(self, seen: Snapshot, seconds: float) -> None:
        """Return when there is a newer snapshot than `seen`, when the hub is closed, or after `seconds`.

        Then the thread may hold a slot: it calls `release` as soon as its answer is made, before it sends it.
        """
        with self._queue.lock:
            if self._watched.now is not seen or self.state is not State.RUNNING:
                return
            self.state = State.ASLEEP
        if not self.bell.acquire(timeout=max(0.0, seconds)):
            with self._queue.lock:
                if self.state is State.WOKEN:
                    self.bell.acquire()  # released between the timeout and here
                else:
                    self.state = State.RUNNING

    def release(self) -> None:
        """Free the thread's slot for the next one. Does nothing without a slot."""
        if self.state is not State.RUNNING:
            self._queue.release(self)
