"""The store's replies, parsed."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.archive import ArchivePlace
from service.gamelog.store.form.entry import Entry


class Amendments(NamedTuple):
    """What has become of a game beside its events."""

    erasures: int = 0
    """How often words were erased from its log."""
    generations: Mapping[int, int] = MappingProxyType({})
    """Of the valid tokens of seats with others than their first ones."""

    def generation(self, seat: int) -> int:
        """Of the seat's valid token."""
        return self.generations.get(seat, 0)

    def count_missing_in(self, later: "Amendments") -> int:
        """Of seats with revoked tokens, and of erasures, those that a later reading lacks: its store was set back."""
        revoked = sum(generation > later.generation(seat) for seat, generation in self.generations.items())
        return revoked + max(0, self.erasures - later.erasures)


NO_AMENDMENTS: Final = Amendments()


class GameHeader(NamedTuple):
    version: int = 0
    """0 where there is no header."""
    hash: bytes = b""
    """Of the last event; empty where the header has none."""
    archive: bytes = b""
    amendments: Amendments = NO_AMENDMENTS

    @property
    def place(self) -> ArchivePlace | None:
        """Where the game's archive is; None where it has none. Raises CorruptLog."""
        return ArchivePlace.read(self.archive)


class ReadReply(NamedTuple):
    """A game after a version, at one moment."""

    hash: bytes
    """Of the game's last event; empty if there is no such game."""
    record: bytes
    """What is kept with the idempotency key of the read; empty if the key was not used."""
    entries: list[Entry]
    amendments: Amendments = NO_AMENDMENTS
    place: ArchivePlace | None = None
    """Where the game's archive is, whose entries are not among these."""


class RawGame(NamedTuple):
    """A game as the store has it, damaged or not."""

    version: int
    """By its header; 0 if that has none."""
    hash: bytes
    """By its header."""
    entries: list[Entry | None]
    """None in place of one that isn't of the log's form."""


def parse_header(fields: Any) -> GameHeader:
    """A header from its fields and values, in one list or as redis-py gives them. Raises CorruptLog."""
    stored = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    version = stored.get(b"version", b"")
    number = int(version) if version.isdigit() else 0
    try:
        generations = {int(name[6:]): int(value) for name, value in stored.items() if name.startswith(b"token:")}
        erasures = int(stored.get(b"erasures", 0))
    except ValueError:
        raise CorruptLog("the header of a game can't be read") from None
    amendments = Amendments(erasures, generations) if generations or erasures else NO_AMENDMENTS
    return GameHeader(number, stored.get(b"hash", b""), stored.get(b"archive", b""), amendments)


def parse_reply(fields: Any, record: bytes, raws: Sequence[Any]) -> ReadReply:
    """A game from the reply of a script or transaction; `fields`: of its header. Raises CorruptLog."""
    _, last_hash, archive, amendments = parse_header(fields)
    return ReadReply(last_hash, record, parse_entries(raws), amendments, ArchivePlace.read(archive))


def parse_raw_entry(raw: Any) -> Entry | None:
    """An entry as redis-py returns it; None if it isn't of the log's form."""
    try:
        name, fields = raw
        if not isinstance(fields, dict):  # a server sends names and values in one list
            fields = dict(zip(fields[::2], fields[1::2], strict=True))
        version, _, count = name.partition(b"-")
        return Entry(int(version), int(count), int(fields[b"t"]), fields[b"e"], fields[b"c"])
    except (LookupError, TypeError, ValueError):
        return None


def parse_entries(raws: Sequence[Any]) -> list[Entry]:
    """Entries as Lua returns them: [id, [name, value, …]] each. One flat loop, for speed. Raises CorruptLog."""
    entries = []
    try:
        for name, (_, elapsed, _, body, _, check) in raws:
            version, _, count = name.partition(b"-")
            entries.append(Entry._make((int(version), int(count), int(elapsed), body, check)))
    except (AttributeError, TypeError, ValueError) as error:
        raise CorruptLog("an entry isn't of the log's form") from error
    return entries
