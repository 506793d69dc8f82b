"""The proved past of a game in memory: what it covers, how it follows the game, what it weighs, and its limits."""

import gc
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from threading import Thread
from typing import Final

import orjson
import pytest

from domain.commands import PostMessage
from domain.events import EventRecord
from domain.state import Game
from domain.view import redact_event
from service.connections.clients import Client
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import EMPTY, LoadedGame
from service.gamelog.codec import canonical
from service.gamelog.errors import CorruptLog, NoSuchGame, NoSuchVersion
from service.gamelog.history import History
from service.gamelog.log import GameLog
from service.gamelog.past.cache import PastCache
from service.gamelog.past.past import Past
from service.gamelog.past.stretch import Stretch
from tests.gamelog.ledger import finish, finished, import_game, new_game, open_games, play
from tests.support.counting import CountingClient

NAME: Final = "g"
FORMS = (canonical, orjson.dumps)


def lines_of(events: Sequence[EventRecord], viewer: int | None, head: Game) -> list[bytes]:
    """The events as NDJSON has them."""
    return [canonical(redact_event(event, viewer, head)) for event in events]


def opened(client: Client) -> GameLog:
    """A game of some turns."""
    games = open_games(client)
    games.create(new_game(NAME))
    play(games, NAME, Random(1), lambda game: game.version > 40)
    return games


def check(reader: GameLog, writer: GameLog, chance: Random) -> None:
    """What the reader knows of the past at places of chance is what the log has."""
    whole = writer.load_history(NAME)
    versions = whole.head.game.version
    after = chance.randrange(versions + 1)
    until = chance.choice([None, after, after + 1, after + 20, versions, versions + 3])
    past, _ = reader.load_past(NAME, after, until)
    assert past.head == whole.head
    assert past.state_at(after) == whole.state_at(after)
    viewer = chance.choice([None, 0, 1])
    assert past.lines(canonical, viewer, after, until) == lines_of(whole.events[after:until], viewer, whole.head.game)


@pytest.mark.parametrize("long", [False, True])
def test_it_follows_the_game(client: Client, monkeypatch: pytest.MonkeyPatch, *, long: bool) -> None:
    """Wherever one read began and ended, the next one finds the same as in the log, and asks the store once.

    `long`: with messages, so that it is read in parts, which are short here.
    """
    monkeypatch.setattr("service.gamelog.history.CHECKPOINT_EVENTS", 20)
    monkeypatch.setattr("service.gamelog.anchors.LONG_STRETCH", 30)
    monkeypatch.setattr("service.gamelog.past.past._LONGEST", 40)
    chance = Random(2)
    writer = opened(client)
    counting = CountingClient(client)
    reader = open_games(counting)
    parts = set()
    for number in range(60):
        if number % 3 == 0:
            goal = writer.load(NAME).game.version + chance.randint(1, 9)
            play(writer, NAME, chance, lambda game, goal=goal: game.version >= goal)
            for _ in range(9 * long):
                writer.handle(NAME, PostMessage(seat=0, text="Hello"))
        if number % 25 == 24:
            reader = open_games(counting)
        counting.trips = 0
        check(reader, writer, chance)
        assert counting.trips == 1
        past = reader._pasts.get(NAME)
        assert past is not None
        parts.add(len(past.stretches))
        ends = [part.end for part in past.stretches]
        assert all(end <= part.begin for end, part in zip(ends, past.stretches[1:], strict=False))
    assert max(parts) > 1 or not long


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
        past, read = reader.load_past(NAME, 10, 11)
        assert counting.trips == expected
        found.append((past, read))
    (first, events), (again, none) = found
    assert first is again
    assert (events, none) == (first.head.game.version, 0)
    with pytest.raises(NoSuchVersion):
        first.state_at(events + 1)


def test_a_store_that_went_back_is_right(client: Client) -> None:
    """What the store has lost is forgotten; so is a game that was deleted, and another one of its id is another."""
    games = opened(client)
    known, _ = games.load_past(NAME, 0)
    whole = games.load_history(NAME)
    last = whole.entries[-1]
    stream, head = games.store.keys(NAME)[:2]
    client.xdel(stream, f"{last.version}-{last.count}")
    kept = whole.state_at(last.version - last.count)
    client.hset(head, mapping={"version": kept.game.version, "hash": kept.hash})
    past, _ = games.load_past(NAME, 0)
    assert past.head == kept
    assert past.lines(canonical, 0, 0, None) == lines_of(whole.events[: kept.game.version], 0, kept.game)
    client.delete(stream, head)
    with pytest.raises(NoSuchGame):
        games.load_past(NAME, 0)
    assert games._pasts.get(NAME) is None
    writer = open_games(client)
    writer.create(replace(new_game(NAME), server_seed=bytes(31) + b"x"))
    play(writer, NAME, Random(9), lambda game: game.version > 50)
    check(games, writer, Random(3))
    assert known.head.hash not in {games.load(NAME).hash, past.head.hash}


def test_a_changed_entry_is_never_served(client: Client) -> None:
    """A process that has proved the past serves it as it was; one that reads it afterwards refuses it."""
    games = opened(client)
    games.load_past(NAME, 0)
    whole = games.load_history(NAME)
    stream = games.store.stream(NAME)
    entries = client.xrange(stream)
    client.delete(stream)
    for index, (name, fields) in enumerate(entries):
        client.xadd(stream, fields | ({b"t": int(fields[b"t"]) + 1} if index == 3 else {}), name)
    past, _ = games.load_past(NAME, 5)
    assert past.lines(canonical, 1, 5, None) == lines_of(whole.events[5:], 1, whole.head.game)
    with pytest.raises(CorruptLog):
        open_games(client).load_past(NAME, 5)
    last = whole.entries[-1]
    client.xadd(stream, entries[3][1], f"{last.version + 1}-1")  # an entry that no append has written
    with pytest.raises(CorruptLog):
        games.load_past(NAME, 5)


def test_threads_read_while_the_game_goes_on(client: Client) -> None:
    """No thread finds a line of another viewer, or none at all, while others extend what it reads."""
    writer = opened(client)
    reader = open_games(client)
    faults: list[object] = []
    is_over = False

    def read(viewer: int | None) -> None:
        chance = Random(viewer)
        while not is_over:
            form = chance.choice(FORMS)
            past, _ = reader.load_past(NAME, 0, form=chance.choice([None, form]))
            head = past.head.game
            own = past.lines(form, viewer, 0, None)
            events = [orjson.loads(line) for line in own]
            faults.extend(event for event in events if redact_event(event, viewer, head) != event)
            if len(own) != head.version or past.state_at(7).game.version != 7:
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


@pytest.mark.parametrize("messages", [0, 200])
def test_it_weighs_no_more_than_it_says(messages: int) -> None:
    """With all that is ever remembered: states, both forms, and as many viewers as there may be."""
    history = with_messages(finished("heavy"), messages)
    gc.collect()
    tracemalloc.start()
    entries = [entry._replace(body=bytes(bytearray(entry.body))) for entry in history.entries]
    past = Past.of(replace(history, entries=entries), None)
    for version in range(1, past.head.game.version + 1):
        past.state_at(version)
    for form in FORMS:
        for viewer in (None, 0, 1):
            past.lines(form, viewer, 0, None)
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert past.weight / 3 < used < past.weight


def with_messages(history: History, messages: int) -> History:
    """The same game after so many messages at its end."""
    import fakeredis

    games = open_games(fakeredis.FakeRedis(server=fakeredis.FakeServer()))
    game = history.head.game.id
    assert import_game(games.store, history)
    for number in range(messages):
        games.handle(game, PostMessage(seat=0, text=f"{number} ".ljust(250, "x")))
    return games.load_history(game)


def past_of(game: str, events: int) -> Past:
    """A past that weighs as much as one of so many events."""
    head = LoadedGame(Game(id=game, version=events), b"", b"")
    history = finished("light")
    entries = [entry for entry in history.entries if entry.version <= events]
    return Past(head, (Stretch.of(EMPTY, entries, history.events[: entries[-1].version], b""),))


def test_the_cache_has_limits() -> None:
    """In games and in bytes; the past that was read longest ago is dropped, and one that is too heavy isn't kept."""
    one = past_of("a", 40)
    cache = PastCache(most_bytes=10**9, most_games=8)
    for number in range(20):
        cache.put(str(number), one)
        assert cache.get(str(number)) is one
    assert [number for number in range(20) if cache.get(str(number))] == [*range(14, 20)]
    cache = PastCache(most_bytes=12 * one.weight)
    for number in range(20):
        cache.put(str(number), one)
        assert cache.weight <= 3 * one.weight
    assert [number for number in range(20) if cache.get(str(number))] == [17, 18, 19]
    heavy = past_of("b", 200)
    assert heavy.weight > 3 * one.weight
    cache.put("b", heavy)
    assert cache.get("b") is None
    assert cache.weight == 3 * one.weight
    cache.forget("17")
    cache.forget("nowhere")
    assert cache.weight == 2 * one.weight


def test_a_scan_displaces_nothing_that_is_read_again() -> None:
    """A client that reads a thousand games once drops no past that was read twice."""
    one = past_of("a", 40)
    cache = PastCache(most_bytes=40 * one.weight)
    for number in range(9):
        cache.put(str(number), one)
        cache.get(str(number))
    for number in range(1000):
        if cache.get(f"scanned {number}") is None:
            cache.put(f"scanned {number}", one)
    assert all(cache.get(str(number)) is one for number in range(9))
    cache.put("3", past_of("a", 60))  # the game has gone on
    assert cache.get("3") is not one
