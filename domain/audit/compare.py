"""How the audit compares JSON values, and an event of a log with what it should have been.

A function that compares gives what should have been there, in words; an empty text where it is.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from domain.events import EVENT_TABLE, FIELDS, Event, EventRecord, payload_of, type_of
from domain.fairness.canonical import NOT_JSON, JsonObject, canonical_json

_HEX: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_LONGEST: Final = 200
"""Characters of a value that a detail quotes."""
_NOT_THE_RULES: Final = frozenset({"commitment", "server_seed"})
"""The check `commitment` compares these."""
_NESTED: Final = frozenset({"GameCreated", "GameStarted", "PositionSet", "RoundScored", "GameEnded"})


def same(left: Any, right: Any) -> bool:
    """Equal as JSON values: True is not 1, and 1.0 is not written as 1."""
    try:
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
    """What `event` should have been, where it isn't `expected`.

    `redacted`: null may stand in the place of a card that a viewer may not see.
    """
    kind, data = event["type"], event["data"]
    if kind != type_of(expected):
        return type_of(expected)
    if kind not in _NESTED and _is_plainly(expected, kind, data):  # nearly always: spares two objects
        return ""
    payload = payload_of(expected)
    if kind == "GameCreated":
        payload = {name: value for name, value in payload.items() if name not in _NOT_THE_RULES}
        data = {name: value for name, value in data.items() if name not in _NOT_THE_RULES}
    elif redacted and "card" in payload and not EVENT_TABLE[kind].public and data.get("card", "") is None:
        payload["card"] = None
    return member_difference(kind, data, payload)


def _is_plainly(expected: Event, kind: str, data: JsonObject) -> bool:
    fields = FIELDS[kind]
    for field in fields:
        value, found = getattr(expected, field), data.get(field)
        if found != value or type(found) is not type(value):
            return False
    return len(data) == len(fields)


def member_difference(
    kind: str, data: JsonObject, expected: JsonObject, agrees: Callable[[Any, Any], bool] = same
) -> str:
    """Which member an event's data should have had."""
    for name, value in expected.items():
        if name not in data or not agrees(data[name], value):
            return f"{kind} with {name} {quote(value)}"
    return "" if len(data) == len(expected) else f"{kind} with {', '.join(expected)} and no more"


def deal_difference(expected: Event, data: JsonObject) -> str:
    """Which cards a deal or a position should have had, in full."""
    members = payload_of(expected)
    for name, value in members.items():
        if not same(data.get(name), value):
            return f"{name} {canonical_json(value).decode()}"
    return "" if len(data) == len(members) else f"{', '.join(members)} alone"
