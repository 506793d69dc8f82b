"""The store's replies, parsed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form.entry import Entry


class ReadReply(NamedTuple):
    """A game after a version, at one moment."""

    hash: bytes
    """Of the game's last event; empty if there is no such game."""
    record: bytes
    """What is kept with the idempotency key of the read; empty if the key was not used."""
    entries: list[Entry]
    tokens: bytes = b""
    """The header's field of that name: which of its seats' tokens are valid, as LoadedGame has it."""


class RawGame(NamedTuple):
    """A game as the store has it, damaged or not."""

    version: int
    """By its header; 0 if that has none."""
    hash: bytes
    """By its header."""
    entries: list[Entry | None]
    """None in place of one that isn't of the log's form."""


@dataclass(frozen=True, slots=True)
class AppendRefused:
    """The game is not at the expected version, or the idempotency key was used."""

    reading: ReadReply
    """After the expected version."""


def parse_reply(head_hash: bytes, record: bytes, raws: Sequence[Any]) -> ReadReply:
    """A game from the reply of a script or transaction. Raises CorruptLog."""
    return ReadReply(head_hash, record, parse_entries(raws))


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
