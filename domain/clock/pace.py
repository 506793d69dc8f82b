"""The pace of a game: how long a turn may take, and what happens then (contract 6, "Pace")."""

from dataclasses import dataclass
from typing import Any, Final

from domain.clock.hours import Hours, is_hours

TURN_SECONDS: Final = (60, 90 * 24 * 3600)
"""The least and the most that a turn may have."""
BANK_SECONDS: Final = (0, TURN_SECONDS[1])
"""The least and the most that a time bank may hold, and that a turn may add to it."""
ON_TIMEOUT: Final = ("bot", "wait")
"""A bot plays the rest of a turn that has timed out, or nothing happens; the first is the default."""
_ALWAYS: Final = frozenset({"turn_seconds", "on_timeout"})
TIMEOUTS: Final = (2, 20)
"""The least and the most timed-out turns after which a seat may be abandoned."""
_OPTIONAL: Final = ("reminder_seconds", "bank_seconds", "bank_refill_seconds", "hours", "timeouts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    turn_seconds: int
    reminder_seconds: int | None = None
    """So long before the turn's time is used up; None: no reminder."""
    on_timeout: str = ON_TIMEOUT[0]
    bank_seconds: int | None = None
    """What each seat has for all of its turns, when their time is used up; None: nothing."""
    bank_refill_seconds: int | None = None
    """What each turn of a seat gives back to its bank, which never holds more than `bank_seconds`."""
    hours: Hours | None = None
    """The clock runs only then; None: at all hours."""
    timeouts: int | None = None
    """A seat is abandoned, too, when so many of its turns have timed out since it was reclaimed; only with a bot."""

    @classmethod
    def from_json(cls, pace: dict[str, Any]) -> "Pace":
        """From the contract's shape, for which `is_pace` holds."""
        hours = pace.get("hours")
        return cls(**(pace | {"hours": None if hours is None else Hours.from_json(hours)}))

    @property
    def has_stand_in(self) -> bool:
        """Whether a bot plays the rest of a turn that has timed out."""
        return self.on_timeout == ON_TIMEOUT[0]

    def to_json(self) -> dict[str, Any]:
        """In the contract's shape; what a game doesn't have is no member."""
        given = {name: getattr(self, name) for name in _OPTIONAL}
        optional = {name: value for name, value in given.items() if value is not None}
        if self.hours is not None:
            optional["hours"] = self.hours.to_json()
        return {"turn_seconds": self.turn_seconds, **optional, "on_timeout": self.on_timeout}


def is_pace(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() - {*_OPTIONAL} != _ALWAYS:
        return False
    seconds = value["turn_seconds"]
    if not (is_within(seconds, *TURN_SECONDS) and value["on_timeout"] in ON_TIMEOUT):
        return False
    if not is_within(value.get("reminder_seconds", 1), 1, seconds - 1):
        return False
    if "bank_refill_seconds" in value and "bank_seconds" not in value:
        return False
    if "timeouts" in value and not (value["on_timeout"] == ON_TIMEOUT[0] and is_within(value["timeouts"], *TIMEOUTS)):
        return False
    banks = [value[name] for name in ("bank_seconds", "bank_refill_seconds") if name in value]
    return all(is_within(bank, *BANK_SECONDS) for bank in banks) and ("hours" not in value or is_hours(value["hours"]))


def is_within(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most
