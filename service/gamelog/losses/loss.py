"""What a process remembers of a game and the log no longer has."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.events import EventRecord
from service.gamelog.cache import LoadedGame
from service.gamelog.entry import CHECKED, Trace, traces_in


@dataclass(frozen=True, slots=True)
class Loss:
    """What the log of a game has lost, as far as one process remembers."""

    game: str
    remembered: int
    """The version at which the process knew the game."""
    present: int
    """The version of the log now; 0: there is no such game any more."""
    kept: int
    """The last version that is both remembered and in the log; 0: none."""
    entries: Sequence[Trace]


def find_loss(remembered: LoadedGame, known: bytes, events: Sequence[EventRecord]) -> Loss | None:
    """What is lost of a game; None if the log has all of it.

    `known`: as `add_traces` gives it; `events`: those of the log, from the first one on.
    """
    head = remembered.game.version
    entries = set(traces_in(known))
    if not any(entry.version == head for entry in entries):
        entries.add(Trace(head, 1, remembered.hash[:CHECKED]))
    lost = {entry for entry in entries if not _is_in(entry, events)}
    if not lost:
        return None
    kept = max((entry.version for entry in entries - lost), default=0)
    return Loss(remembered.game.id, head, len(events), kept, sorted(lost))


def _is_in(entry: Trace, events: Sequence[EventRecord]) -> bool:
    return entry.version <= len(events) and events[entry.version - 1]["hash"].startswith(entry.check.hex())
