"""What a check finds, and how JSON values and events are compared with what they should have been.

A function that compares gives what should have been there, in words; an empty text where it is.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeGuard

from domain.events import EVENT_TABLE, FIELDS, OPTIONAL, Event, EventRecord, payload_of, type_of
from domain.fairness.canonical import NOT_JSON, JsonObject, canonical_json
from domain.view import Viewer


class Offence(NamedTuple):
    """The first thing in a log that is not as it must be."""

    version: int
    """By its place in the log: the event at the place of this version."""
    expected: str
    """What should have been there. May name hidden cards: show it for finished games only."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check before it is put into words."""

    name: str
    offence: Offence | None
    good_detail: str = ""
    """For a check that doesn't fail."""
    possible: bool = True
    """Whether the check could be made as far as the log goes."""
    open_detail: str = "This log can't show it."
    """For a check that couldn't."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a service serves of the game at the log's last version."""

    views: Mapping[Viewer, Any]
    scores: Any


def first_of(*offences: Offence | None) -> Offence | None:
    """The one with the lowest version; None where there is none."""
    return min((offence for offence in offences if offence), default=None)


_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_LONGEST: Final = 200
"""Characters of a value that a detail quotes."""
_NOT_THE_RULES: Final = frozenset({"commitment", "server_seed"})
"""The check `commitment` compares these."""


def same(left: Any, right: Any, *, hidden: bool = False) -> bool:
    """Equal as JSON values: True is not 1, and 1.0 is not written as 1. `hidden`: but for what is null in either."""
    if hidden and (left is None or right is None):
        return True
    try:
        if type(left) is type(right):  # without JSON, which takes longer
            if isinstance(left, int) or (isinstance(left, str) and left.isascii()):
                return bool(left == right)
            if isinstance(left, list):
                return len(left) == len(right) and all(map(partial(same, hidden=hidden), left, right))
            if isinstance(left, dict):
                return left.keys() == right.keys() and all(
                    same(left[name], right[name], hidden=hidden) for name in left
                )
        return canonical_json(left) == canonical_json(right)
    except NOT_JSON:
        return False


def whole_number(value: object) -> int:
    """The value, an int of 0 or more. Raises AssertionError where it is anything else."""
    assert type(value) is int
    assert value >= 0
    return value


def is_hex(value: object) -> TypeGuard[str]:
    """Whether it is 32 bytes as lower-case hex digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def quote(value: Any, longest: int = _LONGEST) -> str:
    """The value as JSON, cut to `longest` characters."""
    text = canonical_json(value).decode()
    return text if len(text) <= longest else text[:longest] + "…"


def difference(expected: Event, event: EventRecord, *, redacted: bool = False) -> str:
    """What `event` should have been, if not `expected`; `redacted`: null may be a card that is hidden."""
    kind, data = event["type"], event["data"]
    if kind != type_of(expected):
        return type_of(expected)
    if kind not in OPTIONAL and not redacted:  # most events
        return member_difference(kind, data, FIELDS[kind], expected)
    payload = payload_of(expected)
    if kind == "GameCreated":
        payload = {name: value for name, value in payload.items() if name not in _NOT_THE_RULES}
        data = {name: value for name, value in data.items() if name not in _NOT_THE_RULES}
    elif redacted and "card" in payload and not EVENT_TABLE[kind].public and data.get("card", "") is None:
        payload["card"] = None
    return member_difference(kind, data, payload, payload.values())


def member_difference(
    kind: str, data: JsonObject, names: Collection[str], values: Iterable[Any], *, hidden: bool = False
) -> str:
    """What `data` should have been, if not these members; `hidden`: as in `same`."""
    for name, value in zip(names, values, strict=True):
        if name not in data or not (data[name] is value or same(data[name], value, hidden=hidden)):
            return f"{kind} with {name} {quote(value)}"
    return "" if len(data) == len(names) else f"{kind} with {', '.join(names)} and no more"


def deal_difference(expected: Event, data: JsonObject) -> str:
    """Which cards a deal or a position should have had, in full."""
    members = payload_of(expected)
    for name, value in members.items():
        if not same(data.get(name), value):
            return f"{name} {canonical_json(value).decode()}"
    return "" if len(data) == len(members) else f"{', '.join(members)} alone"
