"""The audit's look at what a fork says of where it comes from.

That there is such a game, and that it stood so at that version, only the log of the parent could show.
"""

from collections.abc import Sequence
from typing import Final

from domain.audit_chain import Event, Offence
from domain.events import OPTIONAL

MOST: Final = 2**53 - 1
"""No whole number in a log is larger (JCS)."""


def names_parent(events: Sequence[Event]) -> bool:
    """Whether GameCreated, the first of `events`, says anything of a parent."""
    created = events[0]["data"]
    return any(name in created for name in OPTIONAL["GameCreated"])


def wrong_origin(events: Sequence[Event], index: int) -> Offence | None:
    """The first thing in a log that names a parent which no fork says of it; `index`: where PositionSet may stand.

    A copy of a finished game was made of `from` events, the first turn's beginning among them, and not of its end. A
    fork of a running game tells nothing of the events before it, but that the first turn had begun.
    """
    created = events[0]["data"]
    parent, version = created.get("parent"), created.get("from")
    if not (isinstance(parent, str) and type(version) is int and version > 0):
        return Offence(1, "GameCreated with parent and from, or neither")
    if parent == created["game"]:
        return Offence(1, "GameCreated with another game than itself as its parent")
    position = events[index]["data"] if index < len(events) and events[index]["type"] == "PositionSet" else None
    if position is not None and position.get("parent") == created["game"]:
        return Offence(index + 1, "PositionSet with another game than itself as its parent")
    # A parent that began with a position was in a turn at once; a deal has its own event before the first turn.
    begun = _version_of("TurnStarted", events) or created["seats"] + 3
    fewest = begun if position is None else created["seats"] + 2
    most = (_version_of("GameEnded", events) or MOST + 1) - 1 if _is_copy(events, index) else MOST
    if not fewest <= version <= most:
        return Offence(1, f"GameCreated with from {fewest} {'or more' if most == MOST else f'to {most}'}")
    return None


def cut_short(events: Sequence[Event], index: int) -> Offence | None:
    """The first version that a copy of a finished game has had from its beginning, and that the log has not.

    `events`, `index`: as `wrong_origin` takes them, and finds nothing wrong with.
    """
    version = events[0]["data"]["from"]
    if not _is_copy(events, index) or version <= len(events):
        return None
    return Offence(
        len(events) + 1, f"an event, for a copy of {version} events has no fewer; the log is cut, or from is wrong"
    )


def _is_copy(events: Sequence[Event], index: int) -> bool:
    """Whether the cards are those of a finished game, as `Game.open_information` has it."""
    if index >= len(events) or events[index]["type"] != "PositionSet":
        return True
    seen_in = events[index]["data"].get("parent")
    return isinstance(seen_in, str) and seen_in != events[0]["data"]["parent"]


def _version_of(kind: str, events: Sequence[Event]) -> int:
    """Of the first event of this type; 0 where there is none."""
    return next((index + 1 for index, event in enumerate(events) if event["type"] == kind), 0)
