"""The check `chain`: versions, times and hashes, one event after the other; and receipts against them.

Rule: whatever a log holds, nothing is raised; the first event that isn't as it must be is named.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from domain.audit.evidence import Evidence
from domain.audit.findings import Finding, Offence, first_of, is_hex
from domain.erasure import is_erased
from domain.events import EventRecord
from domain.fairness.canonical import NOT_JSON, JsonObject, has_canonical_form
from domain.fairness.chain import ERASABLE, chain_key, first_hash, hash_of, next_hash

_MEMBERS: Final = frozenset({"version", "type", "at", "data", "hash"})
_SALT: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
NO_JCS: Final = "fractions, whole numbers beyond 2^53 - 1 and member names beyond U+FFFF"
"""What `has_canonical_form` refuses."""
CONSISTENCY: Final = "Without a receipt kept outside the log this proves consistency only."


def check_chain(
    events: Sequence[Any], lines: Sequence[bytes], evidence: Evidence, stored: Offence | None, erased: int
) -> Finding:
    """The check `chain` of a log; `lines`, `stored`: as for `audit`; `erased`: how many events of the log are."""
    if evidence.events or not events:
        broken = _first_break(events, lines, evidence.seed)
    else:
        broken = Offence(1, "GameCreated with a server_seed of 64 hex digits")
    told = f" Erased events: {erased}, each proved by its digest." * bool(erased)
    good = f"All {len(events)} hashes follow from the published seed.{told} {CONSISTENCY}"
    return Finding("chain", first_of(broken, stored), good, possible=evidence.seed is not None)


def _first_break(events: Sequence[Any], lines: Sequence[bytes], seed: str | None) -> Offence | None:
    """The first event that breaks the chain; without a `seed` (64 hex digits) hashes are checked for form only."""
    key = previous = b""
    last_at = ""
    for version, (event, line) in enumerate(zip(events, lines or [b""] * len(events), strict=True), 1):
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
            previous = _next_hash(key, previous, event, line)
        except (*NOT_JSON, LookupError, AttributeError):
            return Offence(version, "an event that can be written as JSON")
        if event["hash"] != previous.hex():
            return Offence(version, f"hash {previous.hex()}")
    return None if events else Offence(1, "GameCreated")


def _next_hash(key: bytes, previous: bytes, event: EventRecord, line: bytes) -> bytes:
    """The event's hash; `line`: its JCS, if that is there. Without its hash this is what is hashed, but for words."""
    before, _, after = line.rpartition(b'"hash":"')
    if before and event["type"] not in ERASABLE:
        quick = hash_of(key, previous, before + after.partition(b'",')[2])
        if quick.hex() == event["hash"]:
            return quick
    return next_hash(key, previous, {name: value for name, value in event.items() if name != "hash"})


def receipt_fault(events: Sequence[Any], receipt: Mapping[str, Any]) -> Offence | None:
    """Where the log, by its own hashes, contradicts a receipt {"version", "hash"}; None where it doesn't."""
    version, expected = receipt.get("version"), receipt.get("hash")
    if type(version) is not int or version < 1 or not is_hex(expected):
        return Offence(0, "a receipt with version and hash")
    if version > len(events):
        return Offence(len(events) + 1, f"an event, for the receipt is of version {version}; the log is cut")
    event = events[version - 1]
    if not isinstance(event, dict) or event.get("hash") != expected:
        return Offence(version, f"hash {expected}, as the receipt says")
    return None


def _of_form(event: Any, version: int) -> str:
    """What the event should have been, as far as form goes; empty where it is."""
    if not isinstance(event, dict) or event.keys() != _MEMBERS:
        return "an event of version, type, at, data and hash"
    if type(event["version"]) is not int or event["version"] != version:
        return f"version {version}"
    if version == 1 and event["type"] != "GameCreated":
        return "GameCreated"
    if not (isinstance(event["type"], str) and isinstance(event["data"], dict)):
        return "an event with a type and data"
    if not has_canonical_form(event["data"]):
        return f"an event without {NO_JCS}"
    return _words_fault(event["type"], event["data"])


def _words_fault(kind: str, data: JsonObject) -> str:
    """What the data of an event should have been, where its salt, its digest or `erased` is not lawful."""
    member = ERASABLE.get(kind)
    if member is None:
        return f"{kind} without erased" if "erased" in data else ""
    if "erased" in data:
        return _erasure_fault(kind, member, data)
    if "digest" in data:
        return f"{kind} without a digest, for its {member} is there"
    if "salt" in data and not (isinstance(data.get(member), str) and _SALT.fullmatch(str(data["salt"]))):
        return f"{kind} with its {member} and a salt of 32 hex digits"
    return ""


def _erasure_fault(kind: str, member: str, data: JsonObject) -> str:
    if not is_erased(kind, data) or "salt" in data:
        return f"{kind} with erased true, {member} null and no salt, or without erased"
    if "digest" not in data:
        return f"a digest of the erased {member}; without one the versions up to it can't be proved any more"
    return "" if is_hex(data["digest"]) else f"{kind} with a digest of 64 hex digits"


def _is_time(at: object) -> bool:
    if not isinstance(at, str) or not _TIME.fullmatch(at):
        return False
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True
