"""A fork against its parent's own log: what that log proves exactly.

Rule 1: what the parent's log hides is not compared, and not guessed.
Rule 2: the parent's log is taken as it is; whether it is sound is an audit of its own.
Rule 3: a log that doesn't reach the version that the fork names contradicts the fork.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.audit.evidence import CANT_HAPPEN, Evidence, evidence_of, fold
from domain.audit.findings import Offence, member_difference, quote, same, whole_number
from domain.audit.opening import Opening, first_version
from domain.erasure import ERASED
from domain.events import ENDS, EventRecord
from domain.fairness.canonical import JsonObject, canonical_json
from domain.fairness.chain import ERASABLE, hashed_data
from domain.forks.position import hide_unseen, visible_position
from domain.state import Game
from domain.view import redact_event, scores_of, view_of

_OWN: Final = {
    "GameCreated": frozenset({"game", "listed", "parent", "from", "pace", "replaceable", "name"}),
    "PlayerJoined": frozenset({"name", "bot", "salt"}),
}
"""By event type: the members in which a copy differs from its parent."""
_TABLE: Final = ("rules", "seats", "variants", "starting_seat")
"""The members of GameCreated that a fork of a running game has from its parent."""


@dataclass(frozen=True, slots=True)
class Comparison:
    offence: Offence | None
    words: str = ""
    """What is the same, where nothing differs."""


def as_spectators_see(events: Sequence[EventRecord]) -> list[EventRecord] | None:
    """A log as every spectator may see it: a game that isn't over without its hidden cards. None if it can't happen."""
    head = fold(evidence_of(events), len(events))
    return [redact_event(event, None, head) for event in events] if head.version == len(events) else None


def compare_with_parent(fork: Evidence, opening: Opening, parent: Sequence[Any]) -> Comparison:
    """Compare a fork's log with the log of its parent, which may be redacted.

    A copy of a finished game has the parent's events up to its version: the same deal, actions and times; id, names
    and hashes are its own. A fork of a running game starts from the position that its seat saw in the parent then.
    """
    origin = evidence_of(parent)
    try:
        if expected := _table_fault(opening.created, origin.events):
            return Comparison(Offence(1, expected))
        version = whole_number(opening.created.get("from"))
        is_redacted = fork.seed is None or origin.seed is None
        if opening.position is None or opening.copied:
            return _compare_copy(fork.events, origin.events, version, redacted=is_redacted)
        return _compare_position(opening.position, opening.position_at, origin, version, redacted=is_redacted)
    except CANT_HAPPEN:
        return Comparison(Offence(1, "GameCreated of a fork"))


def _table_fault(created: JsonObject, parent: Sequence[EventRecord]) -> str:
    """What the GameCreated of a fork should have been, beside the parent's; empty where it is."""
    if not parent:
        return "a parent whose log can be read"
    original = parent[0]["data"]
    if not same(created.get("parent"), original["game"]):
        return f"GameCreated with parent {quote(original['game'])}"
    for name in _TABLE:
        if not same(created.get(name), original[name]):
            return f"GameCreated with {name} {quote(original[name])}, as in the parent"
    return ""


def _compare_copy(
    copy: Sequence[EventRecord], parent: Sequence[EventRecord], version: int, *, redacted: bool
) -> Comparison:
    end = first_version(ENDS, parent)
    if not end:
        return Comparison(Offence(1, "GameCreated of a parent that is over; a game that runs can't be copied"))
    if not 1 <= version < end:
        expected = f"GameCreated with from 1 to {end - 1}, for the parent ended at version {end}"
        return Comparison(Offence(1, expected))
    # What is missing to the first turn follows at once.
    starts = first_version({"TurnStarted"}, parent), first_version({"PositionSet"}, parent)
    until = max(version, min(filter(None, starts)))
    for number, original in enumerate(parent[:until], 1):
        expected = (
            original["type"] if number > len(copy) else _copy_fault(copy[number - 1], original, redacted=redacted)
        )
        if expected:
            return Comparison(Offence(number, f"{expected}, as in the parent"))
    seen = ", as far as this log shows them" * redacted
    return Comparison(None, f"Events 1 to {until} are those of the parent{seen}.")


def _copy_fault(event: EventRecord, original: EventRecord, *, redacted: bool) -> str:
    kind: str = original["type"]
    at = original["at"]
    if event["type"] != kind:
        return kind
    if event.get("at") != at:
        return f"{kind} at {at}"
    differing = _OWN.get(kind, frozenset())
    both = [event["data"], original["data"]]
    if kind in ERASABLE and ERASED in (data.get(ERASABLE[kind]) for data in both):
        differing |= {ERASABLE[kind]}
        if all("salt" in data for data in both):
            both = [data | {"salt": _digest_in(kind, data)} for data in both]
    data, expected = ({name: members[name] for name in sorted(members.keys() - differing)} for members in both)
    return member_difference(kind, data, expected, expected.values(), hidden=redacted)


def _digest_in(kind: str, data: JsonObject) -> Any:
    """The digest of the words in the data of an event, in the form of `read_erased`."""
    return data.get("salt") if data[ERASABLE[kind]] == ERASED else hashed_data(kind, data)["digest"]


def _compare_position(
    position: JsonObject, position_at: int, parent: Evidence, version: int, *, redacted: bool
) -> Comparison:
    """Compare the data of PositionSet, the fork's version `position_at`, with the parent's position at `version`."""
    then = _game_at(parent, version)
    if isinstance(then, str):
        return Comparison(Offence(1, then))
    try:
        seat, data = whole_number(position["seat"]), hide_unseen(position)
        assert seat < len(then.seats)
    except CANT_HAPPEN:
        return Comparison(Offence(position_at, "a position of the form that there is"))
    expected = visible_position(view_of(then, seat, ""), scores_of(then))
    if parent.seed is None:
        expected = _without_stand_ins(expected)
    expected = json.loads(canonical_json(expected))
    if fault := member_difference("PositionSet", data, expected, expected.values(), hidden=redacted):
        return Comparison(Offence(position_at, f"{fault}, as seat {seat} saw it in the parent at version {version}"))
    if redacted:
        same_position = f"The position is the parent's at version {version}, as far as both logs show it"
        return Comparison(None, f"{same_position}; hidden cards were not compared.")
    return Comparison(None, f"The position is the one that seat {seat} saw in the parent at version {version}.")


def _game_at(parent: Evidence, version: int) -> Game | str:
    """The parent as it was when it was forked; in words what should be there instead, where it can't have been."""
    last = len(parent.events)
    if not 1 <= version <= last:
        return f"GameCreated with from 1 to {last}, where the parent's log ends"
    then = fold(parent, version)
    if then.version < version:
        return f"a parent whose log can be read beyond version {then.version}"
    return then if then.status == "playing" else "GameCreated with a from at which the parent was in a turn"


def _without_stand_ins(position: JsonObject) -> JsonObject:
    """A position that was folded from a redacted log, with null for the cards that are hidden there."""
    return position | {
        "hands": [None for _ in position["hands"]],
        "rows": [[row | {"businessmaker": None} for row in laid] for laid in position["rows"]],
    }
