"""A finished game as one compressed value, and its entries made of it again.

Rule 1: what no append and no reader needs any more is left out: each entry's own check and the number of its events.
The hash of the last event is kept, so that the chain still proves what comes out.
Rule 2: archives live for ever. The dictionary, a text as in the bodies of entries, is never changed: what is to be
packed another way gets another format number, and `unpack` goes on reading this one.
"""

import zlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

from service.gamelog.codec import decode_rows
from service.gamelog.entry import CHECKED, Entry
from service.gamelog.errors import CorruptLog

_FORMAT: Final = b"\x01"
_SUM_AT: Final = 1 + 32
"""After format and hash."""
_BEGIN: Final = _SUM_AT + 4
_DICTIONARY: Final = files("service.gamelog.archive").joinpath("archive.dictionary").read_bytes()
"""Nearly as long as deflate can look back. Without it an archive is a third larger."""
_LONGEST_NUMBER: Final = 10
"""Bytes: 63 bits in sevens, and one that says so."""


class ArchivePlace(NamedTuple):
    """Where the archive of a game is, as the game's header says it."""

    version: int
    """Of the last event in it; what came later is in the stream."""
    kind: str
    """`store` or `files`."""
    mark: str
    """The first 8 bytes of its last event's hash, in hex: an archive of another past is not taken for this one."""

    @classmethod
    def read(cls, field: bytes | None) -> "ArchivePlace | None":
        """From the header's field; None where the game has no archive. Raises CorruptLog."""
        if not field:
            return None
        try:
            version, kind, mark = field.decode().split(":")
            return cls(int(version), kind, mark)
        except ValueError:
            raise CorruptLog("a header names no place of an archive") from None

    def field(self) -> str:
        """As the header keeps it."""
        return f"{self.version}:{self.kind}:{self.mark}"

    def file(self, game: str) -> str:
        """The name of the file: no two archives share one, so that none is ever overwritten by another."""
        return f"{game}-{self.version}-{self.mark}"


def hash_mark(last_hash: bytes) -> str:
    """The mark of an archive whose last event has that hash."""
    return last_hash[:8].hex()


def pack(entries: Sequence[Entry], last_hash: bytes) -> bytes:
    """All entries of a game; `last_hash`: of its last event, 32 bytes."""
    # Times would only confuse the compressor: they are noise between texts.
    times = b"".join(map(_number, [len(entries), *_times(entries)]))
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=_DICTIONARY)
    content = times + press.compress(b"\n".join(entry.body for entry in entries)) + press.flush()
    return _FORMAT + last_hash + _sum(content) + content


def _times(entries: Sequence[Entry]) -> Iterator[int]:
    """Since 1970, since the creation, then since the entry before: small numbers take few bytes."""
    last = 0
    for number, entry in enumerate(entries):
        yield entry.elapsed - last
        last = entry.elapsed if number else 0


def unpack(value: bytes, place: ArchivePlace) -> list[Entry]:
    """The entries of the archive that lies at `place`; the last one has the first bytes of its hash. Raises CorruptLog.

    They equal those that were packed, but for their checks.
    """
    try:
        return _unpack(value, place)
    except (ValueError, zlib.error):
        raise CorruptLog("an archive that can't be read") from None


def _unpack(value: bytes, place: ArchivePlace) -> list[Entry]:
    if value[:1] != _FORMAT:
        raise ValueError
    last_hash, checksum, content = value[1:_SUM_AT], value[_SUM_AT:_BEGIN], value[_BEGIN:]
    if _sum(content) != checksum:
        raise ValueError
    (count,), at = _numbers(content, 0, 1)
    times, at = _numbers(content, at, count)
    press = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_DICTIONARY)
    bodies = press.decompress(content[at:]).split(b"\n")
    if not press.eof or press.unused_data:
        raise ValueError
    entries: list[Entry] = []
    version = elapsed = 0
    for number, (time, body) in enumerate(zip(times, bodies, strict=True)):
        elapsed = elapsed + time if number > 1 else time
        events = len(decode_rows([body]))
        version += events
        entries.append(Entry(version, events, elapsed, body, b""))
    if version != place.version or hash_mark(last_hash) != place.mark:
        raise ValueError
    entries[-1] = entries[-1]._replace(check=last_hash[:CHECKED])
    return entries


def _sum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_BEGIN - _SUM_AT, "big")


def _number(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the last byte has its high bit clear."""
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _numbers(content: bytes, at: int, count: int) -> tuple[list[int], int]:
    """So many numbers from a place on, and the place after them. Raises ValueError."""
    numbers = []
    for _ in range(count):
        number = shift = 0
        while True:
            if at == len(content) or shift > 7 * _LONGEST_NUMBER:
                raise ValueError
            digit = content[at]
            at += 1
            number |= (digit & 0x7F) << shift
            shift += 7
            if digit < 0x80:
                break
        numbers.append(number)
    return numbers, at
