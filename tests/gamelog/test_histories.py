"""The history of a game in memory: what it holds, how it follows the game, what it weighs, and the cache's limits."""

import gc
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from threading import Thread

import pytest

from domain.commands import PostMessage
from domain.state import Game
from domain.view import redact_event
from service.connections.clients import Client
from service.gamelog.archive.compaction import compact
from service.gamelog.history import History, HistoryCache
from service.gamelog.integrity import check_integrity
from service.gamelog.store.errors import CorruptLog, NoSuchVersion
from tests.gamelog.ledger import finish, finished, import_game, new_game, open_games, play
from tests.gamelog.test_reads import NAME, opened
from tests.support.counting import CountingClient
from tests.support.samples import with_nightly
from tests.support.world import new_client


def check(history: History, entries: Sequence[object], chance: Random) -> None:
    """What a process knows of the past, at places of chance, is what the entries have."""
    whole = History.of_entries(entries)
    versions = whole.head.game.version
    after = chance.randrange(versions + 1)
    assert history == whole
    assert history.state_at(after) == whole.state_at(after)
    if after < versions:
        assert next(history.states_after(after)) == whole.state_at(after + 1).game


def test_it_follows_the_game(client: Client) -> None:
    """However far the game has gone on, and whatever was read, the next one finds what the log has by one trip."""
    chance = Random(2)
    writer = opened(client)
    counting = CountingClient(client)
    reader = open_games(counting)
    for number in range(60):
        if number % 3 == 0:
            goal = writer.load(NAME).game.version + chance.randint(1, 9)
            play(writer, NAME, chance, lambda game, goal=goal: game.version >= goal)
            for _ in range(number % 2 * 9):
                writer.handle(NAME, PostMessage(seat=0, text="Hello"))
        if number % 25 == 24:
            reader = open_games(counting)
        if chance.random() < 0.3:
            reader.load(NAME)
        counting.trips = 0
        history = reader.load_history(NAME)
        assert counting.trips == 1
        check(history, writer.store.read(NAME).entries, chance)


def test_what_is_known_is_not_read_again(client: Client) -> None:
    """Of an archived game the store is asked for the hash of its head alone."""
    writer = open_games(client)
    writer.create(new_game(NAME))
    finish(writer, NAME)
    assert compact(writer.store, NAME, "store", 2**62)
    counting = CountingClient(client)
    reader = open_games(counting)
    found = []
    for expected in (2, 1):  # the archive, too; the header
        counting.trips = 0
        found.append(reader.load_history(NAME))
        assert counting.trips == expected
    first, again = found
    assert first is again
    for version in (-1, first.head.game.version + 1):
        with pytest.raises(NoSuchVersion):
            first.state_at(version)


def test_the_head_is_no_history(client: Client) -> None:
    """Who asks for the present version, or for what comes after it, makes no process read the whole game."""
    writer = opened(client)
    reader = open_games(client)
    head = reader.load(NAME)
    version = head.game.version
    assert reader.load_at(NAME, version) == (head, head)
    with pytest.raises(NoSuchVersion):
        reader.load_at(NAME, version + 1)
    play(writer, NAME, Random(8), lambda game: game.version > version)
    news, events = reader.load_events(NAME, version)
    assert [event["version"] for event in events] == [*range(version + 1, news.game.version + 1)]
    assert reader._histories.get(NAME) is None
    play(writer, NAME, Random(9), lambda game: game.version > news.game.version)
    now, then = reader.load_at(NAME, news.game.version)  # just gone
    assert (now, then) == (writer.load(NAME), news)


def test_a_changed_entry_is_never_served(client: Client) -> None:
    """A process that has proved the past serves it as it was; one that reads it afterwards refuses it."""
    games = opened(client)
    whole = games.load_history(NAME)
    stream = games.store.stream(NAME)
    entries = client.xrange(stream)
    client.delete(stream)
    for index, (name, fields) in enumerate(entries):
        client.xadd(stream, fields | ({b"t": int(fields[b"t"]) + 1} if index == 3 else {}), name)
    assert games.load_history(NAME) is whole
    fresh = open_games(client)
    for read in (fresh.load_history, lambda name: fresh.load_events(name, 5)):
        with pytest.raises(CorruptLog):
            read(NAME)
    assert fresh.load(NAME).hash == whole.head.hash
    last = whole.entries[-1]
    client.xadd(stream, entries[3][1], f"{last.version + 1}-1")  # an entry that no append has written
    for _ in range(2):
        with pytest.raises(CorruptLog):
            games.load_history(NAME)
    assert games._histories.get(NAME) is None


def test_what_older_releases_left_in_the_header_is_passed_over(client: Client) -> None:
    """Anchors, of 48 bytes each, sound or not: the game is read, played, audited and archived without them."""
    games = opened(client)
    head = games.store.keys(NAME).head
    client.hset(head, "anchors", bytes(48) + b"torn")
    games = open_games(client)
    check(games.load_history(NAME), games.store.read(NAME).entries, Random(3))
    finish(games, NAME)
    assert check_integrity(games.store, NAME).offence is None
    assert compact(games.store, NAME, "store", 2**62)
    check(open_games(client).load_history(NAME), games.store.read(NAME).entries, Random(4))
    assert check_integrity(games.store, NAME).offence is None


def test_threads_read_while_the_game_goes_on(client: Client) -> None:
    """No thread finds a line of another viewer, or none at all, while others extend what it reads."""
    writer = opened(client)
    reader = open_games(client)
    faults: list[object] = []
    is_over = False

    def read(viewer: int | None) -> None:
        while not is_over:
            history = reader.load_history(NAME)
            head = history.head.game
            events = [redact_event(event, viewer, head) for event in history.events]
            if len(events) != head.version or history.state_at(7).game.version != 7:
                faults.append(viewer)
            dealt = next(event for event in events if event["type"] == "GameStarted")
            hands = [hand is not None for hand in dealt["data"]["hands"]]
            if not head.over and hands != [seat == viewer for seat in range(len(hands))]:
                faults.append(dealt)

    threads = [Thread(target=read, args=(viewer,)) for viewer in (None, 0, 1)]
    for thread in threads:
        thread.start()
    try:
        finish(writer, NAME)
    finally:
        is_over = True
        for thread in threads:
            thread.join()
    assert faults == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("messages", "text"), with_nightly([(200, "x" * 249 + "🂡"), (0, ""), (200, "x" * 250), (200, "é" * 250)])
)
def test_it_weighs_no_more_than_it_says(messages: int, text: str) -> None:
    """With the state at its head; characters take one to four bytes."""
    kept = with_messages(finished("heavy"), messages, text).entries
    gc.collect()
    tracemalloc.start()
    history = History.of_entries([entry._replace(body=bytes(bytearray(entry.body))) for entry in kept])
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert history.weight / 3 < used < history.weight


def with_messages(history: History, messages: int, text: str) -> History:
    games = open_games(new_client())
    game = history.head.game.id
    assert import_game(games.store, history)
    for _ in range(messages):
        games.handle(game, PostMessage(seat=0, text=text))
    return games.load_history(game)


def light(game: str, entries: int = 20) -> History:
    history = History.of_entries(finished("light").entries[:entries])
    return replace(history, head=replace(history.head, game=Game(id=game, version=history.head.game.version)))


def test_the_cache_is_bounded_by_bytes() -> None:
    """The history that was read longest ago is dropped, and one that is too heavy isn't kept, nor drops another."""
    weight = light("a").weight
    cache = HistoryCache(3 * weight)
    for name in "abc":
        cache.put(light(name))
    assert cache.get("a") is not None
    cache.put(light("d"))
    assert cache.weight == 3 * weight
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    cache.put(light("heavy", 120))
    assert cache.get("heavy") is None
    assert cache.weight == 3 * weight
    longer = light("d", 21)
    cache.put(longer)  # the game has gone on
    assert cache.get("d") is longer
    assert cache.weight == weight + longer.weight
    cache.forget("d")
    cache.forget("nowhere")
    assert cache.weight == weight
