"""The counters themselves; see `service.metrics` for what they must not tell."""

import os

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from service.metrics import FOLDER

ACCEPTED = Counter("reibach_accepted", "Accepted requests that changed a game", ["resource"])
EVENTS = Counter("reibach_events_appended", "Events appended by web processes")
POLLS = Gauge("reibach_polls_open", "Long polls that are waiting", multiprocess_mode="livesum")
SECONDS = Histogram(
    "reibach_request_seconds", "Time to answer, long polls aside", buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
)
FAULTS = Counter("reibach_faults", "Answers with status 500 or above")


def exposition() -> bytes:
    """All counters in Prometheus' text form."""
    if FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
    return generate_latest(registry)
