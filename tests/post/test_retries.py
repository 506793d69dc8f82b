"""When a failed delivery is tried again."""

import random
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.post.channels.webhook import MAX_RETRY_AFTER_S, RETRY_DELAYS_S, RETRY_PERIOD_S, next_attempt


def test_the_delays() -> None:
    """About 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then daily to three days."""
    chance, first, at, attempt, delays = random.Random(2), 1_000_000, 1_000_000, 1, []
    while (following := next_attempt(attempt, first, at, None, chance)) is not None:
        delays.append((following - at) / 1000)
        at, attempt = following, attempt + 1
    assert [round(delay / about) for delay, about in zip(delays, RETRY_DELAYS_S, strict=True)] == [1] * 8
    assert len({round(delay / about, 6) for delay, about in zip(delays, RETRY_DELAYS_S, strict=True)}) == 8, "no jitter"
    assert at - first <= 1000 * RETRY_PERIOD_S


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 120 ", 120),
        ("86400", MAX_RETRY_AFTER_S),
        ("999999999", MAX_RETRY_AFTER_S),
        ("1000000000", MAX_RETRY_AFTER_S),
        ("9" * 5000, MAX_RETRY_AFTER_S),
        (format_datetime(datetime(2026, 1, 1, 0, 2, tzinfo=UTC), usegmt=True), 120),
        (format_datetime(datetime(2030, 1, 1, tzinfo=UTC), usegmt=True), MAX_RETRY_AFTER_S),
        (format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True), None),
        ("0", None),
        ("1", None),
        ("-120", None),
        ("1e9", None),
        ("Thu, 99 Foo 2026 99:99:99 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(header: str | None, seconds: int | None) -> None:
    """Seconds or a date, up to a day; what is shorter than the delay, or no such header, changes nothing."""
    at = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    following = next_attempt(1, at, at, header, random.Random(3))
    assert following is not None
    assert following - at == 1000 * seconds if seconds else 4_500 <= following - at <= 5_500


@given(st.integers(1, 12), st.integers(0, 4 * 86_400), st.none() | st.text() | st.integers().map(str), st.randoms())
def test_attempts_end_after_three_days(attempt: int, age: int, header: str | None, chance: random.Random) -> None:
    """A receiver can put attempts off by at most a day each, and not beyond the third."""
    at = 1_800_000_000_000
    following = next_attempt(attempt, at, at + 1000 * age, header, chance)
    if following is not None:
        assert attempt <= 8
        assert 0 < following - (at + 1000 * age) <= 1100 * MAX_RETRY_AFTER_S
        assert following - at <= 1000 * RETRY_PERIOD_S
