"""The past of a long game: the first read of a process may cost eight times that of a short one, the others as much."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from domain.commands import MOST_MESSAGES, PostMessage
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import GameCache
from service.gamelog.history import HistoryCache
from service.gamelog.log import GameLog
from tests.bench.games import filling, game_log, random_plans, store_of

PLAN = next(random_plans(Random("long games")))
TEXT = "x" * 262
"""So long that 1,000 of them come near the limit of bytes."""
RUNS, MOST_RUNS = 3, 12
PAGE = 200
FIRST, AGAIN = 8, 2.5
"""How many times as long as of a game without messages a read may take."""

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
    return game_log(store_of(connect(url)))


def archive_of(name: str) -> str:
    return f"{name}, archived"


READS: dict[str, Read] = {
    "one event": lambda log, game, version: log.load_events(game, version - 1, 1),
    "a page of events": lambda log, game, version: log.load_events(game, version - 1, PAGE),
    "an earlier state": lambda log, game, version: log.load_at(game, version),
    "part of a replay": lambda log, game, version: list(islice(log.load_history(game).states_after(version), 50)),
}


def first(read: Read) -> Read:
    def with_empty_caches(log: GameLog, game: str, version: int) -> object:
        log._cache, log._histories = GameCache(), HistoryCache()
        return read(log, game, version)

    return with_empty_caches


def seconds_of(log: GameLog, game: str, read: Read) -> float:
    """Processor time of a read at five places of the game, from its beginning to its last whole page of events."""
    last = log.load_history(game).head.game.version - PAGE
    begun = time.process_time()
    for fifth in range(5):
        read(log, game, 1 + last * fifth // 4)
    return time.process_time() - begun


@pytest.mark.slow
@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", READS)
def test_messages_dont_make_the_past_dear(
    long_games: tuple[str, str, str], name: str, *, archived: bool, is_first: bool
) -> None:
    """What a read of the past costs in a game with 1,000 messages, beside the same game with none.

    Other processes only add to both.
    """
    url, short, long = long_games
    log = open_log(url)
    games = [(archive_of if archived else str)(game) for game in (short, long)]
    read, factor = (first(READS[name]), FIRST) if is_first else (READS[name], AGAIN)
    times: list[tuple[float, float]] = []

    def is_cheap() -> bool:
        return min(long for _, long in times) < factor * min(short for short, _ in times)

    while len(times) < RUNS or (len(times) < MOST_RUNS and not is_cheap()):
        times.append((seconds_of(log, games[0], read), seconds_of(log, games[1], read)))
    assert is_cheap(), times
