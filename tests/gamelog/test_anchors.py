"""Anchors prove the past of a game with many messages, and are never more than a proof."""

from random import Random
from typing import Any

import pytest

from domain.commands import PostMessage
from domain.events import EventRecord
from service.connections.clients import Client
from service.gamelog import anchors, history
from service.gamelog.anchors import Anchor, read_anchors
from service.gamelog.archive.compaction import compact
from service.gamelog.audit.integrity import check_integrity
from service.gamelog.errors import CorruptLog
from service.gamelog.history import History
from service.gamelog.log import GameLog
from tests.gamelog.ledger import new_game, open_games, play
from tests.support.counting import CountingClient

NAME = "g"
EVERY = 5
"""Messages from one anchor to the next, here."""


@pytest.fixture(autouse=True)
def close_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anchors after a few messages, checkpoints after a few events."""
    monkeypatch.setattr(anchors, "ANCHOR_MESSAGES", EVERY)
    for module in (anchors, history):
        monkeypatch.setattr(module, "CHECKPOINT_EVENTS", 12)
    monkeypatch.setattr(anchors, "LONG_STRETCH", 30)


@pytest.fixture
def whole(client: Client) -> History:
    """A running game with 60 messages among its actions, some of them with letters of more than a byte, or escaped."""
    games = open_games(client)
    games.create(new_game(NAME))
    chance = Random(4)
    for number in range(60):
        if number % 3 == 0:
            until = games.load(NAME).game.version + 4
            play(games, NAME, chance, lambda game, until=until: game.version >= until)
        games.handle(
            NAME, PostMessage(seat=number % 2, text=chance.choice(["hello", "schöne Grüße", 'a "b"\\\n', "🂡"]))
        )
    return games.load_history(NAME)


def header(client: Client) -> tuple[Client, str]:
    """The store and the name of the game's header."""
    return client, open_games(client).store.keys(NAME).head


def anchors_of(client: Client) -> list[Anchor]:
    """Those that the header keeps."""
    return read_anchors(client.hget(header(client)[1], "anchors"))


def reads(games: GameLog, whole: History) -> list[list[EventRecord]]:
    """Pages from every seventh version on, each read with an empty cache, with the state before it."""
    pages = []
    for after in range(0, len(whole.events), 7):
        games._cache = type(games._cache)()
        past = games.load_history(NAME, after, after + 7)
        assert past.head == whole.head
        assert past.state_at(after) == whole.state_at(after)
        pages.append(past.events_between(after, after + 7))
    return pages


def test_anchors_are_the_states_there(client: Client, whole: History) -> None:
    """One for every few messages, each with hash and number of bytes; a game without messages has none."""
    found = anchors_of(client)
    assert len(found) == 60 // EVERY
    for number, anchor in enumerate(found, 1):
        state = whole.state_at(anchor.version)
        assert state.game.messages == number * EVERY
        assert (anchor.hash, anchor.message_bytes) == (state.hash, state.game.message_bytes)
    open_games(client).create(new_game("silent"))
    assert client.hget(open_games(client).store.keys("silent").head, "anchors") is None


@pytest.mark.parametrize("archived", [False, True])
def test_a_cold_read_hashes_only_what_lies_between(client: Client, whole: History, *, archived: bool) -> None:
    """The same events, states and head as those of the whole, from a few entries, in one trip (two for an archive)."""
    counting = CountingClient(client)
    games = open_games(counting)
    if archived:
        assert compact(games.store, NAME, "store", 2**62, running_until=2**62)
    assert [event for page in reads(games, whole) for event in page] == whole.events
    games._cache = type(games._cache)()
    counting.trips = 0
    middle = len(whole.events) // 2
    past = games.load_history(NAME, middle, middle + 7)
    assert counting.trips == 1 + archived
    assert len(past.events) < 7 + 2 * 15
    assert len(games._cache.list_states(NAME)) > 5
    known = games._cache.list_states(NAME)[1:]
    assert [state.game for state in known] == [whole.state_at(state.game.version).game for state in known]


def test_a_process_that_is_behind_uses_anchors(client: Client, whole: History) -> None:
    """Those behind the game that it knows, too."""
    games = open_games(client)
    games._cache.put(whole.state_at(whole.entries[20].version))
    past = games.load_history(NAME, len(whole.events) - 20, len(whole.events) - 10)
    assert past.head == whole.head
    assert len(past.events) < 10 + 2 * 15
    assert past.events == whole.events[past.start.game.version :][: len(past.events)]


def broken_anchors(found: list[Anchor]) -> dict[str, bytes]:
    """Fields that prove nothing, or something else."""

    def field(change: dict[str, Any]) -> bytes:
        return b"".join(anchors._FORM.pack(*anchor._replace(**change)) for anchor in found)

    whole = field({})
    return {
        "no digest": field({"digest": bytes(8)}),
        "no hash": field({"hash": bytes(32)}),
        "another number of bytes": field({"message_bytes": 7}),
        "versions within entries or beyond the end": field({"version": 3}) + field({"version": 4000}),
        "cut": whole[:-1],
        "reversed": b"".join(anchors._FORM.pack(*anchor) for anchor in reversed(found)),
    }


def test_a_wrong_anchor_costs_time_only(client: Client, whole: History) -> None:
    """Whatever the header says, what is served is the same; the audit names what isn't an event's hash."""
    store, head = header(client)
    assert check_integrity(open_games(client).store, NAME).offence is None
    for name, field in broken_anchors(anchors_of(client)).items():
        store.hset(head, "anchors", field)
        assert [event for page in reads(open_games(client), whole) for event in page] == whole.events, name
        offence = check_integrity(open_games(client).store, NAME).offence
        assert (offence is None) == (name in ("no digest", "another number of bytes", "reversed")), name
    store.hdel(head, "anchors")  # as if all of the messages came through a process that knows no anchors
    assert [event for page in reads(open_games(client), whole) for event in page] == whole.events


def test_damage_outside_of_the_stretch_is_noticed(client: Client, whole: History) -> None:
    """An earlier state is proved, though the entries before its anchor are not hashed."""
    store, stream = client, open_games(client).store.stream(NAME)
    middle = len(whole.events) // 2
    sound = store.xrange(stream)
    unread = next(entry for entry in whole.entries if entry.version > 40 and entry.body.startswith(b'["said"'))
    damaged = {
        "a name": [(place, fields | {b"e": fields[b"e"].replace(b"player 0", b"player 9")}) for place, fields in sound],
        "a message": [(place, fields) for place, fields in sound if int(place.partition(b"-")[0]) != unread.version],
    }
    for name, entries in damaged.items():
        assert entries != sound, name
        store.delete(stream)
        for place, fields in entries:
            store.xadd(stream, fields, place)
        with pytest.raises(CorruptLog):
            open_games(client).load_history(NAME, middle, middle)


def test_an_imported_game_gets_anchors(client: Client, whole: History) -> None:
    """All of them in its one append."""
    found = anchors_of(client)
    games = open_games(client)
    assert games.store.delete(NAME, whole.head.game.version, whole.head.hash)
    assert client.hget(header(client)[1], "anchors") is None
    games.import_game(whole)
    assert anchors_of(client) == found
