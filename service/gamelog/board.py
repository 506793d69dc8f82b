"""A notice board in memory that the processes of one machine share: the last entry that each game got.

The players of a game reach different web processes in turn. Without the board each would find its warm game one entry
behind, and pay a conflict, a second trip to the store, for every action; with it the entry is read off the board.

Only what the store has acknowledged is put up. A notice that is torn, overwritten or missing costs no more than that
conflict: the append alone decides.
"""

import mmap
import os
import struct
from pathlib import Path
from zlib import crc32

from service.gamelog.codec import Entry
from service.gamelog.warm import Warm, advance

_PLACES = 4096
_SIZE = 1024
_HEAD = struct.Struct("<I24sIHQ32s9sH")
"""Checksum of what follows; game, version, events, elapsed ms, hash of the last event, entry's check, body length."""
_LONGEST_ID = 24
"""Bytes."""
_SUM = struct.Struct("<I")


class Board:
    """Notices of the last entries, each game in a place found by hash; a later game may take it over."""

    def __init__(self, path: Path | None) -> None:
        """`path`: the file that is shared; None for this process alone."""
        size = _PLACES * _SIZE
        if path is None:
            self._memory = mmap.mmap(-1, size)
            return
        with path.open("a+b") as file:
            os.truncate(file.fileno(), size)
            self._memory = mmap.mmap(file.fileno(), size)

    def put_up(self, game: str, entry: Entry, head_hash: bytes) -> None:
        """Tell the other processes of an entry that the store has acknowledged. One that is too long is left out.

        So is a game of an id longer than those given here, as an import may bring in: it would pass for another's.
        """
        length = _HEAD.size + len(entry.body)
        if length > _SIZE or len(game.encode()) > _LONGEST_ID:
            return
        notice = bytearray(length)
        _HEAD.pack_into(
            notice,
            0,
            0,
            game.encode(),
            entry.version,
            entry.count,
            entry.elapsed,
            head_hash,
            entry.check,
            len(entry.body),
        )
        notice[_HEAD.size :] = entry.body
        _SUM.pack_into(notice, 0, crc32(notice[_SUM.size :]))
        place = _place(game)
        self._memory[place : place + length] = bytes(notice)

    def newer(self, warm: Warm) -> Warm:
        """The game after the entry on the board, if that is the very next one; otherwise as it is."""
        game = warm.game
        place = _place(game.id)
        # One copy is both checked and used: another process may write here between two looks.
        notice = self._memory[place : place + _SIZE]
        total, name, version, count, elapsed, head_hash, check, length = _HEAD.unpack_from(notice)
        if (
            version - count != game.version
            or not count
            or name.rstrip(b"\0") != game.id.encode()
            or _HEAD.size + length > _SIZE
        ):
            return warm
        end = _HEAD.size + length
        if crc32(notice[_SUM.size : end]) != total:
            return warm
        entry = Entry(version, count, elapsed, notice[_HEAD.size : end], check)
        return advance(warm, [entry], head_hash)


def _place(game: str) -> int:
    return crc32(game.encode()) % _PLACES * _SIZE
