"""A game as it is carried from one store to another: its events as exported, and the entries made of them again.

Rule: what is brought in gives the very bytes of its file again, or it is not brought in.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.audit.chain import Offence
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.timestamps import milliseconds
from service.gamelog.cache import EMPTY, LoadedGame, apply_entries
from service.gamelog.codec import Row, encode_entry, row_of_payload
from service.gamelog.entry import Entry
from service.gamelog.errors import CorruptLog, NotStorable
from service.gamelog.history import decode_events

_GAME_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_END_A_REQUEST: Final = frozenset({"TurnStarted", "ScoringStarted", "MessagePosted"})
_BEGIN_A_REQUEST: Final = frozenset({"MessagePosted"})


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """A game on its way into a store."""

    entries: list[Entry]
    loaded: LoadedGame
    """The game at its last event."""
    last_types: list[str]
    """Of the last entry's events."""


def is_game_id(text: object) -> bool:
    """Whether it can name a game: in an address, a file and a job."""
    return isinstance(text, str) and _GAME_ID.fullmatch(text) is not None


def is_over(events: Iterable[EventRecord]) -> bool:
    """Whether the game has ended, so that nothing of it is hidden any more."""
    return any(event["type"] == "GameEnded" for event in events)


def lines_of(events: Iterable[EventRecord]) -> bytes:
    """The events as `…/events` gives them as NDJSON."""
    return b"".join(canonical_json(event) + b"\n" for event in events)


def import_entries(events: Sequence[EventRecord]) -> ImportedGame:
    """The entries that keep the events of a log that the audit has found sound. Raises NotStorable."""
    entries: list[Entry] = []
    requests = list(_requests(events))
    for request in requests:
        last = request[-1]
        at = _moment(request[0])
        elapsed = at - _moment(events[0]) if entries else at
        rows, last_hash = [_row(event) for event in request], bytes.fromhex(last["hash"])
        entries.append(encode_entry(rows, version=last["version"], elapsed=elapsed, last_hash=last_hash))
    try:
        kept = decode_events(entries)
        loaded = apply_entries(EMPTY, entries, bytes.fromhex(events[-1]["hash"]))
    except CorruptLog:
        raise NotStorable(Offence(len(events), "a game that can be served")) from None
    for event, again in zip(events, kept, strict=True):
        if lines_of([event]) != lines_of([again]):
            raise NotStorable(Offence(event["version"], "an event that can be kept as it is"))
    return ImportedGame(entries, loaded, [event["type"] for event in requests[-1]])


def _requests(events: Sequence[EventRecord]) -> Iterable[list[EventRecord]]:
    """The events request by request, as far as can be told: two actions of a seat at one time may stay together."""
    begun: list[EventRecord] = []
    for event in events:
        if begun and (
            event["at"] != begun[-1]["at"] or begun[-1]["type"] in _END_A_REQUEST or event["type"] in _BEGIN_A_REQUEST
        ):
            yield begun
            begun = []
        begun.append(event)
    yield begun


def _row(event: EventRecord) -> Row:
    try:
        return row_of_payload(event["type"], event["data"])
    except CorruptLog as error:
        raise NotStorable(Offence(event["version"], str(error))) from None


def _moment(event: EventRecord) -> int:
    """Milliseconds since 1970, later than that: the store has no earlier ones."""
    try:
        at = milliseconds(event["at"])
    except (ValueError, OverflowError):
        at = 0
    if at < 1:
        raise NotStorable(Offence(event["version"], "a time after 1970"))
    return at
