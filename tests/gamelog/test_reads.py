"""How often each read of the log asks the store."""

from collections.abc import Callable
from random import Random

import pytest

from service.connections.clients import Client
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import GameCache
from service.gamelog.history import HistoryCache, decode_events
from service.gamelog.log import GameLog
from service.gamelog.store.errors import NoSuchVersion
from tests.gamelog.ledger import finish, key_of, new_game, open_games, play
from tests.support.counting import CountingClient

NAME = "g"
KEY = key_of("open", {"seats": 2})


Read = Callable[[GameLog], object]
READS: dict[str, Read] = {
    "load": lambda games: games.load(NAME),
    "load_events, all": lambda games: games.load_events(NAME, 0),
    "load_events, some": lambda games: games.load_events(NAME, 5),
    "load_events, last": lambda games: games.load_events(NAME, head_of(games) - 1),
    "load_events, none": lambda games: games.load_events(NAME, head_of(games)),
    "load_history": lambda games: games.load_history(NAME).events,
    "find_repeat": lambda games: games.find_repeat(NAME, KEY),
}


WHOLE = ("load_events, all", "load_events, some", "load_events, last", "load_history", "find_repeat")
"""The reads that start at the log's first entry, whatever is in the cache."""


def head_of(games: GameLog) -> int:
    client = games.store.client
    return int(
        (client._client if isinstance(client, CountingClient) else client).hget(games.store.keys(NAME)[1], "version")
    )


def opened(client: Client) -> GameLog:
    games = open_games(client)
    games.create(new_game(NAME), KEY)
    play(games, NAME, Random(1), lambda game: game.version > 40)
    return games


@pytest.mark.parametrize("archived", [False, True])
def test_a_read_is_one_round_trip(client: Client, *, archived: bool) -> None:
    """Each read asks the store once, and once more for an archive; the result doesn't depend on the cache.

    A repeat asks twice, but whether there was a first request takes one trip.
    """
    writer = opened(client)
    if archived:
        finish(writer, NAME)
    past = writer.load_history(NAME)
    if archived:
        assert compact(writer.store, NAME, "store", 2**62)
    behind = past.state_at(past.entries[len(past.entries) // 2].version)
    counting = CountingClient(client)
    for name, read in READS.items():
        expected = read(writer)
        for memory in (None, behind, past.head):
            games = open_games(counting)
            if memory:
                games._cache.put(memory)
            counting.trips = 0
            assert read(games) == expected
            # Events in the cache are not fetched from the archive.
            fetched = archived and (memory is not past.head or name in WHOLE)
            found = name == "find_repeat"  # first that the request was made, then what it did
            assert counting.trips == 1 + fetched + found, (name, memory)


def test_a_cached_game_needs_no_read(client: Client) -> None:
    opened(client)
    counting = CountingClient(client)
    games = open_games(counting)
    loaded = games.load_cached(NAME)
    assert counting.trips == 1
    assert games.load_cached(NAME) is loaded
    assert counting.trips == 1


def test_a_follower_reads_once(client: Client) -> None:
    """`load_since` brings head and events in one read."""
    writer = opened(client)
    counting = CountingClient(client)
    games = open_games(counting)
    before = games.load(NAME)
    play(writer, NAME, Random(3), lambda game: game.version > 60)
    counting.trips = 0
    head, events = games.load_since(before)
    assert counting.trips == 1
    assert (head, events) == (writer.load(NAME), writer.load_events(NAME, before.game.version)[1])


@pytest.mark.parametrize("remembered", [0, 1, 20, 40])
def test_events_after_any_version(client: Client, remembered: int) -> None:
    games = opened(client)
    events = decode_events(games.store.read(NAME).entries)
    past = games.load_history(NAME)
    assert past.events == events
    start = next(past.state_at(entry.version) for entry in past.entries if entry.version >= remembered)
    for after in range(len(events) + 1):
        games._cache, games._histories = GameCache(), HistoryCache()
        if remembered:
            games._cache.put(start)
        assert games.load_events(NAME, after) == (past.head, events[after:])
        assert games._cache.get(NAME) == past.head
    with pytest.raises(NoSuchVersion):
        games.load_events(NAME, len(events) + 1)
