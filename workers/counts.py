"""What this worker process has counted since its last report; `service/api/exposition.py` says what each count means.

No count says which game, seat or card it is about.
"""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import wraps
from threading import Lock
from typing import Final, ParamSpec

from domain.events import ENDS
from service.gamelog.log import Outcome
from service.jobs import SCORE_ROUND, TIME_OUT
from service.status import BUCKETS

_P = ParamSpec("_P")
PLAY_TURN: Final = "workers.bots.play_turn"
"""No job of the queue, but counted like one."""
_LABELS: Final = {SCORE_ROUND: "score_round", PLAY_TURN: "play_turn", TIME_OUT: "time_out"}


class Counts:
    """Counts by name and labels. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: defaultdict[str, float] = defaultdict(float)

    def add(self, name: str, *labels: str, amount: float = 1) -> None:
        with self._lock:
            self._counts[" ".join((name, *labels))] += amount

    def observe(self, name: str, *labels: str, seconds: float) -> None:
        bounds = [*map(str, BUCKETS), "+Inf"]
        self.add(f"{name}_bucket", *labels, bounds[bisect_left(BUCKETS, seconds)])
        self.add(f"{name}_sum", *labels, amount=seconds)

    def take(self) -> dict[str, float]:
        """All counts, which are 0 again then."""
        with self._lock:
            taken = dict(self._counts)
            self._counts.clear()
            return taken

    def put_back(self, taken: Mapping[str, float]) -> None:
        """Count again what was taken and couldn't be reported."""
        for name, amount in taken.items():
            self.add(name, amount=amount)


COUNTS: Final = Counts()
"""Of this process, like prometheus_client's metrics."""


def count_outcome(outcome: Outcome) -> Outcome:
    """Count the events that a worker has appended. Returns the outcome."""
    if not outcome.repeated:
        COUNTS.add("reibach_worker_events_appended", amount=len(outcome.events))
        if any(event["type"] in ENDS for event in outcome.events):
            COUNTS.add("reibach_games_over")
    return outcome


def counted_job(name: str, job: Callable[_P, None]) -> Callable[_P, None]:
    """The job, counted with its time. Jobs that would tell what players do have no name of their own in metrics."""
    label = _LABELS.get(name, "other")

    @wraps(job)
    def run(*arguments: _P.args, **options: _P.kwargs) -> None:
        began, outcome = time.perf_counter(), "failed"
        try:
            job(*arguments, **options)
            outcome = "done"
        finally:
            COUNTS.add("reibach_jobs", label, outcome)
            COUNTS.observe("reibach_job_seconds", label, seconds=time.perf_counter() - began)

    return run
