"""A proved part of a game's log in a compact form, from which states and encoded events are made.

Rule 1: a stretch is made of entries that were proved to lead to the game's head, and never changes. What it remembers
besides (states, encoded events) follows from these entries alone.
Rule 2: an event that some viewer may not see as it is stored is redacted for each viewer by `domain/view.py`. What that
gives is remembered by all that it depends on: event, form, viewer, and version and hash of the head.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Final, Self, TypeAlias

from domain.clock.timestamps import timestamp
from domain.events import EVENT_TABLE, EventRecord
from domain.state import Game
from domain.view import Viewer, redact_event
from service.gamelog.cache import LoadedGame
from service.gamelog.codec import decode_rows, fold_entries, payload_of_row
from service.gamelog.entry import Entry, entry_time

Encoder: TypeAlias = Callable[[EventRecord], bytes]
"""A form of events: a function of a module, since what it gives is remembered by it."""

STATE_ENTRIES: Final = 12
"""Entries from one remembered state to the next: so many at most are folded for a state, about 20 us."""
_MOST_VIEWERS: Final = 6
"""Viewers and forms whose redacted events are remembered; one more, and all are dropped."""
_HASH_BYTES: Final = 32
_WEIGHT: Final = 600
"""Of a stretch, in bytes, as the next three; `tests/gamelog/test_past.py` measures that none is too small."""
_WEIGHT_OF_EVENT: Final = 1400
_WEIGHT_OF_ENTRY: Final = 500
"""With its part of a state."""
_WEIGHT_OF_BYTE: Final = 3
"""Of a byte of a stored body: it is also in both forms."""


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """The entries that follow the state `start`, with the hashes of their events. Safe for threads."""

    start: LoadedGame
    entries: Sequence[Entry]
    hashes: bytes
    """32 bytes an event."""
    chain_key: bytes = field(repr=False)
    weight: int
    """The most memory that it ever takes, in bytes, without `start`."""
    _states: dict[int, Game] = field(default_factory=dict, repr=False)
    """By number of blocks of STATE_ENTRIES entries: the game after them."""
    _lines: dict[Encoder, list[bytes]] = field(default_factory=dict, repr=False)
    """By form: the events that all viewers see as they are stored; nothing in place of the others."""
    _hidden: dict[int, EventRecord] = field(default_factory=dict, repr=False)
    """The others by place, unredacted. Complete as soon as there is a form."""
    _redacted: dict[tuple[Encoder, Viewer, int, bytes], dict[int, bytes]] = field(default_factory=dict, repr=False)
    """The same redacted and encoded, by form, viewer, and version and hash of the head."""

    @classmethod
    def of(
        cls,
        start: LoadedGame,
        entries: Sequence[Entry],
        events: Sequence[EventRecord],
        chain_key: bytes,
        form: Encoder | None = None,
    ) -> Self:
        """The stretch of these entries, whose events are proved. `form`: one in which they will be asked for."""
        new = cls(start, entries, _join_hashes(events), chain_key, _WEIGHT + _weigh(entries))
        if form:
            new._remember(events, form)
        return new

    @property
    def begin(self) -> int:
        """The version before the first event."""
        return self.start.game.version

    @property
    def end(self) -> int:
        """The version of the last event."""
        return self.entries[-1].version

    def extend(self, entries: Sequence[Entry], events: Sequence[EventRecord]) -> "Stretch":
        """This stretch and the entries that follow it, whose events are proved, with all that is remembered of it."""
        lines = {encode: [*known, *_encode_public(events, encode)] for encode, known in list(self._lines.items())}
        # After `lines`: another thread may be making the first form just now.
        hidden = self._hidden | _find_hidden(events, self.end - self.begin)
        return Stretch(
            self.start,
            [*self.entries, *entries],
            self.hashes + _join_hashes(events),
            self.chain_key,
            self.weight + _weigh(entries),
            dict(self._states),
            lines,
            hidden if lines else {},
        )

    def state_at(self, version: int) -> LoadedGame:
        """The game at a version from `begin` to `end`. Raises CorruptLog."""
        if version == self.begin:
            return self.start
        last = bisect_left(self.entries, version, key=attrgetter("version"))
        blocks = last // STATE_ENTRIES
        game = self._state_after(blocks).copy()
        following = self.entries[blocks * STATE_ENTRIES : last + 1]
        rows = decode_rows([entry.body for entry in following])
        # The last entry may hold events behind the version.
        fold_entries(game, following, islice(rows, version - game.version))
        place = (version - self.begin) * _HASH_BYTES
        return LoadedGame(game, self.hashes[place - _HASH_BYTES : place], self.chain_key)

    def _state_after(self, blocks: int) -> Game:
        """The game after so many blocks of entries; it must not be changed."""
        known = next(number for number in range(blocks, -1, -1) if number == 0 or number in self._states)
        game = self._states[known] if known else self.start.game
        for number in range(known, blocks):
            game = game.copy()
            block = self.entries[number * STATE_ENTRIES : (number + 1) * STATE_ENTRIES]
            fold_entries(game, block, decode_rows([entry.body for entry in block]))
            self._states[number + 1] = game
        return game

    def lines(self, encode: Encoder, viewer: Viewer, head: LoadedGame, after: int, until: int) -> list[bytes]:
        """The events after version `after` up to `until`, encoded, as `viewer` may see them while the head is `head`.

        Both versions are from `begin` to `end`.
        """
        first, last = after - self.begin, until - self.begin
        lines = self._public_lines(encode)[first:last]
        redacted = self._redacted_lines(encode, viewer, head)
        for place, event in self._hidden.items():
            if first <= place < last:
                line = redacted.get(place)
                if line is None:
                    line = redacted[place] = _encode(redact_event(event, viewer, head.game), encode)
                lines[place - first] = line
        return lines

    def _public_lines(self, encode: Encoder) -> list[bytes]:
        lines = self._lines.get(encode)
        return self._remember(list(self._events()), encode) if lines is None else lines

    def _remember(self, events: Sequence[EventRecord], encode: Encoder) -> list[bytes]:
        self._hidden.update(_find_hidden(events))
        lines = self._lines[encode] = _encode_public(events, encode)
        return lines

    def _redacted_lines(self, encode: Encoder, viewer: Viewer, head: LoadedGame) -> dict[int, bytes]:
        key = encode, viewer, head.game.version, head.hash
        redacted = self._redacted.get(key)
        if redacted is None:
            if len(self._redacted) >= _MOST_VIEWERS:
                self._redacted.clear()
            redacted = self._redacted[key] = {}
        return redacted

    def _events(self) -> Iterator[EventRecord]:
        """All events, unredacted, from the entries and the hashes that were worked out once."""
        rows = iter(decode_rows([entry.body for entry in self.entries]))
        version, created = self.begin, self.start.game.created
        hashes = self.hashes.hex()
        for entry in self.entries:
            at = entry_time(entry, created)
            created = created or at  # the first entry of all is the creation
            moment = timestamp(at)
            for row in islice(rows, entry.count):
                kind, data = payload_of_row(row)
                place = 2 * _HASH_BYTES * (version - self.begin)
                version += 1
                own = hashes[place : place + 2 * _HASH_BYTES]
                yield {"version": version, "type": kind, "at": moment, "data": data, "hash": own}


def _weigh(entries: Iterable[Entry]) -> int:
    return sum(
        _WEIGHT_OF_ENTRY + entry.count * _WEIGHT_OF_EVENT + len(entry.body) * _WEIGHT_OF_BYTE for entry in entries
    )


def _is_hidden(event: EventRecord) -> bool:
    """Whether some viewer may see the event otherwise than it is stored."""
    return not EVENT_TABLE[event["type"]].public


def _find_hidden(events: Iterable[EventRecord], first: int = 0) -> dict[int, EventRecord]:
    return {place: event for place, event in enumerate(events, first) if _is_hidden(event)}


def _encode_public(events: Iterable[EventRecord], encode: Encoder) -> list[bytes]:
    return [b"" if _is_hidden(event) else _encode(event, encode) for event in events]


def _encode(event: EventRecord, encode: Encoder) -> bytes:
    """The event in a form, in memory of its length: what orjson returns may lie in 4 KB."""
    return memoryview(encode(event)).tobytes()


def _join_hashes(events: Iterable[EventRecord]) -> bytes:
    return bytes.fromhex("".join([event["hash"] for event in events]))
