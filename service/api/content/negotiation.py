"""In which media type an answer is given."""

from typing import Final

from werkzeug.datastructures import MIMEAccept

from domain.words.refusals.sentences import Sentence
from service.api.limits.bounds import read_header
from service.api.problems.problem import Problem
from service.api.wsgi import current_request

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
EVENT_STREAM: Final = "text/event-stream"
CSV: Final = "text/csv"
HTML: Final = "text/html"
_ANYTHING: Final = frozenset({None, "", "*/*"})


def choose_media_type(offered: tuple[str, ...]) -> str:
    """The best of the media types on offer; parameters but `q` are ignored. Raises `not-acceptable`, `bad-request`."""
    accepted = read_header("Accept")
    if accepted == offered[0] or accepted in _ANYTHING:  # nearly always: saves parsing the header
        return offered[0]
    # Without parameters: nothing is offered with one, and a client that asks for `charset=utf-8` gets just that.
    ranges = [(value.partition(";")[0].rstrip(), quality) for value, quality in current_request().accept_mimetypes]
    best = MIMEAccept(ranges).best_match(offered)
    if best is None:
        raise Problem("not-acceptable", Sentence("not-acceptable", {"choices": offered}))
    return best
