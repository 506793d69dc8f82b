"""The events and earlier states of a game, from its entries.

Rule: an entry keeps only the first bytes of its hash, so hashes are computed again along the chain. There is one walk
along it; readers, the integrity check and the import use the same one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash
from domain.state import Game
from service.gamelog.cache import EMPTY, LoadedGame, apply_entries
from service.gamelog.codec import apply_rows, decode_rows, hash_rows, payload_of_row
from service.gamelog.entry import Entry, entry_time
from service.gamelog.errors import CorruptLog, NoSuchVersion

_UNREADABLE: Final = (AttributeError, LookupError, OSError, OverflowError, TypeError, ValueError)
"""What the parts of an entry raise that no append can have written."""


class Link(NamedTuple):
    """One entry as a link of the chain."""

    entry: Entry
    events: list[EventRecord]
    """Unredacted: {"version", "type", "at", "data", "hash"}."""
    hash: bytes
    """Of the last event."""


def walk(entries: Iterable[Entry], start: LoadedGame = EMPTY) -> Iterator[Link]:
    """Each entry with its events and hash; the entries follow `start`, or begin with the game's first event.

    Entries are consumed one at a time. Raises CorruptLog at the first that can't be read.
    """
    key, previous, created = start.chain_key, start.hash, start.game.created
    for entry in entries:
        try:
            rows = decode_rows([entry.body])
            at = entry_time(entry, created)
            if not key:
                key, previous = _begin_chain(*payload_of_row(rows[0]))
                created = at
            version = entry.version - entry.count
            events, previous = hash_rows(rows, version=version, at=at, key=key, previous=previous)
        except _UNREADABLE as error:
            raise CorruptLog(f"the entry of version {entry.version} can't be read") from error
        yield Link(entry, events, previous)


def _begin_chain(kind: str, created: dict[str, Any]) -> tuple[bytes, bytes]:
    """The chain's key, and the hash that stands before the first event, from the data of that event."""
    if kind != "GameCreated":
        raise CorruptLog(f"a game begins with {kind}")
    key = chain_key(bytes.fromhex(created["server_seed"]))
    return key, first_hash(key, created["game"])


def decode_events(entries: Iterable[Entry], start: LoadedGame = EMPTY) -> list[EventRecord]:
    """All events of the entries, as `walk` gives them. Raises CorruptLog."""
    return [event for link in walk(entries, start) for event in link.events]


def leads_to(head_hash: bytes, entries: Sequence[Entry], start: LoadedGame) -> bool:
    """Whether the chain leads from `start` over the entries to `head_hash`. Raises CorruptLog."""
    last_hash = start.hash
    for link in walk(entries, start):
        last_hash = link.hash
    return last_hash == head_hash


@dataclass(frozen=True, slots=True)
class History:
    """A whole game: its entries, the events in them, and the state at the last one."""

    head: LoadedGame
    entries: Sequence[Entry]
    events: list[EventRecord]
    """All of them, unredacted; the last one has the hash of `head`."""

    def state_at(self, version: int) -> LoadedGame:
        """The game at `version`; 0: before its first event. Raises NoSuchVersion and CorruptLog."""
        return self.head if version == self.head.game.version else state_at(self.entries, version, self.events)

    def states(self) -> Iterator[Game]:
        """The game after each of its events, as the function `states` gives them."""
        return states(self.entries)


def states(entries: Sequence[Entry]) -> Iterator[Game]:
    """The game after each of its events, in one pass.

    It is the same object each time, changed by the next step: a caller that keeps it must copy it.
    """
    game = Game()
    rows = iter(decode_rows([entry.body for entry in entries]))
    for entry in entries:
        at = entry_time(entry, game.created)
        for row in islice(rows, entry.count):
            apply_rows(game, (row,), at)
            yield game


def state_at(entries: Sequence[Entry], version: int, events: Sequence[EventRecord] | None = None) -> LoadedGame:
    """The game at `version` (0: before its first event), from all its entries. Raises NoSuchVersion and CorruptLog.

    `events`: those of the entries, where the caller has read them already.
    """
    if not version:
        return EMPTY
    before = [entry for entry in entries if entry.version < version]
    if len(before) == len(entries):
        raise NoSuchVersion(version)
    # The version is at the end of the next entry, or within it.
    entry = entries[len(before)]
    so_far = [*before, entry]
    head_hash = bytes.fromhex((events or decode_events(so_far))[version - 1]["hash"])
    loaded = apply_entries(EMPTY, so_far, head_hash)
    if loaded.game.version == version:
        return loaded
    game = apply_entries(EMPTY, before, b"").game.copy()
    apply_rows(game, decode_rows([entry.body])[: version - game.version], entry_time(entry, game.created))
    return LoadedGame(game, head_hash, loaded.chain_key)
