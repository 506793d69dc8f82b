"""The hub: what wakes its threads without news."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from random import Random
from typing import Any

import pytest
from redis.client import PubSub

from domain.commands import PostMessage
from service.connections.clients import Client, connect
from service.gamelog.live import hub as hub_module
from service.gamelog.live.hub import Hub
from service.gamelog.live.watch import Snapshot, WatchedGame
from service.gamelog.log import GameLog
from tests.gamelog.ledger import any_act, new_game, open_games
from tests.support.lines import Line
from tests.support.waiting import patience, wait_until

NAME = "watched"


@pytest.fixture
def games(real_client: Client) -> GameLog:
    games = open_games(real_client)
    games.create(new_game(NAME))
    return games


@pytest.fixture
def hub(games: GameLog) -> Iterator[Hub]:
    """A hub whose connection is never made: nothing but the test publishes."""
    hub = Hub(games)
    hub._thread = threading.current_thread()
    yield hub
    hub.close()


def test_waking_all_threads_replaces_no_newer_snapshot(
    hub: Hub, games: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """News that are published while the threads are woken stay published."""
    loaded = games.load(NAME)
    copy = hub_module.replace

    def interrupted(snapshot: Snapshot) -> Snapshot:
        """The copy of a snapshot; meanwhile the listener has news."""
        copied = copy(snapshot)
        listener.start()
        listener.join(0.05)  # it ends here, or waits for the lock
        return copied

    with hub.watch(loaded):
        watched: WatchedGame = next(iter(hub._watched.values()))
        news = Snapshot(loaded)
        listener = threading.Thread(target=hub._publish, args=(watched, news))
        with monkeypatch.context() as patched:
            patched.setattr(hub_module, "replace", interrupted)
            hub.wake_all()
        listener.join(patience(10))
        assert watched.now is news


@pytest.mark.parametrize("error", [AttributeError, TypeError, ValueError, ConnectionError])
def test_a_lost_connection_is_made_again(
    error: type[Exception], games: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The listener outlives a connection that ends while it reads, and follows the games on the next one."""
    lost = threading.Event()
    get_message = PubSub.get_message

    def lose_the_first(connection: PubSub, **options: Any) -> Any:
        if lost.is_set():
            return get_message(connection, **options)
        lost.set()
        raise error

    monkeypatch.setattr(PubSub, "get_message", lose_the_first)
    loaded = games.load(NAME)
    with closing(Hub(games)) as hub, hub.watch(loaded) as watcher:
        assert lost.wait(patience(10))
        games.handle(NAME, any_act(loaded.game, Random(1)))
        deadline = time.monotonic() + patience(10)
        while (seen := watcher.now).head.game.version == loaded.game.version:
            assert time.monotonic() < deadline
            watcher.sleep(seen, patience(10))


@pytest.mark.nightly
def test_a_connection_that_is_dead_without_a_word_is_replaced(
    real_client: Client, games: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener that hears nothing asks, and without an answer connects again: what was missed is read then."""
    monkeypatch.setattr(hub_module, "_SILENCE_S", 0.2)
    line = Line(real_client.connection_pool.connection_kwargs["path"])
    with closing(line), connect(line.url) as client:
        far = open_games(client)
        with closing(Hub(far)) as hub, hub.watch(far.load(NAME)) as watch:
            play_and_hear(games, watch)
            line.die()
            play_and_hear(games, watch)


def test_a_silent_connection_that_answers_is_kept(
    real_client: Client, games: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence alone is no reason to connect again."""
    monkeypatch.setattr(hub_module, "_SILENCE_S", 0.05)
    with closing(Hub(games)) as hub, hub.watch(games.load(NAME)):
        wait_until(lambda: hub._pubsub is not None)
        first, asked = hub._pubsub, []
        monkeypatch.setattr(first, "ping", lambda ping=first.ping: (asked.append(1), ping()))
        wait_until(lambda: len(asked) >= 3)
        assert hub._pubsub is first


def test_nothing_waits_for_the_listener_to_connect(games: GameLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that hangs holds up neither new streams nor those that end; what they watch is followed afterwards."""
    connecting, answers = threading.Event(), threading.Event()
    subscribe = PubSub.subscribe

    def hang(connection: PubSub, *channels: str) -> None:
        connecting.set()
        assert answers.wait(patience(20))
        subscribe(connection, *channels)

    for name in ("ends", "new"):
        games.create(new_game(name))
    monkeypatch.setattr(PubSub, "subscribe", hang)

    def come_and_go() -> None:
        with hub.watch(games.load("ends")):
            hub.wake_all()

    with closing(Hub(games)) as hub, ExitStack() as streams, ThreadPoolExecutor(1) as pool:
        try:
            streams.enter_context(hub.watch(games.load("ends")))
            assert connecting.wait(patience(10))
            pool.submit(come_and_go).result(patience(2))
            streams.close()
            watch = pool.submit(streams.enter_context, hub.watch(games.load("new"))).result(patience(2))
        finally:
            answers.set()
        version = games.handle("new", PostMessage(seat=0, text="Hello?")).loaded.game.version
        wait_until(lambda: watch.now.head.game.version == version)
        assert list(hub._pubsub.channels) == [games.store.stream("new").encode()]


def test_a_lost_connection_is_not_made_again_by_a_new_stream(hub: Hub, games: GameLog) -> None:
    """That may take seconds, and is left to the listener."""
    games.create(new_game("new"))
    with hub.watch(games.load(NAME)):
        connection = hub._connect().connection
        connection._sock.shutdown(socket.SHUT_RDWR)
        connected: list[str] = []
        connection.connect = lambda: connected.append("")
        with hub.watch(games.load("new")):
            assert hub._pubsub is None
        assert not connected


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "lost"])
def test_a_connection_that_is_read_goes_to_no_other_thread(
    is_closed: bool, games: GameLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever gives it up: the listener would take the replies of the thread that gets it next."""
    read_now, done = list[PubSub](), threading.Event()

    def read(pubsub: PubSub, **_options: Any) -> None:
        read_now.append(pubsub)
        assert done.wait(patience(10))

    monkeypatch.setattr(PubSub, "get_message", read)
    pool = games.store.client.connection_pool
    with closing(Hub(games)) as hub, hub.watch(games.load(NAME)):
        wait_until(lambda: hub._pubsub in read_now)  # not one of an earlier test, whose listener is about to end
        read_by_listener, listener = hub._pubsub.connection, hub._thread
        if is_closed:
            hub.close()
        else:
            with hub._lock:
                hub._disconnect()
        taken = pool.get_connection()
        assert taken is not read_by_listener
        pool.release(taken)
        hub.closed = True
        done.set()
        assert listener is not None
        listener.join(patience(10))
    assert read_by_listener not in pool._in_use_connections, "the listener returns it at its end"


def test_a_closed_hub_listens_no_more(games: GameLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread ends, and nothing connects again: neither where it listened, nor where it tried to connect."""
    loaded, tried = games.load(NAME), threading.Event()
    for is_reachable in (True, False):
        if not is_reachable:
            monkeypatch.setattr(games.store.client, "pubsub", lambda: (tried.set(), fail())[1])
        with closing(Hub(games)) as hub, hub.watch(loaded):
            wait_until(lambda hub=hub: hub._pubsub is not None or tried.is_set())
            listener = hub._thread
        assert listener is not None
        listener.join(patience(10))
        assert not listener.is_alive()
        assert hub._pubsub is None


def fail() -> None:
    raise ConnectionError


def play_and_hear(games: GameLog, watch: WatchedGame) -> None:
    version = games.handle(NAME, any_act(games.load(NAME).game, Random(1))).loaded.game.version
    wait_until(lambda: watch.now.head.game.version == version, 10)
