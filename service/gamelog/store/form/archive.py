"""The archive of a finished game: all of its entries as one compressed value, and back.

Rule 1: an archive leaves out what no append and no reader needs any more: each entry's check and number of events.
It keeps the hash of the last event, so that the chain still proves the entries.
Rule 2: archives are permanent. The dictionary, a text like the bodies of entries, is never changed; a new way to pack
gets a new format number, and `unpack` keeps reading this one.

    format (1 byte) | hash of the last event (32) | CRC-32 of what follows (4) | times, deflated | bodies, deflated

Bodies are joined by line feeds. A time is the number of milliseconds since the entry before, 6 bytes, big-endian. The
times are stored by column (all first bytes, then all second bytes, ...): columns of zeros deflate to nothing.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import accumulate, repeat
from typing import Final, NamedTuple

from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.codec import decode_rows
from service.gamelog.store.form.entry import CHECKED, Entry

_FORMAT: Final = b"\x01"
_CHECKSUM_AT: Final = 1 + 32
_BEGIN: Final = _CHECKSUM_AT + 4
_TIME_BYTES: Final = 6
_DICTIONARY: Final = files("service.gamelog.store.form").joinpath("archive.dictionary").read_bytes()
"""Nearly as long as deflate can look back. Without it an archive is a third larger."""
_FILE: Final = re.compile(r"(?:unfinished/)?(.+)-(\d+)-([0-9a-f]{16})(?:-(\d+))?(?:\.\w+)?")
"""What `ArchivePlace.file` makes; a file that its writer hasn't finished has a folder and an ending more."""


class ArchivePlace(NamedTuple):
    """Where the archive of a game is, as the header of the game names it."""

    version: int
    """Of the last event in the archive; later events are in the stream."""
    kind: str
    """`store` or `files`."""
    mark: str
    """First 8 bytes of the hash of the last event, in hex: another log of the same length has another."""
    erasures: int = 0
    """How often words had been erased from the log: that changes neither version nor hash."""

    @classmethod
    def read(cls, field: bytes | None) -> "ArchivePlace | None":
        """Parse the field of the header; None if the game has no archive. Raises CorruptLog."""
        if not field:
            return None
        try:
            version, kind, mark, *erasures = field.decode().split(":")
            return cls(int(version), kind, mark, *map(int, erasures))
        except (ValueError, TypeError):
            raise CorruptLog("the archive field of a header can't be read") from None

    @classmethod
    def of_file(cls, game: str, name: str) -> "ArchivePlace | None":
        """Parse the name of a file, also of an unfinished one; None for one of another game."""
        match = _FILE.fullmatch(name)
        return cls(int(match[2]), "files", match[3], int(match[4] or 0)) if match and match[1] == game else None

    @property
    def age(self) -> tuple[int, int]:
        """What grows with each archive of a game."""
        return self.version, self.erasures

    def field(self) -> str:
        return f"{self.version}:{self.kind}:{self.mark}" + f":{self.erasures}" * bool(self.erasures)

    def file(self, game: str) -> str:
        """The name of the file. No two archives share a name, so no archive overwrites another."""
        return f"{game}-{self.version}-{self.mark}" + f"-{self.erasures}" * bool(self.erasures)


def hash_mark(last_hash: bytes) -> str:
    return last_hash[:8].hex()


def pack(entries: Sequence[Entry], last_hash: bytes) -> bytes:
    """The archive of all entries of a game; `last_hash`: of its last event, 32 bytes.

    Raises CorruptLog where the times of the entries go back, or are further apart than 48 bits of milliseconds.
    """
    # The times have a stream of their own: among the texts they would cost a tenth more.
    content = _deflate(_pack_times(entries)) + _deflate(b"\n".join(entry.body for entry in entries), _DICTIONARY)
    return _FORMAT + last_hash + _checksum(content) + content


def unpack(value: bytes, place: ArchivePlace) -> list[Entry]:
    """The entries of the archive at `place`. They equal those that were packed, but for their checks.

    The check of the last entry is the first bytes of its hash, the others are empty. Raises CorruptLog.
    """
    try:
        return _unpack(value, place)
    except (ValueError, zlib.error):
        raise CorruptLog("an archive can't be read") from None


def _unpack(value: bytes, place: ArchivePlace) -> list[Entry]:
    last_hash, checksum, content = value[1:_CHECKSUM_AT], value[_CHECKSUM_AT:_BEGIN], value[_BEGIN:]
    if value[:1] != _FORMAT or _checksum(content) != checksum:
        raise ValueError
    columns, content = _inflate(content)
    joined, rest = _inflate(content, _DICTIONARY)
    if rest:
        raise ValueError
    bodies, (first, *others) = joined.split(b"\n"), _unpack_times(columns)
    counts = [len(rows) for rows in decode_rows(b"[%b]" % body for body in bodies)]
    elapsed = [first, *accumulate(others)]
    if not len(counts) == len(bodies) == len(elapsed) or sum(counts) != place.version:
        raise ValueError
    if hash_mark(last_hash) != place.mark:
        raise ValueError
    # Column by column, for a long game has more than a thousand: a third of the time that a loop takes.
    entries = [*map(Entry._make, zip(accumulate(counts), counts, elapsed, bodies, repeat(b"")))]
    entries[-1] = entries[-1]._replace(check=last_hash[:CHECKED])
    return entries


def _pack_times(entries: Sequence[Entry]) -> bytes:
    try:
        times = [time.to_bytes(_TIME_BYTES, "big") for time in _times(entries)]
    except OverflowError:
        raise CorruptLog("the times of a log go back, or too far ahead") from None
    return b"".join(map(bytes, zip(*times, strict=True)))


def _unpack_times(columns: bytes) -> list[int]:
    count, odd = divmod(len(columns), _TIME_BYTES)
    if odd:
        raise ValueError
    return [int.from_bytes(columns[number::count], "big") for number in range(count)]


def _times(entries: Sequence[Entry]) -> Iterator[int]:
    """Milliseconds since 1970 (the creation), since the creation, then each time since the entry before."""
    last = 0
    for number, entry in enumerate(entries):
        yield entry.elapsed - last
        last = entry.elapsed if number else 0


def _deflate(content: bytes, dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=dictionary)
    return packer.compress(content) + packer.flush()


def _inflate(content: bytes, dictionary: bytes = b"") -> tuple[bytes, bytes]:
    """The text, and the bytes after its end. Raises ValueError and zlib.error."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=dictionary)
    text = unpacker.decompress(content)
    if not unpacker.eof:
        raise ValueError
    return text, unpacker.unused_data


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_BEGIN - _CHECKSUM_AT, "big")
