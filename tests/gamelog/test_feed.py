"""The feed: every reader gets a line for every append, at least once, or learns that it must rebuild."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.connections.clients import connect
from service.gamelog.store.feed import Feed, FeedLine, PositionLost
from service.gamelog.store.streams import Store
from tests.gamelog.feeds import append, import_game, rebuild, registered, take
from tests.gamelog.ledger import SHARDS
from tests.support.servers import running_store


def test_each_append_and_import_is_a_line(log_store: Store) -> None:
    """Game, version and types of the last entry; none for a conflict, a resend, or an import whose id is taken."""
    feed = registered(log_store)
    assert append(log_store, "g", 2, "A", "B", expected=0)
    assert append(log_store, "g", 2, "A", "B", expected=0)  # a resend of the same entry
    assert not append(log_store, "g", 9)
    assert import_game(log_store, "h", 3, "C")
    assert not import_game(log_store, "g", 3, "C")
    assert append(log_store, "g", 3, "D")
    lines = take(feed)
    assert [line for line in lines if line.game == "g"] == [FeedLine("g", 2, ("A", "B")), FeedLine("g", 3, ("D",))]
    assert [line for line in lines if line.game == "h"] == [FeedLine("h", 3, ("C",))]
    assert take(feed) == []


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
    assert sorted(rebuild(feed)) == [FeedLine("a", 3, ()), FeedLine("b", 1, ()), FeedLine("c", 2, ())]
    assert take(feed) == []
    assert list(rebuild(feed)) == []  # nothing is missing
    append(log_store, "b", 2)
    assert take(feed) == [FeedLine("b", 2, ("X",))]


def test_a_game_that_is_deleted_during_a_rebuild_has_no_line(log_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rebuild finds the headers first, and reads their versions then."""
    for game in ("deleted", "kept"):
        append(log_store, game, 1)
    scan = log_store.client.scan_iter

    def scan_before_deletion(**options: Any) -> Iterator[bytes]:
        found = list(scan(**options))
        log_store.client.delete(log_store.keys("deleted").head)
        yield from found

    monkeypatch.setattr(log_store.client, "scan_iter", scan_before_deletion)
    assert list(rebuild(Feed(log_store, "post"))) == [FeedLine("kept", 1, ())]


def test_lines_come_again_until_the_reader_advances(log_store: Store) -> None:
    """As after a crash between read and advance; a late advance never moves the position back."""
    feed = registered(log_store)
    registered(log_store, "slow")  # for whom all lines are kept
    for version in (1, 2, 3):
        append(log_store, "g", version)
    first, again = feed.read(1), feed.read(2)
    assert [line.version for line in first[0].lines] == [1]
    assert [line.version for line in again[0].lines] == [1, 2]
    feed.advance([again[0]])
    feed.advance([first[0]])
    assert [line.version for line in take(feed)] == [3]


def test_positions_survive_a_restart(tmp_path: Path) -> None:
    """On the embedded store, with its log rewritten, of a feed with lines and of one without."""
    with running_store(tmp_path / "store") as server:
        with connect(server.url) as client:
            store = Store(client, SHARDS)
            feed = registered(store)
            append(store, "g", 1)
            append(store, "g", 2)
            feed.advance([feed.read(1)[0]])
            client.bgrewriteaof()
        server.stop()
        server.start()
        with connect(server.url) as client:
            store = Store(client, SHARDS)
            assert take(Feed(store, "post")) == [FeedLine("g", 2, ("X",))]
            append(store, "g", 3)
            assert take(Feed(store, "post")) == [FeedLine("g", 3, ("X",))]
