"""The store's clock in a process: exact, without round trips, and all processes know of its jumps."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
import redis

from config.settings import Settings
from domain.clock.timestamps import milliseconds
from service import bootstrap
from service.bootstrap import Outside, open_services
from service.connections.clients import Client
from service.gamelog.errors import StoreUnavailable
from service.gamelog.store.clock import _MOST, STEADY_MS, StoreClock
from service.gamelog.store.health.poller import start_polling
from service.gamelog.store.jumps import Jump, lengthening
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
    """The store's time, in a round trip."""
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
    assert clock.jumps == ()


def test_the_first_look_measures(client: Client) -> None:
    """A clock that was never measured isn't guessed."""
    counting = CountingClient(client)
    clock = StoreClock(Store(counting, SHARDS))
    early = store_ms(client)
    assert clock.now_ms() >= early - clock.error_ms - 2
    assert counting.trips == 1


def test_the_time_never_goes_back(client: Client) -> None:
    """Not where a slow answer said too much, and a quick one corrects it."""
    ticks = iter([0, 1000, 1000, 2000, 2000, 2000, 2000, 2000])
    clock = StoreClock(Store(client, SHARDS), monotonic=lambda: next(ticks))
    clock.measure()  # a second long: half of it is added
    first = clock.now_ms()
    clock.measure()
    assert clock.now_ms() >= first
    assert clock.now_ms() >= first
    assert clock.jumps == ()


@pytest.mark.parametrize("by", [5000, -5000, HOUR, -HOUR])
def test_a_jump_is_recorded_once(client: Client, by: int) -> None:
    """By whichever process sees it first; the others follow, and one that starts afterwards knows of it."""
    processes = [Process(client) for _ in range(3)]
    for process in processes:
        process.held = by
        process.clock.measure()
    late = Process(client)
    for process in (*processes, late):
        assert len(process.clock.jumps) == 1
        assert process.clock.jumps[0].by == pytest.approx(by, abs=1000)
        assert process.clock.jumps == processes[0].clock.jumps
        assert not process.clock.is_steady()
        assert process.clock.passes_at(0, 0) >= process.clock.jumps[0].after + STEADY_MS
        assert process.clock.now_ms() <= store_ms(client) + process.clock.error_ms + 2


def test_rivals_record_a_jump_once(client: Client) -> None:
    """Two that see it at the same moment: one of them follows a measurement later."""
    processes = [Process(client) for _ in range(4)]
    start = Barrier(len(processes))

    def measure(process: Process) -> None:
        process.held = HOUR
        start.wait(patience(10))
        process.clock.measure()

    with ThreadPoolExecutor(len(processes)) as pool:
        list(pool.map(measure, processes))
    for process in processes:
        process.clock.measure()
        assert [jump.number for jump in process.clock.jumps] == [1]
        assert process.clock.now_ms() <= store_ms(client) + process.clock.error_ms + 2


def test_a_suspended_machine_is_heard_and_not_contradicted(client: Client) -> None:
    """It alone has missed time: the others wait, too, and none of them records the opposite."""
    suspended, other = Process(client), Process(client)
    suspended.held = 8 * HOUR
    for _ in range(2):
        for process in (suspended, other):
            process.clock.measure()
            assert len(process.clock.jumps) == 1
            assert not process.clock.is_steady()


def test_a_clock_that_went_back_unseen(client: Client) -> None:
    """The record of a jump tells how late it was: a process that starts in an earlier time records the way back."""
    process = Process(client)
    ahead = process.clock.now_ms() + 240 * HOUR
    client.rpush(process.clock._key, Jump(1, ahead - 241 * HOUR, ahead, 240 * HOUR).to_record())
    found = Process(client).clock
    assert [jump.number for jump in found.jumps] == [1, 2]
    assert found.jumps[1].by == pytest.approx(-240 * HOUR, abs=HOUR)
    assert not found.is_steady()
    assert found.passes_at(0, 0) < ahead


def test_a_damaged_record_is_passed_over(client: Client) -> None:
    """The time goes on, and a jump is recorded behind it."""
    process = Process(client)
    client.rpush(process.clock._key, b"\xff", "1 2 3", "1 2 3 x")
    process.held = HOUR
    process.clock.measure()
    assert [jump.number for jump in process.clock.jumps] == [1]
    assert process.clock.now_ms() <= store_ms(client) + process.clock.error_ms + 2
    assert [jump.number for jump in Process(client).clock.jumps] == [1]


def test_records_are_bounded(client: Client) -> None:
    """The last ones are kept, under their own numbers."""
    process = Process(client)
    for number in range(_MOST + 3):
        process.held += HOUR if number % 2 else -HOUR
        process.clock.measure()
    assert [jump.number for jump in process.clock.jumps] == list(range(3, _MOST + 4))
    process.clock.measure()
    assert client.llen(process.clock._key) == _MOST


def test_without_the_store_the_time_goes_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the last measurement; before the first there is none."""
    process, fresh = Process(client), StoreClock(Store(client, SHARDS))
    before = process.clock.now_ms()

    def lost(*_: object) -> None:
        raise redis.exceptions.ConnectionError

    monkeypatch.setattr(client, "eval", lost)
    with pytest.raises(StoreUnavailable):
        process.clock.measure()
    process.held = -HOUR
    assert process.clock.now_ms() >= before + HOUR
    with pytest.raises(StoreUnavailable):
        fresh.now_ms()


def test_a_jump_lengthens_the_waits_that_it_interrupts() -> None:
    """Not those that began later; jumps there and back cancel out, and the way back alone shortens nothing."""
    there, back = Jump(1, 9_000, 110_000, 100_000), Jump(2, 119_000, 20_000, -100_000)
    assert [lengthening([there], since) for since in (0, 10_000, 109_001)] == [100_000, 100_000, 0]
    assert lengthening([there, back], 0) == 0
    assert lengthening([back], 0) == 0
    assert lengthening([there, back], 115_000) == 0  # begun while the clock was ahead: by its own deadline


def test_a_jump_back_makes_up_for_none_ahead_in_a_wait_that_was_stopped() -> None:
    """It may have come while the wait stood still, and so have given it nothing."""
    back, there = Jump(1, 20_000, 10_000, -10_000), Jump(2, 50_000, 60_000, 10_000)
    assert [lengthening([back, there], 0, has_stopped=stopped) for stopped in (False, True)] == [0, 10_000]
    assert lengthening([back], 0, has_stopped=True) == 0


def test_events_get_the_stores_time(valkey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine whose clock is a day ahead, too. A test's own clock counts in the store's place."""
    asked: list[object] = []
    monkeypatch.setattr(bootstrap, "start_polling", lambda *questions: asked.extend(questions))
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 24 * HOUR * 1_000_000)
    services = open_services(Settings(redis_url=valkey))
    assert services.clock.measure in asked
    assert services.clock.apart_ms == pytest.approx(24 * HOUR, abs=HOUR)
    client = services.store.client
    early = store_ms(client)
    at = milliseconds(services.games.create(new_game("machine-ahead")).events[0]["at"])
    assert early - services.clock.error_ms - 2 <= at <= store_ms(client) + services.clock.error_ms + 2
    assert services.outside.clock() < at + HOUR
    given = open_services(Settings(redis_url=valkey), Outside(clock=lambda: 42))
    assert given.clock.now_ms() == given.outside.clock() == given.games.create(new_game("clock-given")).head.at == 42
    assert given.clock.is_steady()
    assert given.clock.passes_at(50, 0) == 50


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
