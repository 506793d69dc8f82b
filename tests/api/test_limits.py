"""How many requests a second one client may make."""

from pathlib import Path

import pytest
from flask import Flask

from service.api.protocol import limits, problems
from service.api.protocol.limits import RateLimiter


@pytest.mark.parametrize("limit", [1, 5])
def test_a_client_has_a_limit_of_requests_per_second(limit: int) -> None:
    """One more than the limit is refused, and the next second begins anew."""
    requests = RateLimiter(limit, None)
    assert [requests.allow("a", 7) for _ in range(limit + 1)] == [True] * limit + [False]
    assert requests.allow("b", 7)
    assert requests.allow("a", 8)


def test_processes_count_together(tmp_path: Path) -> None:
    """Two maps of one file, as two web processes have them, share the counts."""
    one, other = (RateLimiter(3, tmp_path / "requests") for _ in range(2))
    assert [one.allow("a", 7), other.allow("a", 7), one.allow("a", 7), other.allow("a", 7)] == [True, True, True, False]


def test_a_request_over_the_limit_gets_retry_after() -> None:
    """429 as a problem, with Retry-After; whether the process is up may always be asked."""
    app = Flask(__name__)
    app.add_url_rule("/v1/bots", "bots", lambda: "bots")
    app.add_url_rule("/healthz", "health", lambda: "up")
    problems.register(app)
    limits.register(app, 1)
    asking = app.test_client()
    answers = [asking.get("/v1/bots") for _ in range(50)]  # within three seconds, whatever the machine
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["Retry-After"] == "1"
    assert refused.content_type == "application/problem+json"
    assert refused.get_json()["type"] == "/problems/too-many-requests"
    assert {asking.get("/healthz").status_code for _ in range(50)} == {200}
