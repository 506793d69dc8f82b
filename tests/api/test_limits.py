"""How many requests a second one client may make."""

from pathlib import Path

import pytest

from service.api.limits import RequestsOfASecond


@pytest.mark.parametrize("limit", [1, 5])
def test_a_client_may_ask_so_often_a_second(limit: int) -> None:
    """One more than the limit is refused, and the next second begins anew."""
    requests = RequestsOfASecond(limit, None)
    assert [requests.allow("a", 7) for _ in range(limit + 1)] == [True] * limit + [False]
    assert requests.allow("b", 7)
    assert requests.allow("a", 8)


def test_processes_count_together(tmp_path: Path) -> None:
    """Two maps of one file, as two web processes have them, share the counts."""
    one, other = (RequestsOfASecond(3, tmp_path / "requests") for _ in range(2))
    assert [one.allow("a", 7), other.allow("a", 7), one.allow("a", 7), other.allow("a", 7)] == [True, True, True, False]
