"""A store that hangs, and games that many write at once: what waits for them is bounded in number and time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, Event, Thread
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.store import breaker as breaker_module
from service.gamelog.store.breaker import CircuitBreaker, GameLocks, ThreadRoom
from service.gamelog.store.errors import GameBusy, StoreUnavailable
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.gamelog.ledger import SHARDS, ack_of, new_game, open_games
from tests.support.servers import suspended
from tests.support.waiting import patience, wait_until
from tests.support.world import new_log

TIMEOUT = 0.3
ROOM = 12


def impatient(store: EmbeddedStore) -> GameLog:
    """A log on that store whose calls time out soon, and of which few may wait."""
    client = redis.Redis.from_url(store.url, protocol=3, socket_timeout=TIMEOUT, retry=Retry(NoBackoff(), 0))
    return new_log(Store(client, SHARDS, 0.0, room=ThreadRoom(lambda: ROOM)))


def attempt(call: Callable[[], object]) -> str:
    try:
        call()
    except StoreUnavailable as error:
        return str(error)
    return "done"


def test_a_thread_that_holds_up_no_other_needs_no_room() -> None:
    """Nor does it take any; a store that hangs is tried by one of all."""
    has_own_thread = [True]
    breaker = CircuitBreaker(room=ThreadRoom(lambda: ROOM, lambda: has_own_thread[0]))
    inside = [Thread(target=breaker.acquire) for _ in range(3 * ROOM)]
    for thread in inside:
        thread.start()
        thread.join()
    has_own_thread[0] = False
    with ThreadPoolExecutor(2 * ROOM) as pool:
        barrier = Barrier(2 * ROOM)

        def enter(_: int) -> str:
            barrier.wait()
            return attempt(breaker.acquire)

        answers = list(pool.map(enter, range(2 * ROOM)))
    assert answers.count("done") == ROOM
    has_own_thread[0] = True
    assert attempt(breaker.acquire) == "done"
    breaker.record(TimeoutError())
    assert breaker.acquire()
    assert attempt(breaker.acquire) == "the store doesn't answer"


@pytest.mark.parametrize("is_script", [True, False], ids=["a script's", "the client's"])
def test_after_one_dead_connection_no_other_is_used(embedded: EmbeddedStore, is_script: bool) -> None:
    """Whichever it was: each of those that were kept for the next calls would be waited for, one after the other."""
    games = impatient(embedded)
    wait_until(lambda: attempt(lambda: games.create(new_game("g"))) == "done")
    calls = [lambda: games.store.read("g"), lambda: games.store.header("g")]
    pool = games.store.client.connection_pool

    for call in calls:
        assert attempt(call) == "done"
    with suspended(embedded.process):
        assert attempt(calls[not is_script]) == "the store can't be reached"
        assert not any(one.is_connected for one in pool._get_free_connections())
        assert not games.store.scripts._raw._idle  # type: ignore[union-attr]
    for call in calls:
        wait_until(lambda: attempt(call) == "done")  # noqa: B023 - now


def test_a_store_that_hangs_is_waited_for_by_few(embedded: EmbeddedStore) -> None:
    """Of many requests at once so many wait as there is room for, until the time-out; the others are refused at once.

    After that one at a time tries, and as soon as the store answers, requests are served.
    """
    games = impatient(embedded)
    wait_until(lambda: attempt(lambda: games.create(new_game("g"))) == "done")
    with suspended(embedded.process):
        barrier = Barrier(3 * ROOM)

        def read(_: int) -> str:
            barrier.wait()
            return attempt(lambda: games.load("g"))

        with ThreadPoolExecutor(3 * ROOM) as pool:
            answers = list(pool.map(read, range(3 * ROOM)))
        assert "done" not in answers
        assert answers.count("the store can't be reached") <= ROOM
        assert games.store.breaker.is_open
        began, go_on = Event(), Event()

        def probe() -> None:
            began.set()
            go_on.wait(patience(10))

        thread = Thread(target=lambda: games.store.with_retries(probe))
        thread.start()
        assert began.wait(patience(10))
        assert {attempt(lambda: games.load("g")) for _ in range(100)} == {"the store doesn't answer"}
        go_on.set()
        thread.join()
    wait_until(lambda: attempt(lambda: games.load("g")) == "done")
    assert not games.store.breaker.is_open
    assert {attempt(lambda: games.load("g")) for _ in range(20)} == {"done"}


def test_a_lost_connection_is_no_store_that_hangs(client: Client) -> None:
    """One that restarts refuses connections, and is tried by all that wait for it."""
    store = Store(client, SHARDS, 0.0)

    def lose() -> None:
        raise redis.exceptions.ConnectionError

    def time_out() -> None:
        raise redis.exceptions.TimeoutError

    assert attempt(lambda: store.with_retries(time_out)) == "the store can't be reached"
    assert store.breaker.is_open
    assert attempt(lambda: store.with_retries(lose)) == "the store can't be reached"
    assert not store.breaker.is_open


def test_a_server_that_hangs_says_nothing_of_the_others() -> None:
    """On a cluster games of other shards are served."""
    breaker = CircuitBreaker(str.lower)
    breaker.record(redis.exceptions.TimeoutError())
    assert not breaker.is_open


def test_calls_to_one_of_several_servers_leave_room_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it, and calls that need all servers leave three quarters; one server alone has all of it."""
    monkeypatch.setattr(breaker_module, "get_ident", count().__next__)  # as if each call had a thread of its own

    def count_admitted(find_server: Callable[[str], str] | None, *keys: str) -> list[int]:
        breaker = CircuitBreaker(find_server, ThreadRoom(lambda: 4 * ROOM))
        tried = [[attempt(lambda: breaker.acquire(key)) for _ in range(5 * ROOM)] for key in keys]  # noqa: B023
        return [answers.count("done") for answers in tried]

    assert count_admitted(str.lower, "A", "", "B") == [2 * ROOM, ROOM, ROOM]
    assert count_admitted(None, "A") == [4 * ROOM]


def test_a_store_that_reads_its_files_is_waited_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """For longer than one that can't be reached."""
    store = Store(client, SHARDS, 0.01)
    replies: list[Exception] = [redis.exceptions.BusyLoadingError()] * 20

    def load() -> str:
        if replies:
            raise replies.pop()
        return "loaded"

    assert store.with_retries(load) == "loaded"
    monkeypatch.setattr("service.gamelog.store.reader._LOADING", 0.0)
    replies[:] = [redis.exceptions.BusyLoadingError()] * 10_000
    with pytest.raises(StoreUnavailable):
        store.with_retries(load)


def test_fifty_writers_of_one_game_all_get_through(real_client: Client) -> None:
    """Through two processes with caches of their own: each message is appended once, none is told to come back."""
    logs = [open_games(real_client), open_games(real_client)]
    logs[0].create(new_game("g"))
    barrier = Barrier(50)

    def write(number: int) -> list[Any]:
        barrier.wait()
        say = PostMessage(seat=number % 2, text=f"{number}")
        return [ack_of(logs[number % 2].handle("g", say)) for _ in range(4)]

    with ThreadPoolExecutor(50) as pool:
        acks = [ack for own in pool.map(write, range(50)) for ack in own]
    events = logs[0].load_history("g").events
    assert [event["type"] for event in events].count("MessagePosted") == len(acks) == 200
    assert {(ack.last, ack.hash) for ack in acks} == {(event["version"], event["hash"]) for event in events[-200:]}


def test_a_game_that_too_many_write_is_busy() -> None:
    """Where there is no room, or no turn in time, the request is refused; other games are free."""
    locks = GameLocks(lambda: 1)
    locks.acquire("g", 1.0)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(locks.acquire, "g", patience(30))
        wait_until(lambda: locks._waiting == 1)
        with pytest.raises(GameBusy):
            pool.submit(locks.acquire, "g", patience(30)).result()
        locks.acquire("h", 1.0)
        locks.release("h")
        locks.release("g")
        waiting.result()
        assert locks._games.keys() == {"g"}


def test_a_turn_that_does_not_come_is_given_up() -> None:
    locks = GameLocks()
    locks.acquire("g", 1.0)
    with ThreadPoolExecutor(1) as pool, pytest.raises(GameBusy):
        pool.submit(locks.acquire, "g", 0.01).result()
    locks.release("g")
    assert not locks._games
