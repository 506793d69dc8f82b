"""What a reader finds of a game in the store: its answers, parsed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog


class ReadReply(NamedTuple):
    """A game from a version on, at one moment."""

    hash: bytes
    """Of the game's last event; empty where there is no such game."""
    record: bytes
    """What was kept with the idempotency key that was asked for; empty where it was not used."""
    entries: list[Entry]


class RawGame(NamedTuple):
    """A game as it lies in the store, damaged or not."""

    version: int
    """By its header; 0 where that names none."""
    hash: bytes
    """By its header."""
    entries: list[Entry | None]
    """None in place of one that is not of the log's form."""


@dataclass(frozen=True, slots=True)
class AppendRefused:
    """The game is not at the expected version, or the idempotency key was used."""

    reading: ReadReply
    """After the expected version."""


def parse_reply(head_hash: bytes, record: bytes, raws: Sequence[Any]) -> ReadReply:
    """A reading from the store's own answers. Raises CorruptLog."""
    return ReadReply(head_hash, record, [_entry(raw) for raw in raws])


def parse_raw_entry(raw: Any) -> Entry | None:
    """An entry as redis-py hands it on; None where it is not of the log's form."""
    try:
        name, fields = raw
        if not isinstance(fields, dict):  # a cluster's transaction leaves names and values in a row
            fields = dict(zip(fields[::2], fields[1::2], strict=True))
        version, _, count = name.partition(b"-")
        return Entry(int(version), int(count), int(fields[b"t"]), fields[b"e"], fields[b"c"])
    except (LookupError, TypeError, ValueError):
        return None


def _entry(raw: Any) -> Entry:
    """An entry as Lua hands it on: [id, [name, value, …]]. Raises CorruptLog."""
    try:
        name, (_, elapsed, _, body, _, check) = raw
        version, _, count = name.partition(b"-")
        return Entry(int(version), int(count), int(elapsed), body, check)
    except (AttributeError, TypeError, ValueError) as error:
        raise CorruptLog("an entry is not of the log's form") from error
