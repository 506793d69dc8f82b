"""Compaction of games that are finished or abandoned: the stream is replaced by one compressed archive.

Rule 1: only a sound log is compacted. One that contradicts itself is left unchanged, so that it can be examined.
Rule 2: the archive is durable before the stream is deleted; in the store both are one step. A process that crashes in
between has changed nothing that is read.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.integrity import check_integrity
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.archive import ArchivePlace, hash_mark, pack, unpack
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.streams import Store

GAPS: Final = ("read, not written", "written, not in its place", "in its place, the earlier one not deleted")
"""Every gap between two side effects: at each a process may crash, and in tests one does."""


class CompactionResult(NamedTuple):
    before: int
    """Bytes of its entries' events."""
    after: int
    """Bytes of its archive."""


def compact(  # noqa: PLR0913 - the rare one is a keyword
    store: Store,
    game: str,
    kind: str,
    quiet_since: int,
    between: Callable[[str], None] = lambda _gap: None,
    *,
    running_until: int | None = None,
) -> CompactionResult | None:
    """Archive a game that is over, and to which nothing was appended after `quiet_since`, in ms since 1970.

    `kind`: `store` or `files`. `running_until`: archive it also if it is running, and look at it again then, in ms
    since 1970; its archive goes to the store, whatever `kind` is, because it holds hidden cards. None if there is
    nothing to do: the game is running, isn't quiet, is archived there already, or has changed meanwhile. Raises
    CorruptLog and StoreUnavailable.
    """
    # Nothing of a game that is done is read again.
    header = store.header(game)
    present = header.place
    if present and present[:3] == (header.version, kind, hash_mark(header.hash)):
        return None
    reading = store.read(game)
    head = apply_entries(EMPTY, reading.entries, reading.hash)
    if not head.game.over:
        kind = "store"
    place = ArchivePlace(head.game.version, kind, hash_mark(reading.hash), reading.amendments.erasures)
    allowed = head.game.over or running_until is not None
    if not allowed or head.game.at > quiet_since or (reading.place and reading.place[:3] == place[:3]):
        return None
    if offence := check_integrity(store, game).offence:
        raise CorruptLog(f"the log of game {game} is damaged at version {offence.version}")
    archive = pack(reading.entries, reading.hash)
    if _without_checks(unpack(archive, place)) != _without_checks(reading.entries):
        raise CorruptLog(f"the log of game {game} can't be restored exactly from its archive")
    between(GAPS[0])
    if kind == "files":
        store.write_file(game, place, archive)
        between(GAPS[1])
    look_at = None if head.game.over else running_until
    done = store.compact(game, place, reading, archive if kind == "store" else b"", look_at)
    between(GAPS[2])
    if not done and store.place(game) != place:  # it has changed, so no header will point to this file
        store.delete_file(game, place)
        return None
    store.confirm(game)  # a replica that takes over must not point to a file that is gone
    if place.erasures:  # earlier files have the words; a later one may be just written by another process
        store.remove_files(game, lambda file: file != place and file.age <= place.age)
    elif reading.place:
        store.delete_file(game, reading.place)
    return CompactionResult(sum(len(entry.body) for entry in reading.entries), len(archive))


def _without_checks(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(check=b"") for entry in entries]
