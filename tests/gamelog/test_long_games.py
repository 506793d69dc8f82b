"""The past of a long game: read from checkpoints, at the cost of a short one's, and proved all the same."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from domain.commands import MOST_MESSAGES, PostMessage
from domain.state import Game
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import EMPTY, GameCache, LoadedGame
from service.gamelog.errors import CorruptLog
from service.gamelog.log import GameLog
from tests.benchmarks.games import filling, game_log, random_plans, store_of

PLAN = next(random_plans(Random("long games")))
TEXT = "x" * 262
"""So long that 1,000 of them come near the limit of bytes."""
RUNS, MOST_RUNS = 3, 12
PAGE = 200
FACTOR = 2.5

Read = Callable[[GameLog, str, int], object]


def fill(url: str, name: str, messages: int) -> None:
    """A whole game with so many messages among its actions."""
    with filling(url) as log:
        log.create(replace(PLAN.create, game=name))
        for number, command in enumerate(PLAN.commands):
            log.handle(name, command)
            for _ in range(messages * number // len(PLAN.commands), messages * (number + 1) // len(PLAN.commands)):
                log.handle(name, PostMessage(seat=0, text=TEXT))


@pytest.fixture(scope="module")
def long_games(valkey: str) -> tuple[str, str, str]:
    """The address of a store, and two games there that differ in their messages alone: none, and 1,000."""
    names = "long game without messages", "long game with messages"
    for name, messages in zip(names, (0, MOST_MESSAGES), strict=True):
        for copy in (name, archive_of(name)):
            fill(valkey, copy, messages)
        assert compact(open_log(valkey).store, archive_of(name), "store", 2**62)
    return (valkey, *names)


def open_log(url: str) -> GameLog:
    """A log with an empty cache."""
    return game_log(store_of(connect(url)))


def archive_of(name: str) -> str:
    """The name of the game's archived copy."""
    return f"{name}, archived"


READS: dict[str, Read] = {
    "one event": lambda log, game, version: log.load_events(game, version - 1, 1),
    "a page of events": lambda log, game, version: log.load_events(game, version - 1, PAGE),
    "an earlier state": lambda log, game, version: log.load_history(game, version, version).state_at(version),
    "part of a replay": lambda log, game, version: list(
        islice(log.load_history(game, version, version + 50).states_after(version), 50)
    ),
}


def cold(read: Read) -> Read:
    """The read with an empty cache."""

    def with_empty_cache(log: GameLog, game: str, version: int) -> object:
        log._cache = GameCache()
        return read(log, game, version)

    return with_empty_cache


def seconds_of(log: GameLog, game: str, read: Read) -> float:
    """Processor time of a read at five places of the game, from its beginning to its last whole page of events."""
    last = log.load_history(game).head.game.version - PAGE
    begun = time.process_time()
    for fifth in range(5):
        read(log, game, 1 + last * fifth // 4)
    return time.process_time() - begun


def is_cheap(times: list[tuple[float, float]]) -> bool:
    """Whether reads of the second game cost about as much as those of the first; other processes only add to both."""
    return min(long for _, long in times) < FACTOR * min(short for short, _ in times)


@pytest.mark.slow
@pytest.mark.parametrize("is_cold", [False, True])
@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", READS)
def test_messages_dont_make_the_past_dear(
    long_games: tuple[str, str, str], name: str, *, archived: bool, is_cold: bool
) -> None:
    """A read of the past costs about as much in a game with 1,000 messages as in the same game with none.

    With what earlier reads have left in the cache, and with an empty cache; from the stream and from the archive. The
    aim is twice as much (`tests/benchmarks/past.py`); without checkpoints and anchors it is five times and more.
    """
    url, short, long = long_games
    log = open_log(url)
    games = [(archive_of if archived else str)(game) for game in (short, long)]
    read = cold(READS[name]) if is_cold else READS[name]
    times: list[tuple[float, float]] = []
    while len(times) < RUNS or (len(times) < MOST_RUNS and not is_cheap(times)):
        times.append((seconds_of(log, games[0], read), seconds_of(log, games[1], read)))
    assert is_cheap(times), times


@pytest.fixture
def close_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints after every few events."""
    monkeypatch.setattr("service.gamelog.history.CHECKPOINT_EVENTS", 20)


@pytest.mark.usefixtures("close_checkpoints")
@pytest.mark.parametrize("archived", [False, True])
def test_every_stretch_is_that_of_the_whole(valkey: str, *, archived: bool) -> None:
    """Events, states and head are those of the whole game, wherever a stretch begins and ends, and whatever is cached.

    Not more than two checkpoints' worth of events is read besides.
    """
    name = f"stretches {archived}"
    fill(valkey, name, 40)
    log = open_log(valkey)
    whole = log.load_history(name)
    versions = len(whole.events)
    whole_states = [game.copy() for game in whole.states_after(0)]
    assert len(log._cache.list_states(name)) > versions // 40
    if archived:
        assert compact(log.store, name, "store", 2**62)
    chance = Random(2)
    for number in range(40):
        after = chance.randrange(versions + 1)
        until = chance.choice([None, after, after + 1, after + 30, versions, versions + 9])
        if number % 20 == 0:
            log._cache = GameCache()
        history = log.load_history(name, after, until)
        assert history.head == whole.head
        assert history.events_between(after, until) == whole.events[after:until]
        assert history.state_at(after) == whole.state_at(after)
        states = [game.copy() for game in islice(history.states_after(after), 2)]
        assert states == whole_states[after : after + len(states)]
        assert len(states) == min(2, history.events[-1]["version"] - after if history.events else 0)
        if number % 20 and until is not None and until < versions:
            assert len(history.events) < until - after + 2 * (20 + 10)


@pytest.mark.usefixtures("close_checkpoints")
def test_a_changed_entry_between_checkpoints_is_not_served(valkey: str) -> None:
    """A stretch with a changed entry is refused with and without checkpoints in the cache, and no other one with."""
    name = "changed"
    fill(valkey, name, 0)
    log = open_log(valkey)
    whole = log.load_history(name)
    client, stream = log.store.client, log.store.stream(name)
    entries = client.xrange(stream)
    client.delete(stream)
    for entry, (place, fields) in zip(whole.entries, entries, strict=True):
        client.xadd(stream, fields | ({b"t": entry.elapsed + 1} if entry is whole.entries[30] else {}), place)
    changed = whole.entries[30].version
    assert log.load_events(name, changed + 60, 5)[1] == whole.events[changed + 60 : changed + 65]
    for _ in range(2):
        with pytest.raises(CorruptLog):
            log.load_events(name, changed - 1, 1)
    assert log._cache.list_states(name) == [EMPTY]
    with pytest.raises(CorruptLog):
        open_log(valkey).load_events(name, changed + 60, 5)


def test_few_games_have_checkpoints() -> None:
    """Those of the game whose past was read longest ago are dropped; a game that is forgotten has none."""
    cache = GameCache(with_checkpoints=2)
    for name in "abac":
        cache.put(state(name, 9), [state(name, 3), state(name, 6), state(name, 9)])
    assert [len(cache.list_states(name)) for name in "abc"] == [4, 2, 4]
    assert [state.game.version for state in cache.list_states("a")] == [0, 3, 6, 9]
    cache.forget("a")
    cache.put(state("a", 9))
    assert cache.list_states("a") == [EMPTY, state("a", 9)]


def state(game: str, version: int) -> LoadedGame:
    """A state in the cache."""
    return LoadedGame(Game(id=game, version=version), b"", b"")
