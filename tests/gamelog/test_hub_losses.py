"""A store that loses the past of a watched game: the hub tells the threads that wait."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.live import hub as hub_module
from service.gamelog.live import watch as watch_module
from service.gamelog.live.hub import Hub
from service.gamelog.live.watch import Snapshot, Watcher
from service.gamelog.log import GameLog
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import new_game, open_games
from tests.support.waiting import wait_until

NAME, OTHER = "g", "h"


class Watched:
    """A process with a hub, another process, and the numbers of events that the first one has counted as lost."""

    def __init__(self, client: Client) -> None:
        self.counted: list[int] = []
        self.own, self.elsewhere = open_games(client, count_lost=self.counted.append), open_games(client)
        self.hub = Hub(self.own)
        for name in (NAME, OTHER):
            self.own.create(new_game(name))

    def post(self, games: GameLog, name: str = NAME) -> None:
        games.load(name)
        games.handle(name, PostMessage(seat=0, text="Hello?"))

    def has_ended(self, watcher: Watcher) -> bool:
        """Whether its thread is told that the log is another one now."""
        return watcher.now.lost and watcher.now.has_other_past


@pytest.fixture
def watched(real_client: Client) -> Iterator[Watched]:
    one = Watched(real_client)
    one.hub._thread = threading.current_thread()
    with closing(one.hub):
        yield one


@pytest.mark.parametrize("noticed", [False, True])
def test_threads_are_told_when_the_listener_notices(real_client: Client, watched: Watched, *, noticed: bool) -> None:
    """Also where a request has noticed before; it counts once."""
    copy = OlderCopy(real_client)
    watched.post(watched.own)
    with watched.hub.watch(watched.own.load(NAME)) as watcher:
        copy.restore()
        if noticed:
            watched.own.load(NAME)
        watched.hub.compare_watched()
        assert watched.has_ended(watcher)
    assert watched.counted == [1]


@pytest.mark.parametrize("following", [0, 1, 2])
def test_a_state_that_a_thread_brought_is_compared(following: int, real_client: Client, watched: Watched) -> None:
    """It was lost before the listener had read it; the log ends before it, has another event there, or continues."""
    copy = OlderCopy(real_client)
    with watched.hub.watch(watched.own.load(NAME)) as watcher:
        watched.post(watched.own)
        with watched.hub.watch(watched.own.load(NAME)):
            copy.restore()
            for _ in range(following):
                watched.post(watched.elsewhere)
            watched.hub._receive(watched.own.store.stream(NAME), None)
            assert watched.has_ended(watcher)
    assert watched.counted == [1]


def test_all_watched_games_are_compared(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a message of any game, if the last comparison is long ago: no message tells of what is lost."""
    monkeypatch.setattr(hub_module, "_COMPARE_S", 0.0)
    monkeypatch.setattr(hub_module, "_SILENCE_S", 3600.0)
    one = Watched(real_client)
    with closing(one.hub), one.hub.watch(one.own.load(NAME)) as first, one.hub.watch(one.own.load(OTHER)) as second:
        one.post(one.elsewhere, OTHER)
        wait_until(lambda: second.now.events)  # so both are subscribed to
        copy = OlderCopy(real_client)
        one.post(one.own)
        wait_until(lambda: first.now.events)
        copy.restore()
        one.post(one.elsewhere, OTHER)
        wait_until(lambda: one.has_ended(first))
        assert not second.now.lost


def test_a_snapshot_knows_the_hash_before_its_events(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the version at which it was begun, and when it has dropped events, of the last one that was dropped."""
    monkeypatch.setattr(watch_module, "KEPT", 2)
    loaded = watched.own.load(NAME)
    begin = loaded.game.version
    snapshot = Snapshot(loaded, before=loaded.hash)
    assert snapshot.hash_at(begin) == loaded.hash.hex()
    for _ in range(4):
        watched.post(watched.own)
    head, events = watched.own.load_events(NAME, begin)
    following = snapshot.follow(head, events)
    assert [following.hash_at(begin + place) for place in (1, 2, 3)] == [None, *(one["hash"] for one in events[1:3])]
