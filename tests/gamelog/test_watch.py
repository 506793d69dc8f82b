"""Threads that wait for a game: each is woken, few at a time, and not before the actions that arrive meanwhile."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from service.gamelog.cache import EMPTY
from service.gamelog.live import watch as watch_module
from service.gamelog.live.watch import MAX_AWAKE, Snapshot, State, WakeQueue, WatchedGame, Watcher
from tests.support.waiting import patience, wait_until

MANY = 5
"""More than may be awake at once."""
FOREVER = 3600.0


class Action:
    """Says how long ago the last action was, and counts how often it was asked."""

    def __init__(self) -> None:
        self.ago = 0.0
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return self.ago


@contextmanager
def asleep(queue: WakeQueue, count: int = MANY) -> Iterator[tuple[WatchedGame, list[Watcher], list[Watcher]]]:
    """A game with watchers that sleep, a newer snapshot for which none was woken; and those that are awake again."""
    game = WatchedGame(EMPTY)
    watchers = [Watcher(game, queue) for _ in range(count)]
    awake: list[Watcher] = []

    def wait(watcher: Watcher, seen: Snapshot) -> None:
        watcher.sleep(seen, 60)
        awake.append(watcher)
        watcher.release()

    threads = [threading.Thread(target=wait, args=(watcher, game.now)) for watcher in watchers]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(watcher.state is State.ASLEEP for watcher in watchers))
    game.now = Snapshot(EMPTY)
    yield game, watchers, awake
    for thread in threads:
        thread.join(patience(10))


def test_threads_wait_while_actions_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as they arrive; then all are woken."""
    monkeypatch.setattr(watch_module, "_MAX_DELAY_S", FOREVER)
    action = Action()
    queue = WakeQueue(action)
    with asleep(queue) as (_, watchers, awake):
        queue.wake(watchers)
        wait_until(lambda: action.asked > 3)
        assert not awake
        action.ago = 1.0
        wait_until(lambda: len(awake) == MANY)


def test_threads_dont_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the longest delay they are woken, though actions keep arriving."""
    monkeypatch.setattr(watch_module, "_MAX_DELAY_S", 0.02)
    action = Action()
    queue = WakeQueue(action)
    with asleep(queue) as (_, watchers, awake):
        queue.wake(watchers)
        wait_until(lambda: len(awake) == MANY)
        assert action.asked


# Lines of the table in live/watch.py that a thread walks by itself; QueueMachine walks those of the queue.


def watchers_of(queue: WakeQueue, count: int, state: State = State.ASLEEP) -> list[Watcher]:
    game = WatchedGame(EMPTY)
    made = [Watcher(game, queue) for _ in range(count)]
    for one in made:
        one.state = state
    return made


def in_a_thread(call: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=call)
    thread.start()
    return thread


def test_a_thread_that_has_seen_the_newest_snapshot_sleeps() -> None:
    game = WatchedGame(EMPTY)
    watcher = Watcher(game, WakeQueue())
    seen = []

    def sleep() -> None:
        watcher.sleep(game.now, 0.05)
        seen.append(watcher.state)

    in_a_thread(sleep).join(patience(10))
    assert seen == [State.RUNNING]


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_passed_deadline_ends_the_sleep_at_once(seconds: float) -> None:
    watcher = Watcher(WatchedGame(EMPTY), WakeQueue())
    watcher.sleep(watcher.now, seconds)
    assert watcher.state is State.RUNNING


def test_a_thread_that_is_behind_doesnt_sleep() -> None:
    game = WatchedGame(EMPTY)
    watcher = Watcher(game, WakeQueue())
    seen = game.now
    game.now = Snapshot(EMPTY)
    watcher.sleep(seen, FOREVER)
    assert watcher.state is State.RUNNING


def test_a_timeout_in_the_queue_leaves_no_slot_behind() -> None:
    """QUEUED → RUNNING: its place in the queue is skipped, and the slot is given to the next."""
    queue = WakeQueue()
    watchers = watchers_of(queue, MAX_AWAKE + 1)
    game = watchers[0]._watched
    late = Watcher(game, queue)
    sleeper = in_a_thread(lambda: late.sleep(game.now, 0.05))
    wait_until(lambda: late.state is State.ASLEEP or not sleeper.is_alive())
    queue.wake([*watchers[:MAX_AWAKE], late, watchers[-1]])
    sleeper.join(patience(10))
    assert late.state is State.RUNNING
    watchers[0].release()
    assert watchers[-1].state is State.WOKEN
    late.release()
    assert queue._awake == MAX_AWAKE


class QueueMachine(RuleBasedStateMachine):
    """Any order of news, timeouts and releases, one step at a time: what a thread would do is done by the test."""

    def __init__(self) -> None:
        super().__init__()
        self.action = Action()
        self.queue = WakeQueue(self.action)
        self.queue._delay = lambda: None  # type: ignore[method-assign]  # the rule `calm` comes in its place
        self.game = WatchedGame(EMPTY)
        self.watchers = [Watcher(self.game, self.queue) for _ in range(MANY)]
        self.seen = [self.game.now] * MANY

    @rule(number=st.integers(0, MANY - 1))
    def sleep(self, number: int) -> None:
        """As the thread does: answer for the newest snapshot, then sleep, if there is nothing newer."""
        watcher = self.watchers[number]
        if watcher.state is State.RUNNING:
            self.seen[number] = self.game.now
            with self.queue.lock:
                watcher.state = State.ASLEEP

    @rule(number=st.integers(0, MANY - 1))
    def time_out(self, number: int) -> None:
        watcher = self.watchers[number]
        if watcher.state in (State.ASLEEP, State.QUEUED):
            with self.queue.lock:
                watcher.state = State.RUNNING

    @rule(number=st.integers(0, MANY - 1))
    def release(self, number: int) -> None:
        """A woken thread takes its bell, makes its answer, and releases its slot."""
        watcher = self.watchers[number]
        if watcher.state is State.WOKEN:
            assert watcher.bell.acquire(blocking=False)
            self.seen[number] = self.game.now
        watcher.release()

    @rule(ago=st.sampled_from([0.0, 1.0]))
    def publish(self, ago: float) -> None:
        self.action.ago = ago
        self.game.now = Snapshot(EMPTY)
        self.queue.wake(self.watchers)

    @precondition(lambda self: self.action.ago == 0.0)
    @rule()
    def calm(self) -> None:
        """No action any more: the queue's own thread tries again."""
        self.action.ago = 1.0
        with self.queue.lock:
            self.queue._fill_slots()

    @invariant()
    def few_are_awake(self) -> None:
        """Exactly as many as have slots, and never more than may be."""
        assert sum(one.state is State.WOKEN for one in self.watchers) == self.queue._awake <= MAX_AWAKE

    @invariant()
    def no_watcher_sleeps_on_news(self) -> None:
        """A thread that has not seen the newest snapshot is running, woken, or queued behind others or an action."""
        for watcher, seen in zip(self.watchers, self.seen, strict=True):
            assert watcher.state is not State.ASLEEP or seen is self.game.now
            if watcher.state is State.QUEUED:
                assert self.queue._awake == MAX_AWAKE or self.action.ago == 0.0


TestTheQueueInAnyOrder = QueueMachine.TestCase
