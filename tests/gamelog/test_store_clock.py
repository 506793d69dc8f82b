"""The store's clock in a process: exact, without round trips, and all processes know of its jumps."""

import time
from threading import Event

import pytest
import redis

from config.settings import Settings
from domain.clock.timestamps import milliseconds
from service import bootstrap
from service.bootstrap import Outside, open_services
from service.connections.clients import Client
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.health.clock import STEADY_MS, StoreClock
from service.gamelog.store.health.poller import start_polling
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, new_game
from tests.support.counting import CountingClient
from tests.support.stores import EVERY_STORE
from tests.support.waiting import patience

STORES = EVERY_STORE
HOUR = 3600_000


class Process:
    """A process with a clock of its own. Its monotonic clock can be held back: then the store's has jumped ahead."""

    def __init__(self, client: Client) -> None:
        self.held = 0
        self.clock = StoreClock(Store(client, SHARDS, patience(0.5)), monotonic=self._monotonic)
        self.clock.measure()

    def _monotonic(self) -> int:
        return time.monotonic_ns() // 1_000_000 - self.held


def store_ms(client: Client) -> int:
    seconds, micros = client.time()
    return int(seconds) * 1000 + int(micros) // 1000


def test_the_time_is_the_stores(client: Client) -> None:
    """To within the error that is known; a measurement is one round trip, and the time costs none."""
    counting = CountingClient(client)
    clock = StoreClock(Store(counting, SHARDS))
    clock.measure()
    assert counting.trips == 1
    early = store_ms(client)
    now = clock.now_ms()
    late = store_ms(client)
    allowed = clock.error_ms + 2  # each of the three is rounded
    assert early - allowed <= now <= late + allowed
    assert counting.trips == 1
    assert clock.is_steady()
    assert clock.jumped_at == 0


def test_the_time_never_goes_back(client: Client) -> None:
    """Not where a slow answer said too much, and a quick one corrects it."""
    ticks = iter([0, 1000, 1000, 2000, 2000, 2000, 2000, 2000])
    clock = StoreClock(Store(client, SHARDS), monotonic=lambda: next(ticks))
    clock.measure()  # a second long: half of it is added
    first = clock.now_ms()
    clock.measure()
    assert clock.now_ms() >= first
    assert clock.now_ms() >= first
    assert clock.jumped_at == 0


@pytest.mark.parametrize("by", [5000, -5000, HOUR, -HOUR])
def test_a_jump_is_noted(client: Client, by: int) -> None:
    """By whichever process sees it first; the others follow, and one that starts afterwards knows of it."""
    processes = [Process(client) for _ in range(3)]
    early = store_ms(client)
    for process in processes:
        process.held = by
        process.clock.measure()
    late = Process(client)
    noted = processes[0].clock.jumped_at
    assert early <= noted <= store_ms(client)
    for process in (*processes, late):
        assert process.clock.jumped_at == noted
        assert not process.clock.is_steady()
        assert process.clock.passes_at(0) >= noted + STEADY_MS
        assert process.clock.now_ms() <= store_ms(client) + process.clock.error_ms + 2
        assert process.clock.setbacks == (by < 0 or process is late)  # a new process can't know which way


def test_a_suspended_machine_holds_all(client: Client) -> None:
    """It alone has missed time: the others wait, too, and none of them notes another jump."""
    suspended, other = Process(client), Process(client)
    suspended.held = 8 * HOUR
    suspended.clock.measure()
    noted = suspended.clock.jumped_at
    for process in (other, suspended, other):
        process.clock.measure()
        assert process.clock.jumped_at == noted
        assert not process.clock.is_steady()


def test_a_clock_that_went_back_unseen(client: Client) -> None:
    """A jump that is noted for later than now tells it: a process that starts then notes the way back."""
    process = Process(client)
    ahead = process.clock.now_ms() + 240 * HOUR
    client.set(process.clock._key, ahead)
    found = Process(client).clock
    assert found.jumped_at < ahead - 200 * HOUR
    assert not found.is_steady()
    assert found.passes_at(0) < ahead
    assert found.setbacks == 1


def test_no_process_follows_a_jump_that_it_cannot_note(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or another one that starts now would time out turns by the new time."""
    process = Process(client)
    process.held = HOUR

    def refuse(*_: object) -> None:
        raise redis.exceptions.ResponseError("MISCONF")

    with monkeypatch.context() as patch:
        patch.setattr(client, "set", refuse)
        with pytest.raises(StoreUnavailable):
            process.clock.measure()
    assert process.clock.now_ms() < store_ms(client) - HOUR // 2
    process.clock.measure()
    assert process.clock.now_ms() > store_ms(client) - HOUR // 2
    assert not process.clock.is_steady()


def test_without_the_store_the_time_goes_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the last measurement; before the first there is none."""
    process, fresh = Process(client), StoreClock(Store(client, SHARDS))
    before = process.clock.now_ms()

    def lost(**_: object) -> None:
        raise redis.exceptions.ConnectionError

    monkeypatch.setattr(client, "pipeline", lost)
    with pytest.raises(StoreUnavailable):
        process.clock.measure()
    process.held = -HOUR
    assert process.clock.now_ms() >= before + HOUR
    with pytest.raises(StoreUnavailable):
        fresh.now_ms()


def test_events_get_the_stores_time(valkey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine whose clock is a day ahead, too. A test's own clock counts in the store's place."""
    asked: list[object] = []
    monkeypatch.setattr(bootstrap, "start_polling", lambda *questions: asked.extend(questions))
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 24 * HOUR * 1_000_000)
    services = open_services(Settings(redis_url=valkey))
    assert services.clock.measure in asked
    client = services.store.client
    early = store_ms(client)
    at = milliseconds(services.games.create(new_game("machine-ahead")).events[0]["at"])
    assert early - services.clock.error_ms - 2 <= at <= store_ms(client) + services.clock.error_ms + 2
    assert services.outside.clock() < at + HOUR
    given = open_services(Settings(redis_url=valkey), Outside(clock=lambda: 42))
    assert given.clock.now_ms() == given.outside.clock() == given.games.create(new_game("clock-given")).head.at == 42
    assert given.clock.is_steady()
    assert given.clock.passes_at(50) == 50


def test_all_questions_are_asked() -> None:
    """In a thread of their own, and although one of them fails."""
    asked = Event()

    def fail() -> None:
        raise redis.exceptions.ConnectionError

    stop = start_polling(fail, asked.set)
    try:
        assert asked.wait(patience(10))
    finally:
        stop()  # or it would log into the output of another test
