"""A game's log as it is in the store, damaged or not, checked against itself: what an audit looks at.

Each entry keeps the first bytes of its last event's hash and the header keeps the whole hash of the head, so a store
that was changed by hand contradicts itself, also while the game is running.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.audit.findings import Offence, Served
from domain.events import EventRecord
from domain.view import scores_of, view_of
from service.gamelog.cache import LoadedGame
from service.gamelog.history import walk
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame
from service.gamelog.store.form.entry import CHECKED, Entry
from service.gamelog.store.reader import StoreReader


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    events: list[EventRecord]
    """Unredacted, with the hashes that follow from them."""
    offence: Offence | None
    """The first entry that no append can have written, or that was changed."""
    served: Served | None = None
    """What viewers are shown of the game at the last of the events; None if the game can't be served."""


def inspect_game(games: GameReader, game: str) -> IntegrityReport:
    """What an audit compares: a game's log, its first offence, and what is served of it. Raises StoreUnavailable."""
    try:
        head = games.load(game)
        served = served_views(head)
    except (CorruptLog, NoSuchGame):
        report = check_integrity(games.store, game)
        return IntegrityReport(report.events, report.offence or Offence(1, "a log that can be served"))
    report = check_integrity(games.store, game)
    # What was appended after the load is not served by it: it is left to the next audit.
    return IntegrityReport(report.events[: head.game.version], report.offence, served)


def served_views(head: LoadedGame) -> Served:
    viewers = (None, *range(len(head.game.seats)))
    views = {viewer: view_of(head.game, viewer, head.hash.hex()) for viewer in viewers}
    return Served(views, scores_of(head.game))


def check_integrity(store: StoreReader, game: str) -> IntegrityReport:
    """Read a whole game, damaged or not, and check it. Raises StoreUnavailable."""
    try:
        raw = store.read_raw(game)
    except CorruptLog:
        return IntegrityReport([], Offence(1, "a stream of entries, or an archive that can be read"))
    events, last_hash, offence = _follow(game, raw.entries)
    if offence is None and last_hash != raw.hash:
        # The header's version only distinguishes a cut tail from a changed header; it proves nothing.
        is_cut = raw.version > len(events)
        offence = Offence(len(events) + is_cut, f"the hash that the header keeps, {raw.hash.hex()}")
    if offence is None and raw.version != len(events):  # no request would be accepted any more
        offence = Offence(len(events), f"version {len(events)} in the header, not {raw.version}")
    return IntegrityReport(events, offence)


def _follow(game: str, entries: Sequence[Entry | None]) -> tuple[list[EventRecord], bytes, Offence | None]:
    """The events up to the first entry that can't be read, the hash of the last, and the first offending entry."""
    events: list[EventRecord] = []
    last_hash = b""
    offence: Offence | None = None
    links = walk(entry for entry in entries if entry)  # step by step with this loop, which ends at a missing entry
    for entry in entries:
        following = len(events) + 1
        if entry is None or entry.count < 1 or entry.version - entry.count + 1 != following:
            return events, last_hash, offence or Offence(following, f"an entry that begins with version {following}")
        try:
            link = next(links)
            if not events and link.events[0]["data"]["game"] != game:
                raise CorruptLog(f"game {game} doesn't begin with its own creation")
        except CorruptLog:
            return events, last_hash, offence or Offence(entry.version, f"an entry that can be read{_in(entry)}")
        last_hash = link.hash
        if len(link.events) != entry.count:
            return events, last_hash, offence or Offence(entry.version, f"{entry.count} events{_in(entry)}")
        events += link.events
        # In an archive only the last entry has a check.
        if entry.check and entry.check[:CHECKED] != last_hash[:CHECKED]:
            kept = entry.check[:CHECKED].hex()
            offence = offence or Offence(entry.version, f"a hash that begins with {kept}{_in(entry)}")
    return events, last_hash, offence


def _in(entry: Entry) -> str:
    """Where an offence is, for its sentence."""
    if len(entry.check) == CHECKED:  # an archive keeps no more than its last hash: the fault is anywhere before it
        return f" at the end of the archive of versions 1 to {entry.version}"
    return f" in entry {entry.version}-{entry.count}"
