"""Which requests may wait, as is known before they are looked at: the web server gives each a thread of its own."""

from collections.abc import Mapping
from typing import Any, Final

from service.api.content.negotiation import JSON, NDJSON

_READS: Final = frozenset({"GET", "HEAD"})
_NO_STREAM: Final = frozenset({"", "*/*", JSON, NDJSON})
"""Values of `Accept` by which nobody gets an event stream; others may mean one by their qualities."""


def may_wait(environ: Mapping[str, Any]) -> bool:
    """Whether a request can be a long poll, an event stream or a replay; one that can't be never waits for a game."""
    if environ["REQUEST_METHOD"] not in _READS:
        return False
    query = environ["QUERY_STRING"]
    if query and ("wait" in query or "%" in query):  # a client may write any letter of `wait` as %77
        return True
    path = environ["PATH_INFO"]
    return path.endswith("/replay") or (path.endswith("/events") and environ.get("HTTP_ACCEPT", "") not in _NO_STREAM)
