"""The activity clock: when an action arrived last, on any process of the machine."""

from pathlib import Path

from service.runtime.shared import ActivityClock


def test_processes_share_the_clock(tmp_path: Path) -> None:
    """Every process sees the actions of all; before the first action the last one counts as long ago."""
    ours, theirs = (ActivityClock(tmp_path / "activity") for _ in range(2))
    assert theirs.seconds_since() > 1
    ours.mark()
    assert 0 <= theirs.seconds_since() < 60
    later = ActivityClock(tmp_path / "activity")  # a process that is started again
    assert 0 <= later.seconds_since() < 60


def test_a_process_alone_has_its_own_clock() -> None:
    ours, theirs = ActivityClock(), ActivityClock()
    ours.mark()
    assert ours.seconds_since() < 60
    assert theirs.seconds_since() > ours.seconds_since() + 1
