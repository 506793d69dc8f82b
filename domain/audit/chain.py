"""The first of the audit's checks: versions, times and hashes, one event after the other.

Rule: whatever a log may hold, nothing is raised; the first event that isn't as it must be is named.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeGuard

from domain.events import EventRecord
from domain.fairness.chain import chain_key, first_hash, next_hash

_MEMBERS: Final = frozenset({"version", "type", "at", "data", "hash"})
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
NOT_JSON: Final = (TypeError, ValueError, RecursionError)
"""What a value raises that JCS can't write: a lone surrogate, say."""


class Offence(NamedTuple):
    """The first thing in a log that is not as it must be."""

    version: int
    """By its place in the log: the event that stands where this version belongs."""
    expected: str
    """What should have been there. May hold hidden cards: it is shown for finished games only."""


def is_hex(value: object) -> TypeGuard[str]:
    """Whether it is 32 bytes as lower-case hex digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def readable(events: Sequence[Any]) -> list[EventRecord]:
    """The events up to the first that has no type or no data."""
    found = []
    for event in events:
        if not (isinstance(event, dict) and isinstance(event.get("type"), str) and isinstance(event.get("data"), dict)):
            break
        found.append(event)
    return found


def first_break(events: Sequence[Any], seed: str | None) -> Offence | None:
    """The first event that breaks the chain; without the `seed` (64 hex digits) hashes are looked at for form only."""
    key = previous = b""
    last_at = ""
    for version, event in enumerate(events, 1):
        if complaint := _of_form(event, version):
            return Offence(version, complaint)
        at = event["at"]
        if at != last_at:
            if not _is_time(at) or at < last_at:
                return Offence(version, f"a time of the form 2026-01-31T18:05:09.123Z, not before {last_at or 'all'}")
            last_at = at
        if seed is None:
            if not is_hex(event["hash"]):
                return Offence(version, "a hash of 64 hex digits")
            continue
        try:
            if version == 1:
                key = chain_key(bytes.fromhex(seed))
                previous = first_hash(key, event["data"]["game"])
            content = {"version": version, "type": event["type"], "at": at, "data": event["data"]}
            previous = next_hash(key, previous, content)
        except (*NOT_JSON, LookupError, AttributeError):
            return Offence(version, "an event that can be written as JSON")
        if event["hash"] != previous.hex():
            return Offence(version, f"hash {previous.hex()}")
    return None if events else Offence(1, "GameCreated")


def _of_form(event: Any, version: int) -> str:
    """What the event should have been, as far as form goes; empty where it is."""
    if not isinstance(event, dict) or event.keys() != _MEMBERS:
        return "an event of version, type, at, data and hash"
    if type(event["version"]) is not int or event["version"] != version:
        return f"version {version}"
    if version == 1 and event["type"] != "GameCreated":
        return "GameCreated"
    return "" if isinstance(event["type"], str) and isinstance(event["data"], dict) else "an event with a type and data"


def _is_time(at: object) -> bool:
    if not isinstance(at, str) or not _TIME.fullmatch(at):
        return False
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True
