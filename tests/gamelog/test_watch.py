"""Who sleeps until a game goes on is woken, but not before those who act."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.gamelog.cache import EMPTY
from service.gamelog.live import watch as followed_module
from service.gamelog.live.watch import Snapshot, WakeQueue, WatchedGame, Watcher
from tests.support.waiting import wait_until

MANY = 5
"""More than may be awake at once."""


class Actors:
    """Says when somebody acted last, and how often it was asked."""

    def __init__(self) -> None:
        self.ago = 0.0
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return self.ago


@contextmanager
def sleeping(turns: WakeQueue) -> Iterator[tuple[WatchedGame, list[Watcher], list[Watcher]]]:
    """A game with sleepers, all of them asleep; and those that are up again."""
    game = WatchedGame(EMPTY)
    watches = [Watcher(game, turns) for _ in range(MANY)]
    up: list[Watcher] = []

    def wait(watch: Watcher, seen: Snapshot) -> None:
        watch.sleep(seen, 60)
        up.append(watch)
        watch.up()

    threads = [threading.Thread(target=wait, args=(watch, game.now)) for watch in watches]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(watch.state == "asleep" for watch in watches))
    game.now = Snapshot(EMPTY)
    yield game, watches, up
    for thread in threads:
        thread.join(10)


def test_sleepers_wait_while_somebody_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as it goes on; then all of them are woken."""
    monkeypatch.setattr(followed_module, "_PATIENCE_S", 3600)
    actors = Actors()
    turns = WakeQueue(actors)
    with sleeping(turns) as (_, watches, up):
        turns.call(watches)
        wait_until(lambda: actors.asked > 3)
        assert not up
        actors.ago = 1.0
        wait_until(lambda: len(up) == MANY)


def test_sleepers_dont_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their patience ends, though somebody always acts."""
    monkeypatch.setattr(followed_module, "_PATIENCE_S", 0.02)
    actors = Actors()
    turns = WakeQueue(actors)
    with sleeping(turns) as (_, watches, up):
        turns.call(watches)
        wait_until(lambda: len(up) == MANY)
        assert actors.asked
