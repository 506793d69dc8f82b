"""Counters of the web processes, for the operator.

No label says who sent a request or why one was refused: readers of the metrics must not learn what players do. So
routes are counted in groups; one that isn't named below (of messages, say) is among `reads` or `other`.
"""

from functools import cache
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from service.api.wsgi import Request
from service.gamelog.log import Outcome

_ACCEPTED = Counter("reibach_accepted", "Accepted requests that changed a game", ["resource"])
_EVENTS = Counter("reibach_events_appended", "Events appended by web processes")
POLLS = Gauge("reibach_polls_open", "Long polls that are waiting", multiprocess_mode="livesum")
STREAMS = Gauge("reibach_streams_open", "Event streams that are open", multiprocess_mode="livesum")
_SECONDS = Histogram(
    "reibach_request_seconds",
    "Time to answer; of an event stream to its beginning, of a long poll to its end",
    ["group", "status"],
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30),
)
LOST_EVENTS = Counter(
    "reibach_lost_events", "Acknowledged events, revocations and erasures that the store was found to have lost"
)
_FAULTS = Counter("reibach_faults", "Answers with status 500")

_RESOURCES: Final = (
    *("games", "seats", "actions", "reclaim", "resign", "cancel", "vacation", "pause", "resume", "messages"),
    "release",
)
_BY_RESOURCE = {name: _ACCEPTED.labels(name) for name in _RESOURCES}
_CHANGES: Final = {
    "POST /v1/games": "games",
    "POST /v1/games/<game>/seats": "seats",
    "POST /v1/games/<game>/actions": "actions",
}
_READS: Final = "GET /v1/games"
_METHODS: Final = frozenset({"GET", "HEAD", "POST"})
_OWN_STATUS: Final = frozenset({429, 503})
"""Statuses by which an operator sees that limits or the store refuse requests; the others are counted by class."""


def count_accepted(resource: str, outcome: Outcome) -> Outcome:
    """Count an accepted request, unless it is a repeat, which changed nothing. Returns its outcome."""
    if not outcome.repeated:
        _BY_RESOURCE[resource].inc()
        _EVENTS.inc(len(outcome.events))
    return outcome


def count_request(request: Request, status: int, seconds: float) -> None:
    _seconds(_group(request), status).observe(seconds)
    if status == 500:
        _FAULTS.inc()


@cache
def _seconds(group: str, status: int) -> Histogram:
    """The histogram with these labels, of which there are few: finding it takes as long as counting."""
    return _SECONDS.labels(group, str(status) if status in _OWN_STATUS else f"{status // 100}xx")


def _group(request: Request) -> str:
    endpoint = request.endpoint or ""  # "" where no route fits
    if request.method not in _METHODS:
        return "other"
    if endpoint.startswith(_READS):
        waits = "wait=" in request.environ.get("QUERY_STRING", "")
        streams = "text/event-stream" in request.environ.get("HTTP_ACCEPT", "")
        return "streams" if waits or streams else "reads"
    return _CHANGES.get(endpoint, "other")
