"""The log of a fork's parent, where it is in the same store: what an audit may compare the fork with.

Rule: an audit reveals no more of a running parent than a spectator of it sees. Whether a check of the fork passes would
be one bit of the parent's hidden cards, and a client may make forks without limit. So the comparison gets the redacted
log that every spectator of the parent can fetch, and its result is a function of that log and the fork's own. A viewer
of the fork knows the parent's id from GameCreated, and so may watch the parent, too. When the parent is over, nothing
of it is hidden.
"""

from collections.abc import Sequence

from domain.audit.parent import as_spectators_see
from domain.events import EventRecord
from service.gamelog.copies.transfer import is_game_id
from service.gamelog.integrity import check_integrity
from service.gamelog.store.streams import Store


def load_parent(store: Store, events: Sequence[EventRecord]) -> list[EventRecord] | None:
    """The log of the game that `events` name as their parent, as a spectator sees it. Raises StoreUnavailable.

    `events`: of a log whose form is sound. None where they name no parent, or the store has no sound log of it.
    """
    parent = events[0]["data"].get("parent") if events else None
    if not isinstance(parent, str) or not is_game_id(parent):
        return None
    report = check_integrity(store, parent)
    return as_spectators_see(report.events) if report.offence is None and report.events else None
