"""A notice board in memory that the processes of one machine share: the last entry that each game got.

The players of a game reach different web processes in turn. Without the board each would find its warm game one entry
behind, and pay a conflict, a second trip to the store, for every action; with it the entry is read off the board.

Only what the store has acknowledged is put up. A notice that is torn, overwritten or missing costs no more than that
conflict: the append alone decides.
"""

import mmap
import os
import struct
import time
from pathlib import Path
from zlib import crc32

from service.gamelog.cache import LoadedGame, apply_entries
from service.gamelog.entry import Entry

_PLACES = 2048
_SIZE = 512
_HEAD = struct.Struct("<24sIHQ32s9sH")
"""Game, version, events, elapsed ms, hash of the last event, the entry's check, length of the body behind it."""
_LONGEST_ID = 24
"""Bytes."""
_SUM = struct.Struct("<I")
"""Checksum of all that follows; it comes first."""
_VERSION = struct.Struct("<IH")
_VERSION_AT = _SUM.size + _LONGEST_ID
"""Where version and number of events stand in a notice."""
_MOMENT = struct.Struct("<q")
_STIRRED_AT = _PLACES * _SIZE
"""Behind the notices: when somebody acted last, in nanoseconds of the machine's monotonic clock."""


class SharedCache:
    """Notices of the last entries, each game in a place found by hash; a later game may take it over."""

    def __init__(self, path: Path | None) -> None:
        """`path`: the file that is shared; None for this process alone."""
        size = _PLACES * _SIZE + _MOMENT.size
        if path is None:
            self._memory = mmap.mmap(-1, size)
            return
        with path.open("a+b") as file:
            os.truncate(file.fileno(), size)
            self._memory = mmap.mmap(file.fileno(), size)

    def mark_activity(self) -> None:
        """Say that somebody acts now: what isn't urgent can wait for a moment."""
        _MOMENT.pack_into(self._memory, _STIRRED_AT, time.monotonic_ns())

    def seconds_since_activity(self) -> float:
        """Seconds since somebody acted, in any process of this machine."""
        (moment,) = _MOMENT.unpack_from(self._memory, _STIRRED_AT)
        return float((time.monotonic_ns() - moment) / 1e9)

    def publish(self, game: str, entry: Entry, head_hash: bytes) -> None:
        """Tell the other processes of an entry that the store has acknowledged. One that is too long is left out.

        So is a game of an id longer than those given here, as an import may bring in: it would pass for another's.
        """
        length = _SUM.size + _HEAD.size + len(entry.body)
        if length > _SIZE or len(game.encode()) > _LONGEST_ID:
            return
        version, count, elapsed, body, check = entry
        notice = _HEAD.pack(game.encode(), version, count, elapsed, head_hash, check, len(body)) + body
        place = _place(game)
        self._memory[place : place + length] = _SUM.pack(crc32(notice)) + notice

    def newer(self, loaded: LoadedGame) -> LoadedGame:
        """The game after the entry on the board, if that is the very next one; otherwise as it is."""
        game = loaded.game
        place = _place(game.id)
        version, count = _VERSION.unpack_from(self._memory, place + _VERSION_AT)
        if version - count != game.version or not count:  # nearly always: spares a copy
            return loaded
        # One copy is both checked and used: another process may write here between two looks.
        copy = self._memory[place : place + _SIZE]
        name, version, count, elapsed, head_hash, check, length = _HEAD.unpack_from(copy, _SUM.size)
        begin = _SUM.size + _HEAD.size
        if (
            name.rstrip(b"\0") != game.id.encode()
            or version - count != game.version
            or begin + length > _SIZE
            or crc32(copy[_SUM.size : begin + length]) != _SUM.unpack_from(copy)[0]
        ):
            return loaded
        return apply_entries(loaded, [Entry(version, count, elapsed, copy[begin : begin + length], check)], head_hash)


def _place(game: str) -> int:
    return crc32(game.encode()) % _PLACES * _SIZE
