"""A game that threads of this process wait for.

Rule 1: only the hub's listener publishes a new state of a game. A snapshot is replaced, never changed.
Rule 2: few threads are awake with news at a time; each wakes the next one when its answer is made. If all woke at once,
a POST would wait behind them for the GIL.
"""

from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any, Final

from service.gamelog.cache import LoadedGame

_AWAKE: Final = 2
"""Threads that a new snapshot wakes at once."""
KEPT: Final = 256
"""Events that a snapshot keeps; a thread that is further behind reads the store."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game at the newest version that this process knows."""

    head: LoadedGame
    events: list[dict[str, Any]] = field(default_factory=list)
    """The last events up to the head, unredacted: at most KEPT, and none from before the game was watched."""
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
        return Snapshot(head, [*self.events, *events][-KEPT:])


class WatchedGame:
    """What the threads that wait for a game share."""

    def __init__(self, loaded: LoadedGame) -> None:
        """`loaded`: the game as the first of these threads has read it."""
        self.now = Snapshot(loaded)
        self.threads = 0
        self._changed = Condition()

    def publish(self, now: Snapshot) -> None:
        with self._changed:
            self.now = now
            self._changed.notify(_AWAKE)

    def sleep(self, seen: Snapshot, seconds: float) -> bool:
        """Whether there is a newer snapshot than `seen`, after `seconds` at most: then the thread calls `wake_next`."""
        with self._changed:
            if self.now is seen and seconds > 0:
                self._changed.wait(seconds)
            return self.now is not seen

    def wake_next(self) -> None:
        """Wake the thread that has slept for longest: those that have seen the newest snapshot come last."""
        with self._changed:
            self._changed.notify()
