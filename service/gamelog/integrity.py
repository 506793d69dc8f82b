"""A game's log as it lies in the store, damaged or not: what the audit looks at.

Each entry keeps the first bytes of its last event's hash and the header keeps the whole hash of the head, so a store
that was changed behind the service's back contradicts itself, also while the game is running.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.audit.chain import Offence
from domain.audit.checks import Served
from domain.events import EventRecord
from domain.view import scores_of, view_of
from service.gamelog.cache import LoadedGame
from service.gamelog.entry import CHECKED, Entry
from service.gamelog.errors import CorruptLog
from service.gamelog.history import walk
from service.gamelog.store.streams import Store


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """The log as far as it can be read."""

    events: list[EventRecord]
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


def _follow(game: str, entries: Sequence[Entry | None]) -> tuple[list[EventRecord], bytes, Offence | None]:
    """The events up to the first entry that can't be read, the hash of the last, and the first offending entry."""
    events: list[EventRecord] = []
    last_hash = b""
    offence: Offence | None = None
    links = walk(entry for entry in entries if entry)  # never goes past one that is missing: this loop ends there
    for entry in entries:
        following = len(events) + 1
        if entry is None or entry.count < 1 or entry.version - entry.count + 1 != following:
            return events, last_hash, offence or Offence(following, f"an entry that begins with version {following}")
        try:
            link = next(links)
            if not events and link.events[0]["data"]["game"] != game:
                raise CorruptLog(f"game {game} doesn't begin with its own creation")
        except CorruptLog:
            return events, last_hash, offence or Offence(entry.version, f"an entry that can be read{_place(entry)}")
        last_hash = link.hash
        if len(link.events) != entry.count:
            return events, last_hash, offence or Offence(entry.version, f"{entry.count} events{_place(entry)}")
        events += link.events
        # In an archive only the last entry has kept it.
        if entry.check and entry.check[:CHECKED] != last_hash[:CHECKED]:
            kept = entry.check[:CHECKED].hex()
            offence = offence or Offence(entry.version, f"a hash that begins with {kept}{_place(entry)}")
    return events, last_hash, offence


def _place(entry: Entry) -> str:
    if len(entry.check) == CHECKED:  # an archive keeps no more than its last hash: the fault is anywhere before it
        return f" at the end of the archive of versions 1 to {entry.version}"
    return f" in entry {entry.version}-{entry.count}"
