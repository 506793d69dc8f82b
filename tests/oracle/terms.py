"""Words and values of the contract that all parts of the second engine read, and the checks that they share."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from tests.support.cases import cases

Event = dict[str, Any]
Action = dict[str, Any]
Due = tuple[str, dict[str, Any]]

BUSINESSES = (
    "shares", "gold", "property", "currency", "luxury", "gambling", "antiques", "oil", "jewellery", "art",
)  # fmt: skip
SPECIALS = ("multitalent", "risk")
HAND_CARDS = (*BUSINESSES, *SPECIALS)
THRESHOLDS = (4, 7, 10)
ALL_CARDS = 110
TURN_POINTS, MOST_BUSINESSMAKERS, DISPLAY_SLOTS, ROUNDS = 3, 10, 3, 3

HAND = 4
RULE_SETS = {"standard@1": {"expensive_specials": HAND, "staggered_start": HAND}}
"""The variants of each, with the cards that a hand is dealt by it; the last one is that of new games."""
NEWEST = [*RULE_SETS][-1]
ASIDES, OF_BANK = frozenset(cases(__file__, "asides")), frozenset(cases(__file__, "bank"))
_MEMBERS = cases(__file__, "play") | cases(__file__, "bank") | cases(__file__, "asides")
KEYS = {kind: frozenset(words.split()) for kind, words in _MEMBERS.items()}
OPTIONAL_KEYS = {kind: {*words.split()} for kind, words in cases(__file__, "optional").items()}
ERASABLE = {"PlayerJoined": "name", "SeatReplaced": "name", "MessagePosted": "text"}
SILENCE = timedelta(days=14)
"""So long the game waits for a silent seat."""
CONSENTS = 20
"""The most that a seat gives in a game."""
OF_PEOPLE = (ASIDES - {"MessagePosted"}) | OF_BANK | {"GamePaused"}
"""Events that a copy has from its parent, and that are about the people there."""
ACTION_EVENTS: dict[str, str] = cases(__file__, "action_events")
ACTION_FIELDS = {kind: tuple(words.split()) for kind, words in cases(__file__, "action_fields").items()}
STATE_REFUSALS = {"open": "game-not-started", "over": "game-over", "scoring": "scoring-in-progress"}


def need(holds: object, complaint: str) -> None:
    """Raise `AssertionError(complaint)` unless `holds`: works under `python -O` too."""
    if not holds:
        raise AssertionError(complaint)


def same(left: object, right: object) -> bool:
    """Equal as JSON values of the same types, so that True is not 1 and 1.0 is not 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def whole(number: object) -> bool:
    """Whether a JSON value is an integer (a boolean is none)."""
    return isinstance(number, int) and not isinstance(number, bool)


def well_formed(action: object) -> Action | None:
    """Return an action with its numbers as integers, or None where it must be a 422."""
    if not isinstance(action, dict) or not isinstance(action.get("type"), str):
        return None
    fields = ACTION_FIELDS.get(action["type"])
    if fields is None or set(action) != {"type", *fields}:
        return None
    plain = {key: int(item) if isinstance(item, float) and item.is_integer() else item for key, item in action.items()}
    if "card" in plain and plain["card"] not in HAND_CARDS:
        return None
    if "slot" in plain and not (whole(plain["slot"]) and plain["slot"] in range(DISPLAY_SLOTS)):
        return None
    return None if "row" in plain and not (whole(plain["row"]) and plain["row"] in range(10)) else plain


def allowed(zone: str, **times: str) -> bool:
    """Whether hours have the contract's shape: {"from", "to", "zone"}, an hour at least."""
    if set(times) != {"from", "to"} or zone not in available_timezones():
        return False
    if not all(re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", time) for time in times.values()):
        return False
    begins, ends = (60 * int(time[:2]) + int(time[3:]) for time in (times["from"], times["to"]))
    return (ends - begins) % 1440 >= 60


def hand_of(created: dict[str, Any]) -> int:
    """Return how many cards each hand of a game is dealt."""
    return max(size if created["variants"][name] else HAND for name, size in RULE_SETS[created["rules"]].items())


def moment(at: str) -> datetime:
    return datetime.fromisoformat(at).astimezone(UTC)


def text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
