"""Allowed hours of the clock: what runs, by the clocks of a zone, and across changes of the clocks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.clock.hours import Hours, end_of, is_hours, running
from tests.support.cases import cases

HOUR = 3600 * 1000
DAY = 24 * HOUR
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "UTC")
BASE = datetime(2026, 1, 1, tzinfo=UTC)


def at(text: str, zone: str = "Europe/Berlin") -> int:
    """Milliseconds since 1970 of a local time."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


@pytest.mark.parametrize(("opens", "closes", "since", "seconds", "end"), cases(__file__, "the_clock_runs_in_its_hours"))
def test_the_clock_runs_in_its_hours(opens: str, closes: str, since: str, seconds: float, end: str) -> None:
    """Also over midnight, on the days on which clocks are changed, and where hours begin or end in such a change."""
    hours, duration = Hours.from_json({"from": opens, "to": closes, "zone": "Europe/Berlin"}), round(1000 * seconds)
    assert end_of(hours, at(since), duration) == at(end)
    assert running(hours, at(since), at(end)) == duration


@st.composite
def some_hours(draw: st.DrawFn) -> Hours:
    """Of any zone, at least an hour long."""
    opens, length = draw(st.integers(0, 1439)), draw(st.integers(60, 1439))
    return Hours(opens=opens, closes=(opens + length) % 1440, zone=draw(st.sampled_from(ZONES)))


MOMENTS = st.integers(0, 3 * 365 * 24 * 60).map(lambda minutes: round(BASE.timestamp() * 1000) + minutes * 60_000)


@given(hours=some_hours(), since=MOMENTS, duration=st.integers(1, 200 * DAY))
def test_the_end_is_where_so_much_has_run(hours: Hours, since: int, duration: int) -> None:
    """To the millisecond; and it is reached in steps as at once."""
    end = end_of(hours, since, duration)
    assert running(hours, since, end) == duration
    assert running(hours, since, end - 1) == duration - 1
    half = duration // 2
    if half:
        assert end_of(hours, end_of(hours, since, half), duration - half) == end
    middle = since + (end - since) // 3
    assert running(hours, since, middle) + running(hours, middle, end) == duration


@given(hours=some_hours(), since=MOMENTS, days=st.integers(0, 20))
def test_no_minute_runs_outside_the_hours(hours: Hours, since: int, days: int) -> None:
    """As a clock on the wall shows them, and all others run but in the hour that comes twice."""
    zone, day = ZoneInfo(hours.zone), since + days * DAY
    for minute in range(0, 1500, 5):
        moment = day + minute * 60_000
        shown = datetime.fromtimestamp(moment / 1000, zone)
        since_opening = (shown.hour * 60 + shown.minute - hours.opens) % 1440
        runs = running(hours, moment, moment + 60_000)
        if since_opening >= hours.minutes:
            assert runs == 0, shown
        elif runs < 60_000:
            around = {(shown + timedelta(hours=by)).utcoffset() for by in (-26, 26)}
            assert len(around) == 2, shown


def test_distant_times_cost_little() -> None:
    """The longest turn in the shortest hours: a step a week, and nothing fails at the calendar's ends."""
    short = Hours(opens=0, closes=60, zone="Europe/Berlin")
    assert end_of(short, at("2026-01-01T00:00"), 4320 * HOUR) == at("2037-10-29T01:00")
    for moment in (-62135596800000, 253402300799000, 10**18):
        assert end_of(short, moment, DAY) > moment
        assert running(short, moment, moment + DAY) >= 0


@pytest.mark.parametrize("value", [None, *cases(__file__, "what_are_no_hours")], ids=str)
def test_what_are_no_hours(value: object) -> None:
    """Members, forms and zones as the contract has them, at least an hour."""
    assert not is_hours(value)
    good = {"from": "22:00", "to": "06:00", "zone": "America/Argentina/Buenos_Aires"}
    assert is_hours(good)
    assert Hours.from_json(good).to_json() == good
