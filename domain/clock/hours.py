"""The hours of the day in which a game's clock runs, by the clocks of a time zone.

Rule 1: the hours of a day begin at the last moment at which the zone's clocks show `from`, and end at the first at
which they show `to`; a time that the clocks skip is the moment at which they skip it. So the clock never runs outside.
Rule 2: the zones' rules come from the package `tzdata` alone, whose release is pinned, never from the machine.
Times and durations are in milliseconds, times since 1970.
"""

import re
import zoneinfo
from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo

LEAST_MINUTES: Final = 60
"""The shortest hours of a day: a turn of 90 days would last for centuries with less."""
_TIME: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_DAY: Final = 24 * 3600 * 1000
_MINUTE: Final = 60_000
_WEEK: Final = 7
"""Days. No zone changes its clocks there and back within a week."""
_EPOCH: Final = date(1970, 1, 1).toordinal()
_FIRST_DAY: Final = 3
_LAST_DAY: Final = date.max.toordinal() - 2 * _WEEK
"""Days since the year 1; outside of them the clock always runs, as the calendar has no hours there."""

zoneinfo.reset_tzpath(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """Hours of a day, the same every day; over midnight where they end before they begin."""

    opens: int
    """Minutes after midnight, by the zone's clocks, as `closes`."""
    closes: int
    zone: str
    """A name of the IANA time zone database."""

    @classmethod
    def from_json(cls, hours: Any) -> "Hours":
        """From the contract's shape, for which `is_hours` holds."""
        return cls(opens=_minutes(hours["from"]), closes=_minutes(hours["to"]), zone=hours["zone"])

    def to_json(self) -> dict[str, str]:
        """In the contract's shape: {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"}."""
        return {"from": _text(self.opens), "to": _text(self.closes), "zone": self.zone}

    @property
    def minutes(self) -> int:
        """How long they are, on a day on which the clocks aren't changed."""
        return (self.closes - self.opens) % (24 * 60)


def is_zone(name: str) -> bool:
    return name in zoneinfo.available_timezones()


def is_time(text: str) -> bool:
    """Whether it is a time of day, as `08:00`."""
    return _TIME.fullmatch(text) is not None


def is_hours(value: Any) -> bool:
    """Whether a JSON value are hours in the contract's shape, of at least LEAST_MINUTES."""
    if not isinstance(value, dict) or value.keys() != {"from", "to", "zone"}:
        return False
    if not all(isinstance(text, str) for text in value.values()):
        return False
    if not (is_time(value["from"]) and is_time(value["to"]) and is_zone(value["zone"])):
        return False
    return Hours.from_json(value).minutes >= LEAST_MINUTES


@lru_cache(maxsize=1024)
def end_of(hours: Hours | None, at: int, duration: int) -> int:
    """The first moment at which the clock has run for `duration` since `at`; None: it runs at all hours.

    The last results are kept: each view and append needs a turn's deadline.
    """
    if hours is None:
        return at + duration
    day, week = _first_day(hours, at), _WEEK * hours.minutes * _MINUTE
    while day < _LAST_DAY:
        opens = _opens(hours, day)
        while duration > week and opens >= at and _is_usual_week(hours, day, opens):
            day, opens, duration = day + _WEEK, opens + _WEEK * _DAY, duration - week
        begins, closes = max(opens, at), _closes(hours, day)
        if duration <= closes - begins:
            return begins + duration
        duration -= max(0, closes - begins)
        day += 1
    return at + duration


def running(hours: Hours | None, since: int, until: int) -> int:
    """How long the clock runs from `since` to `until`; 0 where `until` is not later."""
    if hours is None or until <= since:
        return max(0, until - since)
    day, week, total = _first_day(hours, since), _WEEK * hours.minutes * _MINUTE, 0
    while day < _LAST_DAY:
        opens = _opens(hours, day)
        while since <= opens <= until - _WEEK * _DAY and _is_usual_week(hours, day, opens):
            day, opens, total = day + _WEEK, opens + _WEEK * _DAY, total + week
        if opens >= until:
            return total
        total += max(0, min(_closes(hours, day), until) - max(opens, since))
        day += 1
    return until - since


def _is_usual_week(hours: Hours, day: int, opens: int) -> bool:
    """Whether the clocks aren't changed between the beginning of a day's hours and that of a week later."""
    return day + _WEEK < _LAST_DAY and _opens(hours, day + _WEEK) - opens == _WEEK * _DAY


def _first_day(hours: Hours, at: int) -> int:
    """The day, counted from the year 1, before that of the moment: its hours may last until then."""
    try:
        return max(_FIRST_DAY, datetime.fromtimestamp(at // 1000, ZoneInfo(hours.zone)).toordinal() - 1)
    except (ValueError, OverflowError, OSError):
        return _LAST_DAY


def _opens(hours: Hours, day: int) -> int:
    """When the clock begins to run on a day, counted from the year 1."""
    return _moment(hours.zone, day, hours.opens, is_last=True)


def _closes(hours: Hours, day: int) -> int:
    return _moment(hours.zone, day + (hours.closes <= hours.opens), hours.closes, is_last=False)


def _moment(zone: str, day: int, minute: int, *, is_last: bool) -> int:
    """The last, or the first, moment at which the zone's clocks show that minute of the day."""
    shown = datetime.fromordinal(day).replace(hour=minute // 60, minute=minute % 60, tzinfo=ZoneInfo(zone))
    wall = (day - _EPOCH) * _DAY + minute * _MINUTE
    before, after = _offset(shown), _offset(shown.replace(fold=1))
    if before < after:  # the clocks are set forward between these
        seconds = range((wall - after) // 1000 + 1, (wall - before) // 1000)
        at = bisect_left(seconds, after, key=lambda moment: _offset(datetime.fromtimestamp(moment, ZoneInfo(zone))))
        return 1000 * (seconds.start + at)
    return wall - (after if is_last else before)


def _offset(moment: datetime) -> int:
    """The difference of the zone's clocks to UTC then."""
    offset = moment.utcoffset()
    assert offset is not None
    return (offset.days * 24 * 3600 + offset.seconds) * 1000


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


def _text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
