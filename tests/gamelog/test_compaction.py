"""Finished games are compacted, on each kind of store: every reader finds what it found before, whatever happens."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from domain.commands import Act, Draw, PostMessage
from domain.refusals import Refused
from service.connections.clients import Client
from service.gamelog.archive.compaction import GAPS, compact
from service.gamelog.archive.retention import Retention
from service.gamelog.erasing import erase_words
from service.gamelog.history import decode_events
from service.gamelog.integrity import check_integrity
from service.gamelog.log import GameLog
from service.gamelog.store.errors import CorruptLog, StoreUnavailable
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.form.places import Folder
from service.gamelog.store.replies import ReadReply
from service.gamelog.store.streams import Store
from service.runtime.clock import now_ms
from tests.gamelog import ledger
from tests.gamelog.ledger import SHARDS, import_game, key_of, new_game
from tests.gamelog.ledger import finished as whole_game
from tests.gamelog.processes import Crash
from tests.support.samples import Sample, sampled
from tests.support.stores import EVERY_STORE
from tests.support.waiting import patience
from tests.support.words import find_words
from tests.support.world import new_log

STORES = EVERY_STORE

KINDS = ("store", "files")
LATER = 10**15
"""A time by which every game has been quiet for long."""
GAME = "archived"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def log_store(client: Client, folder: Path) -> Store:
    return Store(client, SHARDS, patience=patience(0.5), files=Folder(folder))


@pytest.fixture
def cold(log_store: Store) -> Callable[[], GameLog]:
    return lambda: new_log(log_store, retention=Retention(finished_ms=60_000))


@pytest.fixture
def finished(log_store: Store, cold: Callable[[], GameLog]) -> GameLog:
    """A log that has the finished game in its cache; the game was played once for all tests, and copied."""
    assert import_game(log_store, whole_game(GAME))
    games = cold()
    games.load(GAME)
    return games


def finish(games: GameLog) -> GameLog:
    games.create(new_game(GAME), key_of("created", {}))
    ledger.finish(games, GAME)
    return games


def kept(store: Store, after: int = 0) -> tuple[bytes, list[tuple[Any, ...]]]:
    """What a reader finds after a version, but for the entries' checks, which an archive doesn't hold."""
    reading = store.read(GAME, after)
    return reading.hash, [entry[:4] for entry in reading.entries]


def stream_of(store: Store) -> int:
    return int(store.client.xlen(store.stream(GAME)))


def key(store: Store, kind: str) -> str:
    return store.stream(GAME).replace(":game:", f":{kind}:")


@sampled(5, last=2)
@pytest.mark.parametrize("kind", KINDS)
def test_every_read_is_the_same_after_archiving(
    log_store: Store, finished: GameLog, kind: str, folder: Path, sample: Sample
) -> None:
    """Reads from every fifth version on (nightly: all) are the same; the stream is deleted."""
    head = finished.load(GAME).game.version
    before = [kept(log_store, after) for after in sample.of(range(head + 1))]
    events = check_integrity(log_store, GAME).events
    done = compact(log_store, GAME, kind, LATER)
    assert done is not None
    assert done.after < done.before / 4
    assert not log_store.client.exists(log_store.stream(GAME))
    assert bool(log_store.client.exists(key(log_store, "archive"))) == (kind == "store")
    assert len([*folder.glob("archived-*")]) == (kind == "files")
    assert [kept(log_store, after) for after in sample.of(range(head + 1))] == before
    found = check_integrity(log_store, GAME)
    assert (found.offence, found.events) == (None, events)
    assert log_store.ids() == [GAME]


@sampled(5, last=2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_tail_follows_the_archive(
    log_store: Store, finished: GameLog, cold: Callable[[], GameLog], kind: str, sample: Sample
) -> None:
    """A later message begins a tail; readers join both; the next archive holds all, and the tail is deleted."""
    assert compact(log_store, GAME, kind, LATER)
    end = finished.load(GAME).game.version
    finished.handle(GAME, PostMessage(seat=0, text="Well played!"))
    cold().handle(GAME, PostMessage(seat=1, text="Again?"))
    assert stream_of(log_store) == 2
    before = [kept(log_store, after) for after in sample.of(range(end + 3))]
    assert cold().load(GAME).game == finished.load(GAME).game
    assert cold().load(GAME).game.version == end + 2
    assert check_integrity(log_store, GAME).offence is None
    assert compact(log_store, GAME, kind, LATER)
    assert stream_of(log_store) == 0
    assert [kept(log_store, after) for after in sample.of(range(end + 3))] == before
    assert check_integrity(log_store, GAME).offence is None


def test_a_process_that_is_behind_catches_up(log_store: Store, finished: GameLog, cold: Callable[[], GameLog]) -> None:
    """A process with an earlier state in its cache succeeds or is refused as without archiving."""
    entries = log_store.read(GAME).entries
    behind = [cold() for _ in range(3)]
    for games in behind:
        games.load(GAME)
    middle = [entry for entry in entries if entry.version < 60]
    for games in behind:  # as it was in their cache when the game was at that version
        games._cache.forget(GAME)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(log_store, "read", lambda *_: parse_reply(middle))
            games.load(GAME)
        assert games.load_cached(GAME).game.version < 60
    compact(log_store, GAME, "store", LATER)
    with pytest.raises(Refused, match="over"):
        behind[0].handle(GAME, Act(seat=0, actions=(Draw(),)))
    behind[1].handle(GAME, PostMessage(seat=0, text="late"))
    assert behind[2].load(GAME).game == behind[1].load(GAME).game == cold().load(GAME).game


def parse_reply(entries: list[Entry]) -> Any:
    """What `read` answered when the game had these entries only."""
    return ReadReply(bytes.fromhex(decode_events(entries)[-1]["hash"]), b"", entries)


def test_games_that_are_not_archived(log_store: Store, cold: Callable[[], GameLog]) -> None:
    """Running games, games that aren't quiet, and those that are archived there already; no such game is no game."""
    games = cold()
    games.create(new_game(GAME))
    assert compact(log_store, GAME, "store", LATER) is None
    log_store.client.flushall()
    assert import_game(log_store, whole_game(GAME))
    head = cold().load(GAME)
    assert compact(log_store, GAME, "store", head.game.at - 1) is None
    assert compact(log_store, GAME, "store", head.game.at)
    assert compact(log_store, GAME, "store", LATER) is None
    assert compact(log_store, "nobody", "store", LATER) is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_archived_is_not_read_again(
    log_store: Store, finished: GameLog, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its header says so; a later message, or another place, makes it a game to archive."""
    assert compact(log_store, GAME, kind, LATER)
    with monkeypatch.context() as patch:
        patch.setattr(log_store, "read", None)
        assert compact(log_store, GAME, kind, LATER) is None
    finished.handle(GAME, PostMessage(seat=0, text="Thanks!"))
    assert compact(log_store, GAME, kind, LATER)


def test_archives_move_between_store_and_files(log_store: Store, finished: GameLog, folder: Path) -> None:
    """From the store into files and back, by the setting alone; nothing is left where it was."""
    before = kept(log_store)
    for kind in ("store", "files", "store"):
        assert compact(log_store, GAME, kind, LATER)
        assert kept(log_store) == before
        assert bool(log_store.client.exists(key(log_store, "archive"))) == (kind == "store")
        assert len([*folder.glob("archived-*")]) == (kind == "files")


@pytest.mark.parametrize("gap", [None, *GAPS])
def test_a_later_archive_removes_the_earlier_file(
    log_store: Store, finished: GameLog, folder: Path, gap: str | None
) -> None:
    """Once it is in its place; a crash leaves one file too many at most, and no reader misses one."""
    assert compact(log_store, GAME, "files", LATER)
    finished.handle(GAME, PostMessage(seat=0, text="Well played!"))
    before = kept(log_store)

    def die(at: str) -> None:
        if at == gap:
            raise Crash

    with suppress(Crash):
        compact(log_store, GAME, "files", LATER, die)
    assert kept(log_store) == before
    assert len([*folder.glob("archived-*")]) == (2 if gap in GAPS[1:] else 1)


def test_an_archive_that_comes_too_late_leaves_no_file(log_store: Store, finished: GameLog, folder: Path) -> None:
    """After a message, or after words were erased: then its file has a name of its own, and overwrites no other."""
    finished.handle(GAME, PostMessage(seat=0, text="my address is"))

    def rival(gap: str) -> None:
        if gap == GAPS[0]:
            assert erase_words(log_store, GAME, 0, now_ms)
            assert compact(log_store, GAME, "files", LATER)

    assert compact(log_store, GAME, "files", LATER, rival) is None
    place = log_store.place(GAME)
    assert place
    assert [path.name for path in folder.glob("archived-*")] == [place.file(GAME)]
    assert find_words(log_store.client, folder, "my address is") == []
    assert check_integrity(log_store, GAME).offence is None


def test_an_archiver_that_was_killed_leaves_no_word_for_good(log_store: Store, finished: GameLog, folder: Path) -> None:
    """It wrote the file after `forget` had looked for files; the next archive of the game removes it."""
    finished.handle(GAME, PostMessage(seat=0, text="my address is"))

    def die(gap: str) -> None:
        if gap == GAPS[0]:
            assert erase_words(log_store, GAME, 0, now_ms)
        else:
            raise Crash

    with pytest.raises(Crash):
        compact(log_store, GAME, "files", LATER, die)
    assert find_words(log_store.client, folder, "my address is")
    assert compact(log_store, GAME, "files", LATER)
    assert find_words(log_store.client, folder, "my address is") == []


@pytest.mark.parametrize("gap", GAPS[:2])
def test_a_process_that_crashes_changes_nothing(log_store: Store, finished: GameLog, gap: str, folder: Path) -> None:
    """After a crash at each gap readers find the stream, the next process archives it; no unfinished file is left."""
    before = kept(log_store)

    def die(at: str) -> None:
        if at == gap:
            raise Crash

    with pytest.raises(Crash):
        compact(log_store, GAME, "files", LATER, die)
    assert kept(log_store) == before
    assert log_store.place(GAME) is None
    assert compact(log_store, GAME, "files", LATER)
    assert kept(log_store) == before
    assert len([*folder.glob("archived-*")]) == 1
    assert not [*(folder / "unfinished").iterdir()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_during_archiving_cancels_it(log_store: Store, finished: GameLog, kind: str) -> None:
    """A message between the read and the write: the game isn't archived, and no entry is lost."""

    def say(gap: str) -> None:
        if gap == GAPS[0]:
            finished.handle(GAME, PostMessage(seat=1, text="wait"))

    assert compact(log_store, GAME, kind, LATER, say) is None
    assert log_store.place(GAME) is None
    assert log_store.read(GAME).entries[-1].version == finished.load(GAME).game.version


def test_words_that_are_erased_during_archiving_stay_erased(log_store: Store, finished: GameLog) -> None:
    """Version and hash are the same without them: the archive of the log that has them must not take its place."""
    finished.handle(GAME, PostMessage(seat=0, text="my address is"))
    erased: list[int] = []

    def erase(_gap: str) -> None:
        erased.append(erase_words(log_store, GAME, 0, now_ms))

    assert compact(log_store, GAME, "store", LATER, erase) is None
    assert erased[0] > 0
    assert b"my address is" not in b"".join(entry.body for entry in log_store.read(GAME).entries)


def test_a_reader_retries_when_the_archive_was_replaced(log_store: Store, finished: GameLog) -> None:
    """The archive is replaced just after the header said where it is."""
    compact(log_store, GAME, "store", LATER)
    finished.handle(GAME, PostMessage(seat=1, text="wait"))
    before = kept(log_store)
    archived, moves = log_store._read_archive, iter(("files", "store"))

    def moved(*arguments: Any) -> Any:
        for kind in moves:
            compact(Store(log_store.client, SHARDS, files=log_store._files), GAME, kind, LATER)
            break
        return archived(*arguments)

    log_store._read_archive = moved  # type: ignore[method-assign]
    assert kept(log_store) == before


# Damage


def flip_a_bit(store: Store) -> None:
    name = key(store, "archive")
    value = bytearray(store.client.get(name))
    value[len(value) // 2] ^= 1
    store.client.set(name, bytes(value))


DAMAGE: dict[str, Callable[[Store], object]] = {
    "content": flip_a_bit,
    "place": lambda store: store.client.hset(key(store, "head"), "archive", "12:nowhere:ab"),
    "lost": lambda store: store.client.delete(key(store, "archive")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_archive_is_reported(
    log_store: Store, finished: GameLog, cold: Callable[[], GameLog], damage: str
) -> None:
    """A read raises CorruptLog, and the inspection names the archive."""
    compact(log_store, GAME, "store", LATER)
    DAMAGE[damage](log_store)
    with pytest.raises(CorruptLog):
        cold().load(GAME)
    offence = check_integrity(log_store, GAME).offence
    assert offence is not None
    assert "archive" in offence.expected
    with pytest.raises(CorruptLog):
        compact(log_store, GAME, "files", LATER)


def test_a_damaged_log_is_not_archived(log_store: Store, finished: GameLog) -> None:
    log_store.client.hset(key(log_store, "head"), "hash", b"x" * 32)
    before = log_store.client.xrange(log_store.stream(GAME))
    with pytest.raises(CorruptLog):
        compact(log_store, GAME, "files", LATER)
    assert log_store.client.xrange(log_store.stream(GAME)) == before


def test_a_tail_that_does_not_continue_the_archive_is_named(log_store: Store, finished: GameLog) -> None:
    """The tail's own entries say which of them was changed."""
    compact(log_store, GAME, "store", LATER)
    end = finished.load(GAME).game.version
    for text in ("one", "two"):
        finished.handle(GAME, PostMessage(seat=0, text=text))
    entries = log_store.client.xrange(log_store.stream(GAME))
    log_store.client.delete(log_store.stream(GAME))
    for name, fields in entries:
        log_store.client.xadd(log_store.stream(GAME), fields | {b"e": fields[b"e"].replace(b"one", b"ONE")}, id=name)
    offence = check_integrity(log_store, GAME).offence
    assert offence is not None
    assert offence.version == end + 1


def test_unreadable_or_missing_archive_files(log_store: Store, finished: GameLog, folder: Path, client: Client) -> None:
    """An unreadable file is a damaged log; a missing or unconfigured place is an unavailable store."""
    before = kept(log_store)
    compact(log_store, GAME, "files", LATER)
    (file,) = folder.glob("archived-*")
    away = file.rename(folder / "away")
    with pytest.raises(CorruptLog):
        log_store.read(GAME)
    file.mkdir()
    with pytest.raises(CorruptLog):
        log_store.read(GAME)
    file.rmdir()
    away.rename(file)
    folder.rename(folder.with_name("not mounted"))
    with pytest.raises(StoreUnavailable):
        log_store.read(GAME)
    folder.with_name("not mounted").rename(folder)
    assert kept(log_store) == before
    with pytest.raises(StoreUnavailable):
        Store(client, SHARDS).read(GAME)
    assert log_store.read(GAME, finished.load(GAME).game.version).entries == []


def test_a_folder_that_cannot_be_written(client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = Store(client, SHARDS, files=Folder(tmp_path / "file" / "archive"))
    assert import_game(store, whole_game(GAME))
    before = kept(store)
    with pytest.raises(StoreUnavailable):
        compact(store, GAME, "files", LATER)
    assert kept(store) == before


# When


def test_a_game_is_due_when_it_has_been_quiet(log_store: Store, cold: Callable[[], GameLog]) -> None:
    """The end of the game sets the time, each message puts it off, and the archive ends it."""
    games = cold()
    games.create(new_game(GAME))
    quiet = f"{log_store.tag(GAME)}:quiet"
    assert log_store.client.zscore(quiet, GAME) is None
    log_store.client.flushall()
    games = finish(cold())
    assert log_store.client.zscore(quiet, GAME) == games.load(GAME).game.at + 60_000
    games.handle(GAME, PostMessage(seat=0, text="one more"))
    assert log_store.client.zscore(quiet, GAME) == games.load(GAME).game.at + 60_000
    compact(log_store, GAME, "store", now_ms())
    assert log_store.client.zscore(quiet, GAME) is None
