"""How many requests a second one client may make, counted in each web process."""

from flask import Flask, request
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from service.api.problems import Problem


def register(app: Flask, per_second: int, processes: int) -> None:
    """Refuse a client's requests above the limit; 0: none is refused.

    The web processes count apart, so that counting costs no trip to the store; each gets its share of the limit.
    """
    if not per_second:
        return
    limiter = FixedWindowRateLimiter(MemoryStorage())
    share = RateLimitItemPerSecond(max(1, per_second // processes))
    free = frozenset({"/healthz", "/readyz", "/metrics"})

    @app.before_request
    def count() -> None:
        if request.path not in free and not limiter.hit(share, request.remote_addr or ""):
            raise Problem("too-many-requests", "Too many requests a second.", headers={"Retry-After": "1"})
