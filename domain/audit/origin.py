"""The audit's look at what a fork says of where it comes from.

That there is such a game, and that it stood so at that version, only the log of the parent could show.
"""

from collections.abc import Sequence
from typing import Final

from domain.audit.chain import Offence
from domain.events import OPTIONAL, EventRecord

MOST: Final = 2**53 - 1
"""No whole number in a log is larger (JCS)."""


def names_parent(events: Sequence[EventRecord]) -> bool:
    """Whether GameCreated, the first of `events`, says anything of a parent."""
    created = events[0]["data"]
    return any(name in created for name in OPTIONAL["GameCreated"])


def wrong_origin(events: Sequence[EventRecord], index: int) -> str:
    """What the GameCreated of a log that names a parent should have been; empty where it is.

    A copy of a finished game was made of `from` events, its end not among them, and of what follows at once. A fork of
    a running game tells nothing of the events before it, but that the first turn had begun.
    `index`: where PositionSet stands, if there is one.
    """
    created = events[0]["data"]
    parent, version = created.get("parent"), created.get("from")
    if not (isinstance(parent, str) and type(version) is int and version > 0):
        return "GameCreated with parent and from, or neither"
    if parent == created["game"]:
        return "GameCreated with another game than itself as its parent"
    # A parent that began with a position was in a turn at once.
    begun, most = created["seats"] + 2, MOST
    if _is_copy(events, index):
        begun, most = 1, (_version_of("GameEnded", events) or MOST + 1) - 1
    if begun <= version <= most:
        return ""
    return f"GameCreated with from {begun} {'or more' if most == MOST else f'to {most}'}"


def cut_short(events: Sequence[EventRecord], index: int) -> Offence | None:
    """The first version that a copy of a finished game has had from its beginning, and that the log has not.

    `events`, `index`: as `wrong_origin` takes them, and finds nothing wrong with.
    """
    version = events[0]["data"]["from"]
    if not _is_copy(events, index) or version <= len(events):
        return None
    return Offence(len(events) + 1, f"an event, for a copy of {version} has no fewer; the log is cut, or from is wrong")


def _is_copy(events: Sequence[EventRecord], index: int) -> bool:
    """Whether the cards are those of a finished game, as `Game.open_information` has it."""
    if not _has_position(events, index):
        return True
    seen_in, created = events[index]["data"].get("parent"), events[0]["data"]
    # One that can't be is the position's own offence, and says nothing of `from`.
    return isinstance(seen_in, str) and seen_in not in (created["parent"], created["game"])


def _has_position(events: Sequence[EventRecord], index: int) -> bool:
    return index < len(events) and events[index]["type"] == "PositionSet"


def _version_of(kind: str, events: Sequence[EventRecord]) -> int:
    """Of the first event of this type; 0 where there is none."""
    return next((index + 1 for index, event in enumerate(events) if event["type"] == kind), 0)
