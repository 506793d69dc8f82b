"""The feed against its model: any order of appends, imports, readers, crashes and losses."""

from collections import defaultdict
from itertools import islice

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from service.connections.clients import Client
from service.gamelog.store.feed import Feed, FeedLine, PositionLost
from service.gamelog.store.streams import Store
from tests.gamelog.feeds import LIMIT, append, import_game, lower_limit, rebuild, take
from tests.support.profiles import examples
from tests.support.stores import Server, empty_client

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
        """By reader: what it must see, unless it learns that its position is lost."""

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
        """A position is lost: the missing versions of this shard come by a rebuild."""
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
    def import_game(self, version: int) -> None:
        game = next(game for game in GAMES if game not in self.heads)
        assert import_game(self.store, game, version)
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
            feed.advance([batch])
            self.places[batch.shard][reader] += len(batch.lines)

    @rule(reader=readers, count=counts, game=st.sampled_from(GAMES), times=st.integers(0, LIMIT + 1))
    def advance_late(self, reader: str, count: int, game: str, times: int) -> None:
        """Between read and advance other processes append so much that the position may be lost."""
        if self.lost(reader):
            return
        feed = Feed(self.store, reader)
        batches = feed.read(count)
        if times:
            self.append(game, times)
        for batch in batches:
            if reader in self.places[batch.shard]:
                feed.advance([batch])
                self.owed[reader] -= {(line.game, line.version) for line in batch.lines}
                self.places[batch.shard][reader] += len(batch.lines)
            else:
                with pytest.raises(PositionLost):
                    feed.advance([batch])

    @rule(reader=readers, taken=st.integers(0, 3), crashes=st.booleans(), times=st.integers(0, LIMIT + 1))
    def rebuild(self, reader: str, taken: int, crashes: bool, times: int) -> None:
        """A rebuild with appends in its midst, which may crash there."""
        lost = self.lost(reader)
        heads = {game: version for game, version in self.heads.items() if self.shard(game) in lost}
        lines = rebuild(Feed(self.store, reader))
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
        assert {self.shard(game) for game in found} <= {*lost}
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
            seen = {(line.game, line.version) for line in rebuild(feed)}
            while batch := take(feed, 2):
                seen |= {(line.game, line.version) for line in batch}
            assert seen >= self.owed[reader]


def test_the_feed_against_its_model(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    lower_limit(monkeypatch)

    class RealFeedMachine(FeedMachine):
        client = empty_client("valkey", server)

    run_state_machine_as_test(RealFeedMachine, settings=settings(examples(0.6), stateful_step_count=30))
