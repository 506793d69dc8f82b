"""The contract of the store and its script, on fakeredis, Valkey and Redis alike."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha1
from random import Random
from typing import Any

import pytest
import redis

from domain.refusals import Refused
from service.connections.clients import Client
from service.connections.raw import pack_commands
from service.connections.scripts import Script
from service.gamelog.store import commit as store_module
from service.gamelog.store.errors import CorruptLog, StoreUnavailable
from service.gamelog.store.feed import Feed
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import AppendRequest, Store
from tests.gamelog.ledger import SHARDS, ack_of, any_act, check_log, new_game, open_games
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE

HASH = b"check " + b"h" * 26
"""Begins as the checks of the entries below, so that each of them may be the last one."""
VERSION_CHECK = "(header[1] ~= version or header[2] ~= hash)"


def entry(version: int, count: int = 1, check: str = "") -> Entry:
    """An entry that ends at `version`; the store doesn't look into its body."""
    return Entry(version, count, 7, b'["x"]', (check or f"check {version:06}").encode())


def append(store: Store, one: Entry, game: str = "g", **more: Any) -> ReadReply | None:
    """Append to the game; what doesn't matter to a test is filled in."""
    previous = HASH if one.version > one.count else b""
    return store.append(
        AppendRequest(**{"previous": previous, "head_hash": HASH, "types": ["X"], **more}, game=game, entries=[one])
    )


def stored(store: Store, game: str = "g") -> list[bytes]:
    return [name for name, _ in store.client.xrange(store.stream(game))]


def key(store: Store, kind: str, game: str = "g") -> str:
    """The game's header (`head`) or idempotency keys (`keys`)."""
    return store.stream(game).replace(":game:", f":{kind}:")


# Appending


def test_an_entry_is_stored_as_designed(log_store: Store) -> None:
    """The id says version and number of events; the header has version and hash of the head."""
    assert append(log_store, entry(3, 3)) is None
    assert append(log_store, entry(5, 2)) is None
    (first, fields), (second, _) = log_store.client.xrange(log_store.stream("g"))
    assert (first, second) == (b"3-3", b"5-2")
    assert fields == {b"t": b"7", b"e": b'["x"]', b"c": b"check 000003"}
    assert log_store.client.hgetall(key(log_store, "head")) == {b"version": b"5", b"hash": HASH}


def test_reads_back_what_was_appended(log_store: Store) -> None:
    """Reading gives the entries after a version, the head's hash, and nothing for a game that isn't there."""
    for version in (3, 4, 6):
        append(log_store, entry(version, 3 if version == 3 else version - (3 if version == 4 else 4)))
    assert log_store.read("g") == ReadReply(HASH, b"", [entry(3, 3), entry(4, 1), entry(6, 2)])
    assert log_store.read("g", 3).entries == [entry(4, 1), entry(6, 2)]
    assert log_store.read("g", 5).entries == [entry(6, 2)]
    assert log_store.read("g", 6).entries == []
    assert log_store.read("other") == ReadReply(b"", b"", [])


@pytest.mark.parametrize(("version", "behind"), [(1, [3, 5]), (4, [5]), (5, [5]), (7, []), (99, [])])
def test_only_the_next_version_is_appended(log_store: Store, version: int, behind: list[int]) -> None:
    """Behind, ahead by one and far ahead are refused alike, with the entries after the expected version."""
    append(log_store, entry(3, 3))
    append(log_store, entry(5, 2))
    answer = append(log_store, entry(version, 1, "another one"))
    assert answer is not None
    assert [one.version for one in answer.entries] == behind
    assert answer.hash == HASH
    assert stored(log_store) == [b"3-3", b"5-2"]


def test_an_idempotency_key_works_once(log_store: Store) -> None:
    """A key is recorded with its entry; its next use appends nothing at whatever version, and brings the record."""
    append(log_store, entry(1), key=b"k", record=b"first")
    append(log_store, entry(2))
    for expected in (1, 2, 7):
        answer = append(log_store, entry(expected + 1, 1, "again"), key=b"k", record=b"second")
        assert answer is not None
        assert answer.record == b"first"
    assert log_store.read("g", 2, b"k") == ReadReply(HASH, b"first", [])
    assert log_store.read("g", 2, b"unknown").record == b""
    assert stored(log_store) == [b"1-1", b"2-1"]
    assert append(log_store, entry(1), "other", key=b"k", record=b"elsewhere") is None


def test_a_refused_request_leaves_its_key_free(log_store: Store) -> None:
    append(log_store, entry(1))
    append(log_store, entry(9), key=b"k", record=b"r")
    assert log_store.client.exists(key(log_store, "keys")) == 0
    assert append(log_store, entry(2), key=b"k", record=b"r") is None


def test_keys_expire_when_the_game_has_ended(log_store: Store) -> None:
    append(log_store, entry(1), key=b"k", record=b"r")
    assert log_store.client.ttl(key(log_store, "keys")) == -1
    append(log_store, entry(2), keys_expire_s=1000)
    assert 990 < log_store.client.ttl(key(log_store, "keys")) <= 1000
    assert log_store.client.ttl(log_store.stream("g")) == log_store.client.ttl(key(log_store, "head")) == -1


def test_the_due_list_follows_the_append(log_store: Store) -> None:
    """An append sets when a worker is due, moves it, or takes the game off the list; a conflict does nothing."""
    due = f"{log_store.tag('g')}:due"
    assert due in log_store.shard_keys("due")
    for version, due_at, expected in [(1, 5000, 5000), (2, 4000, 4000), (9, 1, 4000), (9, None, 4000), (3, None, None)]:
        append(log_store, entry(version), due=("due", due_at))
        assert log_store.client.zscore(due, "g") == expected


def test_scripts_among_commands(log_store: Store) -> None:
    """A server without the script gets its text. What is refused is raised."""
    client, key = log_store.client, f"{log_store.tag('g')}:count"
    add = Script.of("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    client.script_flush()
    assert log_store.call_each((add, [key], 1), ("EXISTS", key), (add, [key], 1)) == [
        1,
        0,
        2,
    ]  # run last where it lacks
    assert log_store.call_each((add, [key], 1), ("EXISTS", key), (add, [key], 1)) == [3, 1, 4]
    with pytest.raises(StoreUnavailable):
        log_store.call_each((add, [key], "x"))


def test_commands_are_packed_as_redis_py_packs_them() -> None:
    """To the byte: words of all types, of any length, several commands."""
    words = ("", "{s01}:game:\u00e4", "a b", 7, -1, 2**62, b"", b"\x00\r\n$1", b"x" * 20_000)
    for commands in ([("EVALSHA", "ab" * 20, 2, *words)], [("MULTI",), ("HMGET", *words), ("EXEC",)]):
        assert pack_commands(commands) == b"".join(redis.Connection().pack_commands(commands))


def test_shards_are_tags(log_store: Store) -> None:
    """All keys of a game lie on one shard, and every shard gets its games."""
    tags = {log_store.tag(f"game {number}") for number in range(100)}
    assert tags == {f"{{s{shard:02d}}}" for shard in range(SHARDS)}
    list(Feed(log_store, "post").rebuild_pages())
    others = {feed for feed in log_store.shard_keys("feed") if not feed.startswith(log_store.tag("g"))}
    append(log_store, entry(1), due=("due", 1), key=b"k", record=b"r")
    keys = {name.decode() for name in log_store.client.keys("*")} - others
    assert len(keys) == 5
    assert all(name.startswith(log_store.tag("g")) for name in keys)


# What no append can have written

SOUND = {"t": 1, "e": '["x"]', "c": "check"}


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([("5-5", {"foreign": "field"})], id="foreign-field"),
        pytest.param([("5-5", {"t": 1, "e": "[]"})], id="field-missing"),
        pytest.param([("5-5", {**SOUND, "t": "soon"})], id="time-no-number"),
        pytest.param([("1-1", {**SOUND, "e": '["created","g"'})], id="torn-body"),
        pytest.param([("1-1", {**SOUND, "e": b'["created\xff"]'})], id="broken-text"),
        pytest.param([("1-1", {**SOUND, "e": '"created"'})], id="no-list"),
        pytest.param([("1-1", {**SOUND, "e": "17"})], id="a-number"),
        pytest.param([("1-1", {**SOUND, "e": '["conquered",1]'})], id="unknown-type"),
        pytest.param([("1-1", {**SOUND, "e": '["draw",0]'})], id="impossible-event"),
        pytest.param([("1-1", {**SOUND, "e": '["created"]'})], id="fields-missing"),
        pytest.param([("2-1", SOUND)], id="gap"),
    ],
)
def test_foreign_entries_are_a_corrupt_log(log_store: Store, entries: list[tuple[str, dict[str, Any]]]) -> None:
    """An entry that no append can have written raises CorruptLog, and is never folded."""
    for name, fields in entries:
        log_store.client.xadd(log_store.stream("g"), fields, id=name)
    with pytest.raises(CorruptLog):
        open_games(log_store.client).load("g")


@pytest.mark.parametrize("name", ["6-2", "7-1", "6-0"])
def test_a_wrong_number_of_events_is_a_corrupt_log(log_store: Store, name: str) -> None:
    """An entry that holds more or fewer events than it says, or leaves a gap, is a corrupt log."""
    games = open_games(log_store.client)
    games.create(new_game("g"))
    assert stored(log_store) == [b"5-5"]
    log_store.client.xadd(log_store.stream("g"), {**SOUND, "e": '["draw",0]'}, id=name)
    for reader in (games, open_games(log_store.client)):
        with pytest.raises(CorruptLog):
            reader.load("g")


def test_another_games_stream_is_a_corrupt_log(log_store: Store) -> None:
    games = open_games(log_store.client)
    games.create(new_game("g"))
    for name, fields in log_store.client.xrange(log_store.stream("g")):
        log_store.client.xadd(log_store.stream("other"), fields, id=name)
    with pytest.raises(CorruptLog, match="other"):
        games.load("other")
    assert games.load("g").game.id == "g"


@pytest.mark.parametrize("kind", ["game", "head"])
def test_a_key_of_another_type_is_a_corrupt_log(log_store: Store, kind: str) -> None:
    """Where the stream or the header is a key of another type, reads and appends fail."""
    log_store.client.set(key(log_store, kind), "a string")
    games = open_games(log_store.client)
    with pytest.raises(CorruptLog):
        games.load("g")
    with pytest.raises(CorruptLog):
        games.create(new_game("g"))
    assert [name.decode() for name in log_store.client.keys("*")] == [key(log_store, kind)]


def test_a_stream_without_its_header_takes_no_entry(log_store: Store) -> None:
    append(log_store, entry(3, 3))
    log_store.client.delete(key(log_store, "head"))
    assert append(log_store, entry(4)) is not None
    assert append(log_store, entry(2, 2)) is not None
    assert stored(log_store) == [b"3-3"]
    assert log_store.client.exists(key(log_store, "head")) == 0


# Everything rests on the script's version check


@contextmanager
def without_the_version_check() -> Iterator[None]:
    whole = store_module._COMMIT.text
    assert whole.count(VERSION_CHECK) == 1
    with pytest.MonkeyPatch.context() as patch:
        broken = whole.replace(VERSION_CHECK, "false")
        patch.setattr(store_module, "_COMMIT", Script(broken, sha1(broken.encode()).hexdigest()))
        yield


def test_these_tests_notice_a_script_without_version_check(log_store: Store) -> None:
    """With the check taken out, a gap is appended, and the tests of the contract and of rivals both fail."""
    with without_the_version_check():
        with pytest.raises(AssertionError):
            test_only_the_next_version_is_appended(log_store, 7, [])
        with pytest.raises((AssertionError, CorruptLog, StoreUnavailable)):
            two_rivals(log_store.client, "rivals")
    two_rivals(log_store.client, "fair rivals")


def two_rivals(client: Client, game: str) -> None:
    """Two processes play one game, each from its cache; then the log is checked."""
    logs = [open_games(client), open_games(client)]
    acks = [ack_of(logs[0].create(new_game(game)))]
    chance = Random(1)
    for number in range(24):
        log = logs[number // 3 % 2]
        with suppress(Refused):  # by the rules, as its cache holds another player's turn
            acks.append(ack_of(log.handle(game, any_act(log.load_cached(game).game, chance))))
    assert len(acks) > 12
    state = check_log(logs[0].store, game, acks)
    assert state == logs[0].load(game).game == logs[1].load(game).game
