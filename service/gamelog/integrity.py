"""A game's log as it lies in the store, damaged or not: what the audit looks at.

Each entry keeps the first bytes of its last event's hash and the header keeps the whole hash of the head, so a store
that was changed behind the service's back contradicts itself, also while the game is running.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.chain import Offence
from domain.audit.checks import Served
from domain.fairness.chain import chain_key, first_hash
from domain.view import scores_of, view_of
from service.gamelog.cache import LoadedGame
from service.gamelog.codec import decode_rows, hash_rows, payload_of
from service.gamelog.entry import CHECKED, Entry
from service.gamelog.errors import CorruptLog
from service.gamelog.store.streams import Store

_UNREADABLE: Final = (CorruptLog, LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError)
"""What the parts of an entry raise that no append can have written."""


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """The log as far as it can be read."""

    events: list[dict[str, Any]]
    """Unredacted, with the hashes that follow from them."""
    offence: Offence | None
    """The first entry that no append can have written, or that isn't as it was written."""


def check_integrity(store: Store, game: str) -> IntegrityReport:
    """Read a whole game, whatever is wrong with it. Raises StoreUnavailable."""
    try:
        found = store.read_raw(game)
    except CorruptLog:
        return IntegrityReport([], Offence(1, "a stream of entries, or an archive that can be read"))
    events, last_hash, offence = _follow(game, found.entries)
    if offence is None and last_hash != found.hash:
        # Only to tell a cut tail from a changed header; what a header says of versions proves nothing.
        cut = found.version > len(events)
        offence = Offence(len(events) + cut, f"the hash that the header keeps, {found.hash.hex()}")
    if offence is None and found.version != len(events):  # no request would be accepted any more
        offence = Offence(len(events), f"version {len(events)} in the header, not {found.version}")
    return IntegrityReport(events, offence)


def served_views(head: LoadedGame) -> Served:
    """What every viewer is shown of a game: the audit holds it against the log."""
    viewers = (None, *range(len(head.game.seats)))
    views = {viewer: view_of(head.game, viewer, head.hash.hex()) for viewer in viewers}
    return Served(views, scores_of(head.game))


def _follow(game: str, entries: Sequence[Entry | None]) -> tuple[list[dict[str, Any]], bytes, Offence | None]:
    """The events up to the first entry that can't be read, the hash of the last, and the first offending entry."""
    events: list[dict[str, Any]] = []
    key = previous = b""
    began = 0
    offence: Offence | None = None
    for entry in entries:
        version = len(events)
        if entry is None or entry.count < 1 or entry.version - entry.count != version:
            return events, previous, offence or Offence(version + 1, f"an entry that begins with version {version + 1}")
        try:
            rows = decode_rows([entry.body])
            if not events:
                began = entry.elapsed
                key = _key(rows[0], game)
                previous = first_hash(key, game)
            at = began + entry.elapsed if events else began
            some, previous = hash_rows(rows, version=version, at=at, key=key, previous=previous)
        except _UNREADABLE:
            return events, previous, offence or Offence(entry.version, f"an entry that can be read{_named(entry)}")
        if len(some) != entry.count:
            return events, previous, offence or Offence(entry.version, f"{entry.count} events{_named(entry)}")
        events += some
        # In an archive the last entry alone has kept it.
        if entry.check and entry.check[:CHECKED] != previous[:CHECKED]:
            kept = entry.check[:CHECKED].hex()
            offence = offence or Offence(entry.version, f"a hash that begins with {kept}{_named(entry)}")
    return events, previous, offence


def _key(first: list[Any], game: str) -> bytes:
    kind, created = payload_of(first)
    if kind != "GameCreated" or created["game"] != game:
        raise CorruptLog(f"game {game} doesn't begin with its own creation")
    return chain_key(bytes.fromhex(created["server_seed"]))


def _named(entry: Entry) -> str:
    if len(entry.check) == CHECKED:  # an archive keeps no more than its last hash: the fault is anywhere before it
        return f" at the end of the archive of versions 1 to {entry.version}"
    return f" in entry {entry.version}-{entry.count}"
