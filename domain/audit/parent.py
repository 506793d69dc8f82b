"""A fork against its parent's own log: what that log proves exactly.

Rule 1: what the parent's log hides is not compared, and not guessed.
Rule 2: the parent's log is taken as it is; whether it is sound is an audit of its own.
Rule 3: a log that doesn't reach the version that the fork names contradicts the fork.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.chain import Offence, Offended
from domain.audit.compare import quote, same, whole_number
from domain.audit.evidence import CANT_HAPPEN, Evidence, evidence_of, fold
from domain.audit.opening import Opening, first_version
from domain.events import EventRecord
from domain.fairness.canonical import JsonObject, canonical_json
from domain.forks.position import hide_unseen, visible_position
from domain.state import Game
from domain.view import redact_event, scores_of, view_of

_OWN: Final = {
    "GameCreated": frozenset({"game", "listed", "parent", "from"}),
    "PlayerJoined": frozenset({"name", "bot"}),
}
"""By event type: the members in which a copy differs from its parent."""
_TABLE: Final = ("rules", "seats", "variants", "starting_seat")
"""The members of GameCreated that a fork of a running game has from its parent."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a fork with its parent."""

    offence: Offence | None
    words: str = ""
    """What is the same, where nothing differs."""


def as_spectators_see(events: Sequence[EventRecord]) -> list[EventRecord]:
    """A log as every spectator may see it: a game that isn't over without its hidden cards. Raises Offended."""
    head = fold(evidence_of(events), len(events))
    return [redact_event(event, None, head) for event in events]


def compare_with_parent(fork: Evidence, opening: Opening, parent: Sequence[Any]) -> Comparison:
    """Compare a fork's log with the log of its parent, which may be redacted.

    A copy of a finished game has the parent's events up to its version: the same deal, actions and times; id, names
    and hashes are its own. A fork of a running game starts from the position that its seat saw in the parent then.
    """
    try:
        words = _compare(fork, opening, evidence_of(parent))
    except Offended as offended:
        return Comparison(offended.offence)
    except CANT_HAPPEN:
        return Comparison(Offence(1, "GameCreated of a fork"))
    return Comparison(None, words)


def _compare(fork: Evidence, opening: Opening, parent: Evidence) -> str:
    """The words for what is the same. Raises Offended, or one of CANT_HAPPEN."""
    if not parent.events:
        raise Offended(Offence(1, "a parent whose log can be read"))
    created, original = opening.created, parent.events[0]["data"]
    if not same(created.get("parent"), original["game"]):
        raise Offended(Offence(1, f"GameCreated with parent {quote(original['game'])}"))
    for name in _TABLE:
        if not same(created.get(name), original[name]):
            raise Offended(Offence(1, f"GameCreated with {name} {quote(original[name])}, as in the parent"))
    version = whole_number(created.get("from"))
    if opening.position is None or opening.copied:
        return _compare_copy(fork, parent, version)
    hidden = fork.seed is None or parent.seed is None
    return _compare_position(opening.position, parent, version, 2 + len(opening.joined), redacted=hidden)


def _compare_copy(copy: Evidence, parent: Evidence, version: int) -> str:
    end = first_version("GameEnded", parent.events)
    if not end:
        raise Offended(Offence(1, "GameCreated of a parent that is over; a game that runs can't be copied"))
    if not 1 <= version < end:
        raise Offended(Offence(1, f"GameCreated with from 1 to {end - 1}, for the parent ended at version {end}"))
    # What is missing to the first turn follows at once.
    starts = first_version("TurnStarted", parent.events), first_version("PositionSet", parent.events)
    until = max(version, min(filter(None, starts)))
    redacted = copy.seed is None or parent.seed is None
    for index, original in enumerate(parent.events[:until]):
        if index == len(copy.events):
            raise Offended(Offence(index + 1, f"{original['type']}, as in the parent"))
        if expected := _copy_fault(copy.events[index], original, redacted=redacted):
            raise Offended(Offence(index + 1, f"{expected}, as in the parent"))
    return f"Events 1 to {until} are those of the parent{', as far as this log shows them' * redacted}."


def _copy_fault(event: EventRecord, original: EventRecord, *, redacted: bool) -> str:
    """What the copy of an event should have been; empty where it is."""
    kind: str = original["type"]
    at = original["at"]
    if event["type"] != kind:
        return kind
    if event.get("at") != at:
        return f"{kind} at {at}"
    own = _OWN.get(kind, frozenset())
    data, expected = ({name: one["data"][name] for name in one["data"].keys() - own} for one in (event, original))
    return _member_fault(kind, data, expected, redacted=redacted)


def _compare_position(position: JsonObject, parent: Evidence, version: int, set_at: int, *, redacted: bool) -> str:
    """Compare the data of PositionSet, the fork's version `set_at`, with the parent's position at `version`."""
    if not 1 <= version <= len(parent.events):
        last = len(parent.events)
        raise Offended(Offence(1, f"GameCreated with from 1 to {last}, where the parent's log ends"))
    then = _fold_parent(parent, version)
    if then.status != "playing":
        raise Offended(Offence(1, "GameCreated with a from at which the parent was in a turn"))
    try:
        seat, data = whole_number(position["seat"]), hide_unseen(position)
        assert seat < len(then.seats)
    except CANT_HAPPEN:
        raise Offended(Offence(set_at, "a position of the form that there is")) from None
    expected = visible_position(view_of(then, seat, ""), scores_of(then))
    if parent.seed is None:
        expected = _without_stand_ins(expected)
    if fault := _member_fault("PositionSet", data, json.loads(canonical_json(expected)), redacted=redacted):
        raise Offended(Offence(set_at, f"{fault}, as seat {seat} saw it in the parent at version {version}"))
    if redacted:
        same_position = f"The position is the parent's at version {version}, as far as both logs show it"
        return f"{same_position}; hidden cards were not compared."
    return f"The position is the one that seat {seat} saw in the parent at version {version}."


def _fold_parent(parent: Evidence, version: int) -> Game:
    try:
        return fold(parent, version)
    except Offended as offended:
        read = offended.offence.version - 1
        raise Offended(Offence(1, f"a parent whose log can be read beyond version {read}")) from None


def _without_stand_ins(position: JsonObject) -> JsonObject:
    """A position that was folded from a redacted log, with null for the cards that are hidden there."""
    return position | {
        "hands": [None for _ in position["hands"]],
        "rows": [[row | {"businessmaker": None} for row in laid] for laid in position["rows"]],
    }


def _member_fault(kind: str, data: JsonObject, expected: JsonObject, *, redacted: bool) -> str:
    """The first member of `data` that isn't as expected; empty where all are."""
    agrees = _agrees if redacted else same
    for name, value in expected.items():
        if name not in data or not agrees(data[name], value):
            return f"{kind} with {name} {quote(value)}"
    return "" if data.keys() == expected.keys() else f"{kind} with {', '.join(sorted(expected))} and no more"


def _agrees(left: Any, right: Any) -> bool:
    """Equal as JSON values, but for what is null in either of them."""
    if left is None or right is None:
        return True
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_agrees(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_agrees, left, right))
    return same(left, right)
