"""The events and earlier states of a game, from its entries, and the memory of events.

Rule 1: an entry keeps only the first bytes of its hash, so hashes are computed again along the chain. There is one walk
along it; readers and the integrity check use the same one.
Rule 2: a history holds what no viewer may see. Nothing here knows viewers; `domain/view.py` redacts for each of them.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash
from domain.state import Game
from service.gamelog.cache import EMPTY, LoadedGame, RecentGames, apply_entries
from service.gamelog.store.errors import CorruptLog, NoSuchVersion
from service.gamelog.store.form.codec import Row, apply_rows, decode_rows, fold_entries, hash_rows, payload_of_row
from service.gamelog.store.form.entry import Entry

_MOST_BYTES: Final = 32 << 20
"""Of all histories by their weights. A finished game without messages weighs about half a megabyte."""
_WEIGHT: Final = 20_000
"""Of a history in bytes, with the state at its head; `tests/gamelog/test_histories.py` measures that these suffice."""
_WEIGHT_OF_EVENT: Final = 1300
_WEIGHT_OF_ENTRY: Final = 900
_WEIGHT_OF_BYTE: Final = 8
"""Of a byte of a stored body: a message's text is in its event, too, where a character may take four."""
_UNREADABLE: Final = (AttributeError, LookupError, OSError, OverflowError, TypeError, ValueError)
"""What the parts of an entry raise that no append can have written."""


class Link(NamedTuple):
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
            at = created + entry.elapsed
            if not key:
                key, previous = _begin_chain(*payload_of_row(rows[0]))
                created = at
            version = entry.version - entry.count
            events, previous = hash_rows(rows, version=version, at=at, key=key, previous=previous)
        except _UNREADABLE as error:
            raise CorruptLog(f"the entry of version {entry.version} can't be read") from error
        yield Link(entry, events, previous)


def _begin_chain(kind: str, created: dict[str, Any]) -> tuple[bytes, bytes]:
    """The chain's key, and the hash before the first event, from the data of that event."""
    if kind != "GameCreated":
        raise CorruptLog(f"a game begins with {kind}")
    key = chain_key(bytes.fromhex(created["server_seed"]))
    return key, first_hash(key, created["game"])


def decode_events(entries: Iterable[Entry], start: LoadedGame = EMPTY) -> list[EventRecord]:
    """All events of the entries, as `walk` gives them. Raises CorruptLog."""
    return [event for link in walk(entries, start) for event in link.events]


def lead_to(last_hash: bytes, events: Sequence[EventRecord], start: LoadedGame) -> bool:
    return (bytes.fromhex(events[-1]["hash"]) if events else start.hash) == last_hash


@dataclass(frozen=True, slots=True)
class History:
    """All of a game up to its head, proved by its hash. Threads share it: it never changes."""

    head: LoadedGame
    entries: Sequence[Entry]
    events: list[EventRecord]
    """Unredacted."""
    weight: int = field(compare=False)
    """The most memory that it takes, in bytes."""

    @classmethod
    def of(cls, head: LoadedGame, entries: Sequence[Entry], events: list[EventRecord]) -> Self:
        return cls(head, entries, events, _WEIGHT + _weigh(entries))

    @classmethod
    def of_entries(cls, entries: Sequence[Entry]) -> Self:
        """The history of these entries, to whichever hash they lead. Raises CorruptLog."""
        events = decode_events(entries)
        return cls.of(apply_entries(EMPTY, entries, bytes.fromhex(events[-1]["hash"])), entries, events)

    def follow(self, entries: Sequence[Entry], events: Sequence[EventRecord], head: LoadedGame) -> "History":
        weight = self.weight + _weigh(entries)
        return History(head, [*self.entries, *entries], [*self.events, *events], weight)

    def state_at(self, version: int) -> LoadedGame:
        """The game at `version`; 0: before its first event. Raises NoSuchVersion and CorruptLog."""
        if version == self.head.game.version:
            return self.head
        if version == 0:
            return EMPTY
        if not 0 < version < self.head.game.version:
            raise NoSuchVersion(version)
        game = EMPTY.game.copy()
        # The last of these entries may hold events after the version.
        entries = self.entries[: bisect_left(self.entries, version, key=attrgetter("version")) + 1]
        fold_entries(game, entries, islice(_rows_of(entries), version))
        return LoadedGame(game, bytes.fromhex(self.events[version - 1]["hash"]), self.head.chain_key)

    def states_after(self, version: int) -> Iterator[Game]:
        """The game after each event that follows `version`, in one pass.

        It is the same object each time, changed by the next step: a caller that keeps it must copy it.
        """
        return islice(states(self.entries), version, None)


class HistoryCache(RecentGames[History]):
    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        super().__init__(most_bytes, attrgetter("weight"))

    def put(self, history: History) -> None:
        with self._lock:
            self._keep(history.head.game.id, history)


def states(entries: Sequence[Entry]) -> Iterator[Game]:
    """The game after each event of a whole game's entries, as `History.states_after` gives them."""
    game, rows = EMPTY.game.copy(), iter(_rows_of(entries))
    for entry in entries:
        at = game.created + entry.elapsed
        for row in islice(rows, entry.count):
            apply_rows(game, (row,), at)
            yield game


def _rows_of(entries: Iterable[Entry]) -> list[Row]:
    return decode_rows([entry.body for entry in entries])


def _weigh(entries: Iterable[Entry]) -> int:
    return sum(
        _WEIGHT_OF_ENTRY + entry.count * _WEIGHT_OF_EVENT + len(entry.body) * _WEIGHT_OF_BYTE for entry in entries
    )
