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

CHECKPOINT_EVENTS: Final = 128
"""Events from one checkpoint to the next, at least: so many more than were asked for may have to be hashed."""
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


def lead_to(last_hash: bytes, events: Sequence[EventRecord], start: LoadedGame) -> bool:
    """Whether the chain leads from `start` over the events that follow it to `last_hash`."""
    return (bytes.fromhex(events[-1]["hash"]) if events else start.hash) == last_hash


@dataclass(frozen=True, slots=True)
class History:
    """A game from the state `start` on, to its head or some version before: the entries and the events in them."""

    head: LoadedGame
    entries: Sequence[Entry]
    events: list[EventRecord]
    """Unredacted."""
    start: LoadedGame = EMPTY

    def events_between(self, after: int, until: int | None = None) -> list[EventRecord]:
        """The events after version `after` up to `until`, as far as the history has them."""
        first = self.start.game.version
        return self.events[after - first : None if until is None else until - first]

    def state_at(self, version: int) -> LoadedGame:
        """The game at `version`; 0: before its first event. Raises NoSuchVersion and CorruptLog."""
        if version == self.head.game.version:
            return self.head
        return state_at(self.entries, version, self.events, self.start)

    def states_after(self, version: int) -> Iterator[Game]:
        """The game after each event that follows `version`, in one pass.

        It is the same object each time, changed by the next step: a caller that keeps it must copy it.
        """
        return islice(states(self.entries, self.start), version - self.start.game.version, None)


def checkpoints_in(entries: Sequence[Entry], events: Sequence[EventRecord], start: LoadedGame) -> list[LoadedGame]:
    """States from which the past can be read without what precedes them: about one for every CHECKPOINT_EVENTS.

    Each stands at the end of an entry. `events`: those of the entries, which follow `start`. Raises CorruptLog.
    """
    found: list[LoadedGame] = []
    last, first = start, 0
    for number, entry in enumerate(entries, 1):
        if entry.version - last.game.version >= CHECKPOINT_EVENTS:
            last_hash = bytes.fromhex(events[entry.version - start.game.version - 1]["hash"])
            last, first = apply_entries(last, entries[first:number], last_hash), number
            found.append(last)
    return found


def states(entries: Sequence[Entry], start: LoadedGame = EMPTY) -> Iterator[Game]:
    """The game after each event of the entries, which follow `start`, as `History.states_after` gives them."""
    game = start.game.copy()
    rows = iter(decode_rows([entry.body for entry in entries]))
    for entry in entries:
        at = entry_time(entry, game.created)
        for row in islice(rows, entry.count):
            apply_rows(game, (row,), at)
            yield game


def state_at(
    entries: Sequence[Entry], version: int, events: Sequence[EventRecord] | None = None, start: LoadedGame = EMPTY
) -> LoadedGame:
    """The game at `version`, from the entries that follow `start`. Raises NoSuchVersion and CorruptLog.

    `events`: those of the entries, where the caller has read them already.
    """
    if version == start.game.version:
        return start
    before = [entry for entry in entries if entry.version < version]
    if len(before) == len(entries) or version < start.game.version:
        raise NoSuchVersion(version)
    # The version is at the end of the next entry, or within it.
    entry = entries[len(before)]
    so_far = [*before, entry]
    event = (events or decode_events(so_far, start))[version - start.game.version - 1]
    loaded = apply_entries(start, so_far, bytes.fromhex(event["hash"]))
    if loaded.game.version == version:
        return loaded
    game = apply_entries(start, before, b"").game.copy()
    apply_rows(game, decode_rows([entry.body])[: version - game.version], entry_time(entry, game.created))
    return LoadedGame(game, loaded.hash, loaded.chain_key)
