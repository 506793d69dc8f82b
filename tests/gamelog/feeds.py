"""Appends, imports and readers for tests of the feed."""

from collections.abc import Generator
from hashlib import sha1

import pytest

from service.connections.scripts import Script
from service.gamelog.store import commit
from service.gamelog.store.feed import Feed, FeedLine
from service.gamelog.store.form.entry import CHECKED, Entry
from service.gamelog.store.streams import AppendRequest, Store

LIMIT = 6
"""Lines of a shard's feed here; 20,000 in service."""
_LIMIT_LINE = "local MAX_LINES = 20000"


def lower_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _LIMIT_LINE in commit._COMMIT.text
    lower = commit._COMMIT.text.replace(_LIMIT_LINE, f"local MAX_LINES = {LIMIT}")
    monkeypatch.setattr(commit, "_COMMIT", Script(lower, sha1(lower.encode()).hexdigest()))


def append(store: Store, game: str, version: int, *types: str, expected: int | None = None) -> bool:
    """Append an entry of one event to a game; whether it was accepted."""
    before = version - 1 if expected is None else expected
    entry = Entry(version, version - before, 7, b'["x"]', _hash(version)[:CHECKED])
    previous, head = _hash(before) if before else b"", _hash(version)
    new = AppendRequest(game=game, entries=[entry], previous=previous, head_hash=head, types=types or ("X",))
    return store.append(new) is None


def import_game(store: Store, game: str, version: int, *types: str) -> bool:
    """Import a game of several entries; whether its id was free."""
    entries = [Entry(number, 1, 7, b'["x"]', _hash(number)[:CHECKED]) for number in range(1, version + 1)]
    return (
        store.append(AppendRequest(game=game, entries=entries, head_hash=_hash(version), types=types or ("X",))) is None
    )


def _hash(version: int) -> bytes:
    return b"%05d, a hash" % version


def take(feed: Feed, count: int = 100) -> list[FeedLine]:
    batches = feed.read(count)
    for batch in batches:
        feed.advance([batch])
    return [line for batch in batches for line in batch.lines]


def rebuild(feed: Feed) -> Generator[FeedLine]:
    for page in feed.rebuild_pages():
        yield from page


def registered(store: Store, reader: str = "post") -> Feed:
    feed = Feed(store, reader)
    list(rebuild(feed))
    return feed
