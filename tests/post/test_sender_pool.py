"""Receivers that hang don't delay the others: counted, while they hang."""

from collections.abc import Callable, Iterator
from threading import Event, Lock
from urllib.parse import urlsplit

import pytest

from service.connections.clients import Client
from service.post.channels.connection import Fault
from service.post.channels.results import SendResult
from service.post.channels.webhook import Message
from service.post.claim import FIRST
from service.post.notices import TURN, Notice
from service.post.sending import receivers as sending
from tests.post.processes import World, send_webhooks_by, wish
from tests.support.waiting import patience, wait_until

THREADS = 9
GOOD, BAD = 1, 1000
"""Ports: those of hanging receivers begin with BAD."""


class Receivers:
    """Answers at good ports at once, at bad ones with nothing until the test lets them go."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.let_go = Event()
        self.good = self.hanging = self.most = 0

    def serve(self, world: World) -> None:
        send_webhooks_by(world.process, self.post)

    def post(self, message: Message, _recheck: Callable[[], None]) -> SendResult:
        if (urlsplit(message.url).port or 0) < BAD:
            with self.lock:
                self.good += 1
            return SendResult()
        with self.lock:
            self.hanging += 1
            self.most = max(self.most, self.hanging)
        assert self.let_go.wait(patience(60))
        with self.lock:
            self.hanging -= 1
        return SendResult(Fault.TIMEOUT.value, is_unanswered=True)


@pytest.fixture
def world(real_client: Client) -> World:
    return World(real_client, threads=THREADS)


@pytest.fixture
def receivers(world: World) -> Iterator[Receivers]:
    found = Receivers()
    found.serve(world)
    yield found
    found.let_go.set()
    assert world.process.pool.wait(patience(30))


def open_tables(world: World, count: int, port: int, *, apart: bool = False) -> None:
    """Games whose turns are told at a port, or each at its own."""
    for number in range(count):
        name = f"p{port}-{number}"
        game = world.create(name)
        world.subscribe(name, game.turn_seat, wish(port + number if apart else port, "turn"))


def send_until(world: World, receivers: Receivers, good: int) -> None:
    """Send on, while time passes, until so many good receivers have their notice."""

    def step() -> bool:
        world.clock.now += 100
        world.process.pool.send_due()
        return receivers.good >= good

    wait_until(step, 20)


def send_all(world: World) -> None:
    """Send on, while time passes, until no first attempt is due."""
    while world.process.pool.send_due() or any(world.client.zcard(key) for key in world.games.store.shard_keys(FIRST)):
        assert world.process.pool.wait(patience(30))
        world.clock.now += 100


def test_one_host_that_hangs_takes_a_quarter_of_the_threads(world: World, receivers: Receivers) -> None:
    """However many games tell it something, and before anything is known of it."""
    open_tables(world, 20, BAD)
    world.process.pool.send_due()
    open_tables(world, 5, GOOD)
    send_until(world, receivers, 5)
    assert (receivers.hanging, receivers.most) == (2, 2)


def test_hosts_that_have_failed_take_a_third_of_the_threads(world: World, receivers: Receivers) -> None:
    """Each at a host of its own: their retries, and what they are told first, come after the others."""
    open_tables(world, THREADS, BAD, apart=True)
    receivers.let_go.set()
    send_all(world)
    receivers.let_go.clear()
    receivers.most = 0
    for number in range(THREADS):
        world.end_turn(f"p{BAD}-{number}")
        world.end_turn(f"p{BAD}-{number}")
    open_tables(world, 30, GOOD)
    while world.process.follower.follow():
        pass
    world.clock.now += 20_000
    send_until(world, receivers, 30)
    wait_until(lambda: world.process.pool.send_due() >= 0 and receivers.hanging == THREADS // 3)
    assert receivers.most == THREADS // 3


def test_hosts_that_have_not_answered_take_half_of_the_threads(world: World, receivers: Receivers) -> None:
    """However many they are, each a host of its own: one that has answered finds the other half."""
    open_tables(world, 1, GOOD)
    send_until(world, receivers, 1)
    open_tables(world, 2 * THREADS, BAD, apart=True)
    wait_until(lambda: world.process.pool.send_due() >= 0 and receivers.hanging == THREADS // 2)
    for turns in range(2, 6):
        world.end_turn(f"p{GOOD}-0")
        world.end_turn(f"p{GOOD}-0")
        while world.process.follower.follow():
            pass
        send_until(world, receivers, turns)
    assert (receivers.hanging, receivers.most) == (THREADS // 2, THREADS // 2)


def test_a_failing_host_is_tried_first_again_after_a_while() -> None:
    now = [0.0]
    limits = sending.Receivers(2, 2, print, print, lambda: now[0])
    silent = SendResult(Fault.TIMEOUT.value, is_unanswered=True)
    assert not limits.is_failing("host a")
    limits.record("webhook", "host a", silent)
    limits.record("webhook", "host b", silent)
    assert limits.is_failing("host a")
    limits.record("webhook", "host a", SendResult())
    assert not limits.is_failing("host a")
    now[0] = 121.0
    assert not limits.is_failing("host b")


def test_an_unexpected_error_stops_no_thread(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The notice is claimed again when its lease has ended."""
    world.outbox.add([Notice(game="none", seat=0, type=TURN, version=1, channel="webhook")])

    def fail(*_: object) -> None:
        raise KeyError("secret")

    world.process.pool._attempt = fail
    assert world.process.pool.send_due() == 1
    assert world.process.pool.wait(patience(10))
    assert "secret" not in caplog.text
    world.clock.now += 60_000
    assert world.process.pool.send_due() == 1
    assert world.process.pool.wait(patience(10))
