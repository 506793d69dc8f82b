"""Threads that wait for a game: few are woken at a time, and each wakes the next one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.gamelog.cache import EMPTY
from service.gamelog.live.watch import _AWAKE, Snapshot, WatchedGame
from tests.support.waiting import patience, wait_until

MANY = 5
"""More than are woken at once."""
FOREVER = 3600.0


@contextmanager
def asleep(game: WatchedGame, count: int = MANY) -> Iterator[threading.Semaphore]:
    """Threads that sleep until there is news; each makes its answer, and wakes the next, when the semaphore lets it."""
    turn, woken = threading.Semaphore(0), list[bool]()

    def wait() -> None:
        woken.append(game.sleep(seen, FOREVER))
        turn.acquire()
        game.wake_next()

    seen = game.now
    threads = [threading.Thread(target=wait) for _ in range(count)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(game._changed._waiters) == count)  # type: ignore[attr-defined]
    yield turn
    for thread in threads:
        thread.join(patience(10))
    assert woken == [True] * count


def test_each_thread_wakes_the_next_when_its_answer_is_made() -> None:
    game = WatchedGame(EMPTY)
    with asleep(game) as turn:
        game.publish(Snapshot(EMPTY))
        for left in range(MANY - _AWAKE, -1, -1):
            wait_until(lambda left=left: len(game._changed._waiters) == left)  # type: ignore[attr-defined]
            turn.release()
        turn.release()


def test_a_thread_that_is_behind_doesnt_sleep() -> None:
    game = WatchedGame(EMPTY)
    seen = game.now
    game.publish(Snapshot(EMPTY))
    assert game.sleep(seen, FOREVER)


@pytest.mark.parametrize("seconds", [0.01, 0, -1])
def test_without_news_the_sleep_ends_in_time(seconds: float) -> None:
    game = WatchedGame(EMPTY)
    assert not game.sleep(game.now, seconds)
