"""Finished games made small: one compressed value in the place of a stream of entries.

Rule 1: only what is whole is put away. A log that contradicts itself stays as it lies, for whoever looks into it.
Rule 2: the archive is kept for good before the stream goes; in the store both are one step. Whoever dies in between has
changed nothing that anybody reads.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from service.gamelog.archive.format import ArchivePlace, hash_mark, pack, unpack
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog
from service.gamelog.integrity import check_integrity
from service.gamelog.store.streams import Store

GAPS: Final = ("read, not written", "written, not in its place")
"""Every gap between two side effects: where a process may die, and tests have it die."""


class CompactionResult(NamedTuple):
    """What became of a game."""

    before: int
    """Bytes of its entries' events."""
    after: int
    """Bytes of its archive."""


def compact(
    store: Store,
    game: str,
    kind: str,
    quiet_since: int,
    between: Callable[[str], None] = lambda _gap: None,
) -> CompactionResult | None:
    """Archive a game that is over, and to which nothing was added after `quiet_since`, in milliseconds since 1970.

    `kind`: `store` or `files`. None where there is nothing to do: the game runs, isn't quiet, is archived there
    already, or has gone on meanwhile. Raises CorruptLog, and StoreUnavailable.
    """
    there = store.place(game)
    reading = store.read(game)
    head = apply_entries(EMPTY, reading.entries, reading.hash)
    place = ArchivePlace(head.game.version, kind, hash_mark(reading.hash))
    if not head.game.over or head.game.at > quiet_since or there == place:
        return None
    found = check_integrity(store, game)
    if found.offence:
        raise CorruptLog(f"the log of game {game} is damaged at version {found.offence.version}")
    archive = pack(reading.entries, reading.hash)
    if _kept(unpack(archive, place)) != _kept(reading.entries):
        raise CorruptLog(f"the log of game {game} has no form as an archive")
    between(GAPS[0])
    if kind == "files":
        store.write_file(game, place, archive)
        between(GAPS[1])
    if not store.compact(game, place, reading.hash, archive if kind == "store" else b""):
        return None
    return CompactionResult(sum(len(entry.body) for entry in reading.entries), len(archive))


def _kept(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(check=b"") for entry in entries]
