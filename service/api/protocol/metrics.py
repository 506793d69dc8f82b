"""Counters for the operator, summed over all web processes.

No label says who sent a request or why one was refused: readers of the metrics must not learn what players do.
"""

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from service.gamelog.log import Outcome
from service.runtime.shared import shared_folder

_ACCEPTED = Counter("reibach_accepted", "Accepted requests that changed a game", ["resource"])
_EVENTS = Counter("reibach_events_appended", "Events appended by web processes")
POLLS = Gauge("reibach_polls_open", "Long polls that are waiting", multiprocess_mode="livesum")
STREAMS = Gauge("reibach_streams_open", "Event streams that are open", multiprocess_mode="livesum")
SECONDS = Histogram(
    "reibach_request_seconds",
    "Time to answer, long polls aside, of a stream to its beginning",
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3),
)
FAULTS = Counter("reibach_faults", "Answers with status 500")


_BY_RESOURCE = {name: _ACCEPTED.labels(name) for name in ("games", "seats", "actions", "messages")}


def count_accepted(resource: str, outcome: Outcome) -> Outcome:
    """Count an accepted request, unless it is a repeat, which changed nothing. Returns its outcome."""
    if not outcome.repeated:
        _BY_RESOURCE[resource].inc()
        _EVENTS.inc(len(outcome.events))
    return outcome


def render_metrics() -> bytes:
    """All counters in Prometheus' text form."""
    if shared_folder() is None:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
    return generate_latest(registry)
