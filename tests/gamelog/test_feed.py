"""The feed: every reader gets a line for every append, at least once, or learns that it must rebuild."""

from collections import defaultdict
from hashlib import sha1
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from domain.commands import PostMessage
from service.gamelog.entry import Entry
from service.gamelog.log import GameLog
from service.gamelog.store import streams
from service.gamelog.store.feed import Feed, FeedLine, PositionLost
from service.gamelog.store.scripts import Client, Script
from service.gamelog.store.streams import Append, Store, connect
from service.runtime.embedded import EmbeddedStore
from tests.gamelog.ledger import SHARDS, new_game
from tests.support.stores import Server, empty_client

LIMIT = 6
"""Lines of a shard's feed here; 20,000 in service."""
_LIMIT_LINE = "local MAX_LINES = 20000"


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that keeps few lines."""
    assert _LIMIT_LINE in streams._APPEND.text
    lower = streams._APPEND.text.replace(_LIMIT_LINE, f"local MAX_LINES = {LIMIT}")
    monkeypatch.setattr(streams, "_APPEND", Script(lower, sha1(lower.encode()).hexdigest()))


def append(store: Store, game: str, version: int, *types: str, expected: int | None = None) -> bool:
    """Append an entry of one event to a game; whether it was accepted."""
    before = version - 1 if expected is None else expected
    entry = Entry(version, version - before, 7, b'["x"]', b"check%04d" % version)
    previous = b"hash %d" % before if before else b""
    head = b"hash %d" % version
    new = Append(game=game, entries=[entry], previous=previous, head_hash=head, types=types or ("X",))
    return store.append(new) is None


def bring_in(store: Store, game: str, version: int, *types: str) -> bool:
    """Import a game of several entries; whether its id was free."""
    entries = [Entry(number, 1, 7, b'["x"]', b"import%03d" % number) for number in range(1, version + 1)]
    head = b"hash %d" % version
    return store.append(Append(game=game, entries=entries, head_hash=head, types=types or ("X",))) is None


def take(feed: Feed, count: int = 100) -> list[FeedLine]:
    """Read the next lines of all shards, and advance."""
    batches = feed.read(count)
    for batch in batches:
        feed.advance(batch)
    return [line for batch in batches for line in batch.lines]


def registered(store: Store, reader: str = "post") -> Feed:
    """A reader that has rebuilt."""
    feed = Feed(store, reader)
    list(feed.rebuild())
    return feed


def feed_lengths(store: Store) -> list[int]:
    """Lines by shard."""
    return [store.client.xlen(key) for key in store.shard_keys("feed")]


def test_without_readers_nothing_is_written(log_store: Store) -> None:
    """No feed appears, neither for an append nor for an import."""
    assert append(log_store, "g", 1)
    assert bring_in(log_store, "h", 3)
    assert not log_store.client.exists(*log_store.shard_keys("feed"))


def test_each_append_and_import_is_a_line(log_store: Store) -> None:
    """Game, version and types of the last entry; none for a conflict, a resend, or an import whose id is taken."""
    feed = registered(log_store)
    assert append(log_store, "g", 2, "A", "B", expected=0)
    assert append(log_store, "g", 2, "A", "B", expected=0)  # a resend of the same entry
    assert not append(log_store, "g", 9)
    assert bring_in(log_store, "h", 3, "C")
    assert not bring_in(log_store, "g", 3, "C")
    assert append(log_store, "g", 3, "D")
    lines = take(feed)
    assert [line for line in lines if line.game == "g"] == [FeedLine("g", 2, ("A", "B")), FeedLine("g", 3, ("D",))]
    assert [line for line in lines if line.game == "h"] == [FeedLine("h", 3, ("C",))]
    assert take(feed) == []


def test_a_message_is_a_line(games: GameLog) -> None:
    """Though it calls no worker."""
    games.create(new_game("talk"))
    feed = registered(games.store)
    version = games.handle("talk", PostMessage(seat=0, text="Hello")).head.version
    assert take(feed) == [FeedLine("talk", version, ("MessagePosted",))]


def test_a_new_reader_rebuilds_from_the_heads(log_store: Store) -> None:
    """A line for the present version of each game; then only what comes later."""
    for game, versions in {"a": 3, "b": 1, "c": 2}.items():
        for version in range(1, versions + 1):
            append(log_store, game, version)
    log_store.client.set("{s00}:head:", 1)
    log_store.client.set("{s01}:head:of another shard", 1)
    feed = Feed(log_store, "post")
    with pytest.raises(PositionLost):
        feed.read()
    assert sorted(feed.rebuild()) == [FeedLine("a", 3, ()), FeedLine("b", 1, ()), FeedLine("c", 2, ())]
    assert take(feed) == []
    assert list(feed.rebuild()) == []  # nothing is missing
    append(log_store, "b", 2)
    assert take(feed) == [FeedLine("b", 2, ("X",))]


def test_what_is_appended_during_a_rebuild_is_not_lost(log_store: Store) -> None:
    """Its line comes behind the rebuild, whether or not the rebuild has seen it."""
    append(log_store, "a", 1)
    append(log_store, "b", 1)
    feed = Feed(log_store, "post")
    lines = feed.rebuild()
    next(lines)
    for game in ("a", "b", "new"):
        append(log_store, game, 1 if game == "new" else 2)
    list(lines)
    assert {(line.game, line.version) for line in take(feed)} == {("a", 2), ("b", 2), ("new", 1)}


def test_a_rebuild_that_crashes_begins_again(log_store: Store) -> None:
    """The position is given at its end, and not before."""
    append(log_store, "a", 1)
    append(log_store, "b", 1)
    feed = Feed(log_store, "post")
    assert len(list(islice(feed.rebuild(), 1))) == 1
    append(log_store, "a", 2)
    with pytest.raises(PositionLost):
        feed.read()
    assert {line.game for line in feed.rebuild()} == {"a", "b"}
    assert take(feed) == [FeedLine("a", 2, ("X",))]  # appended since the first attempt


def test_lines_come_again_until_the_reader_advances(log_store: Store) -> None:
    """As after a crash between the two; and a batch that comes late moves nothing back."""
    feed = registered(log_store)
    registered(log_store, "slow")  # for whom all lines are kept
    for version in (1, 2, 3):
        append(log_store, "g", version)
    first, again = feed.read(1), feed.read(2)
    assert [line.version for line in first[0].lines] == [1]
    assert [line.version for line in again[0].lines] == [1, 2]
    feed.advance(again[0])
    feed.advance(first[0])
    assert [line.version for line in take(feed)] == [3]


def test_lines_are_kept_for_the_slowest_reader(log_store: Store) -> None:
    """And no longer; a reader that is forgotten needs none."""
    fast, slow = registered(log_store, "fast"), registered(log_store, "slow")
    for version in (1, 2, 3):
        append(log_store, "g", version)
    assert len(take(fast)) == 3
    assert sum(feed_lengths(log_store)) == 3
    slow.advance(slow.read(2)[0])
    assert sum(feed_lengths(log_store)) == 1
    slow.forget()
    assert sum(feed_lengths(log_store)) == 0
    append(log_store, "g", 4)
    assert take(fast) == [FeedLine("g", 4, ("X",))]
    fast.forget()
    assert not log_store.client.exists(*log_store.shard_keys("feed"))
    with pytest.raises(PositionLost):
        slow.read()


def test_a_lost_feed_is_noticed(log_store: Store) -> None:
    """By the next read and by an advance; only the games of that shard are rebuilt."""
    names = [f"game {number}" for number in range(20)]
    feed = registered(log_store)
    for name in names:
        append(log_store, name, 1)
    batches = feed.read()
    lost = log_store.tag(names[0])
    log_store.client.delete(f"{lost}:feed")
    with pytest.raises(PositionLost):
        feed.read()
    with pytest.raises(PositionLost):
        feed.advance(next(batch for batch in batches if names[0] in {line.game for line in batch.lines}))
    assert {line.game for line in feed.rebuild()} == {name for name in names if log_store.tag(name) == lost}
    assert {line.game for line in take(feed)} == {name for name in names if log_store.tag(name) != lost}


@pytest.mark.usefixtures("low_limit")
def test_a_reader_that_is_too_far_behind_loses_its_position(log_store: Store) -> None:
    """The others keep theirs, and the lines; the append goes on whatever happens to readers."""
    fast, dead = registered(log_store, "fast"), registered(log_store, "dead")
    for version in range(1, LIMIT + 1):
        append(log_store, "g", version)
    batch = dead.read(1)[0]
    assert len(take(fast)) == LIMIT
    append(log_store, "g", LIMIT + 1)
    assert feed_lengths(log_store)[batch.shard] == 1
    for call in (dead.read, lambda: dead.advance(batch)):
        with pytest.raises(PositionLost):
            call()
    assert take(fast) == [FeedLine("g", LIMIT + 1, ("X",))]
    for version in range(LIMIT + 2, 2 * LIMIT + 3):
        append(log_store, "g", version)
    assert feed_lengths(log_store)[batch.shard] == 0  # the last reader has lost its position, too
    assert list(fast.rebuild()) == [FeedLine("g", 2 * LIMIT + 2, ())]


@pytest.mark.parametrize("name", ["", "Post", "post:new", "a b", "x" * 33])
def test_names_of_readers(log_store: Store, name: str) -> None:
    """A name is short, and can't be the second name of another reader."""
    with pytest.raises(ValueError, match="can't name a reader"):
        Feed(log_store, name)


def test_positions_survive_a_restart(tmp_path: Path) -> None:
    """On the embedded store, with its log rewritten, of a feed with lines and of one without."""
    server = EmbeddedStore(tmp_path / "store")
    server.start()
    try:
        with connect(server.url) as client:
            store = Store(client, SHARDS)
            feed = registered(store)
            append(store, "g", 1)
            append(store, "g", 2)
            feed.advance(feed.read(1)[0])
            client.bgrewriteaof()
        server.stop()
        server.start()
        with connect(server.url) as client:
            store = Store(client, SHARDS)
            assert take(Feed(store, "post")) == [FeedLine("g", 2, ("X",))]
            append(store, "g", 3)
            assert take(Feed(store, "post")) == [FeedLine("g", 3, ("X",))]
    finally:
        server.stop()


READERS = ("ada", "bob", "cyd")
GAMES = ("a", "b", "c", "d", "e")
readers = st.sampled_from(READERS)
counts = st.integers(1, 5)


class FeedMachine(RuleBasedStateMachine):
    """Appends, imports and readers at their own speeds; processes crash, feeds are lost, limits are reached.

    The model has for each shard the lines ever written (`lines`), and for each reader its place among them, if it has
    one. A rebuild holds a place under a second name.
    """

    client: Client

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.store = Store(self.client, shards=2)
        self.heads: dict[str, int] = {}
        self.lines: dict[int, list[FeedLine]] = defaultdict(list)
        self.places: dict[int, dict[str, int]] = {0: {}, 1: {}}
        self.owed: dict[str, set[tuple[str, int]]] = defaultdict(set)
        """By reader: what it must see, unless it is told that its position is lost."""

    def shard(self, game: str) -> int:
        return self.store.shard_keys("x").index(f"{self.store.tag(game)}:x")

    def written(self, game: str, version: int, types: tuple[str, ...]) -> None:
        """A line in the model, if the shard has readers; with what that means for the slowest."""
        self.heads[game] = version
        shard = self.shard(game)
        places = self.places[shard]
        if not places:
            return
        self.lines[shard].append(FeedLine(game, version, types))
        for name in READERS:
            if name in places or f"{name}:new" in places:
                self.owed[name].add((game, version))
        while places and len(self.lines[shard]) - min(places.values()) > LIMIT:
            slowest = min(places.values())
            for name in [name for name, place in places.items() if place == slowest]:
                self.lose(shard, name)

    def lose(self, shard: int, name: str) -> None:
        """A place is gone: what was owed in this shard comes by a rebuild."""
        del self.places[shard][name]
        reader = name.partition(":")[0]
        self.owed[reader] = {one for one in self.owed[reader] if self.shard(one[0]) != shard}

    def lost(self, reader: str) -> list[int]:
        return [shard for shard, places in self.places.items() if reader not in places]

    @rule(game=st.sampled_from(GAMES), times=st.integers(1, 3))
    def append(self, game: str, times: int) -> None:
        for _ in range(times):
            version = self.heads.get(game, 0) + 1
            types = ("MessagePosted",) if version % 3 == 0 else ("A", "B")
            assert append(self.store, game, version, *types)
            self.written(game, version, types)

    @precondition(lambda self: len(self.heads) < len(GAMES))
    @rule(version=st.integers(1, 9))
    def bring_in(self, version: int) -> None:
        game = next(game for game in GAMES if game not in self.heads)
        assert bring_in(self.store, game, version)
        self.written(game, version, ("X",))

    @rule(reader=readers, count=counts, advances=st.integers(0, 2))
    def read(self, reader: str, count: int, advances: int) -> None:
        """The reader takes its next lines, and crashes before it has advanced in so many shards."""
        feed = Feed(self.store, reader)
        if self.lost(reader):
            with pytest.raises(PositionLost):
                feed.read(count)
            return
        batches = feed.read(count)
        expected = {shard: self.lines[shard][places[reader] :][:count] for shard, places in self.places.items()}
        assert {batch.shard: batch.lines for batch in batches} == {key: some for key, some in expected.items() if some}
        for batch in batches:
            self.owed[reader] -= {(line.game, line.version) for line in batch.lines}
        for batch in batches[:advances]:
            feed.advance(batch)
            self.places[batch.shard][reader] += len(batch.lines)

    @rule(reader=readers, count=counts, game=st.sampled_from(GAMES), times=st.integers(0, LIMIT + 1))
    def advance_late(self, reader: str, count: int, game: str, times: int) -> None:
        """Between read and advance others append, so much that the position may be lost."""
        if self.lost(reader):
            return
        feed = Feed(self.store, reader)
        batches = feed.read(count)
        if times:
            self.append(game, times)
        for batch in batches:
            if reader in self.places[batch.shard]:
                feed.advance(batch)
                self.owed[reader] -= {(line.game, line.version) for line in batch.lines}
                self.places[batch.shard][reader] += len(batch.lines)
            else:
                with pytest.raises(PositionLost):
                    feed.advance(batch)

    @rule(reader=readers, taken=st.integers(0, 3), crashes=st.booleans(), times=st.integers(0, LIMIT + 1))
    def rebuild(self, reader: str, taken: int, crashes: bool, times: int) -> None:
        """A rebuild with appends in its midst, which may crash there."""
        lost = self.lost(reader)
        heads = {game: version for game, version in self.heads.items() if self.shard(game) in lost}
        lines = Feed(self.store, reader).rebuild()
        seen = list(islice(lines, taken))
        if taken:  # begun
            self.pin(reader, lost)
            self.append("a", times) if times else None
            if crashes and len(seen) == taken:
                lines.close()
                return
        else:
            self.pin(reader, lost)
        seen += lines
        assert all(not line.types for line in seen)
        found = {line.game: line.version for line in seen}
        assert found.keys() >= heads.keys()
        assert all(found[game] >= version for game, version in heads.items())
        for shard in lost:
            place = self.places[shard].pop(f"{reader}:new", None)
            if place is not None:
                self.places[shard][reader] = place

    def pin(self, reader: str, shards: list[int]) -> None:
        """From now on lines are kept for the rebuild; as they were for one that has crashed."""
        for shard in shards:
            self.places[shard].setdefault(f"{reader}:new", len(self.lines[shard]))

    @rule(shard=st.integers(0, 1))
    def lose_feed(self, shard: int) -> None:
        self.client.delete(self.store.shard_keys("feed")[shard])
        for name in list(self.places[shard]):
            self.lose(shard, name)

    @rule(reader=readers)
    def forget(self, reader: str) -> None:
        Feed(self.store, reader).forget()
        for shard, places in self.places.items():
            for name in {reader, f"{reader}:new"} & places.keys():
                self.lose(shard, name)

    @invariant()
    def no_line_too_many(self) -> None:
        """A feed is as long as its slowest reader needs; it isn't there without readers."""
        for shard, places in self.places.items():
            key = self.store.shard_keys("feed")[shard]
            needed = len(self.lines[shard]) - min(places.values()) if places else 0
            assert self.client.xlen(key) == needed <= LIMIT
            assert self.client.exists(key) == bool(places)

    def teardown(self) -> None:
        """In the end every reader sees all that it is owed, and the last version of every game."""
        for reader in READERS:
            feed = Feed(self.store, reader)
            seen = {(line.game, line.version) for line in feed.rebuild()}
            while batch := take(feed, 2):
                seen |= {(line.game, line.version) for line in batch}
            assert seen >= self.owed[reader]
            feed.forget()
        assert not self.client.exists(*self.store.shard_keys("feed"))


@pytest.mark.usefixtures("low_limit")
def test_the_feed_against_its_model(server: Server) -> None:
    """Many histories on Valkey."""

    class RealFeedMachine(FeedMachine):
        client = empty_client("valkey", server)

    limits = settings(
        max_examples=60,
        stateful_step_count=30,
        derandomize=True,
        print_blob=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(RealFeedMachine, settings=limits)
