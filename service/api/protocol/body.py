"""JSON bodies, strictly as the contract wants them: no body gets a 500."""

import json
from typing import Any, Final

from werkzeug.sansio.utils import get_content_length

from domain.fairness import canonical
from domain.words.refusals.sentences import Sentence, Value
from service.api.limits.bounds import MOST_ENTRIES, MOST_SIGNS, count_signs, find_long_value
from service.api.limits.places import Places
from service.api.problems.problem import InvalidRequest, Problem
from service.api.wsgi import Request, current_request

MAX_BYTES: Final = 64 * 1024
_LONGEST_MEDIA_TYPE: Final = 200
"""Characters."""


def read_json_text(places: Places) -> bytes:
    """The request's body, which is said to be JSON.

    Raises Problem `unsupported-media-type`, `length-required`, `body-too-large`, `bad-request`, `too-many-waiting`.
    """
    request = current_request()
    if request.environ.get("CONTENT_TYPE") != "application/json" and not _is_json(request):  # nearly always
        raise Problem("unsupported-media-type", Sentence("body.media-type"))
    if "HTTP_CONTENT_ENCODING" in request.environ:
        raise Problem("unsupported-media-type", Sentence("body.encoded"))
    return read_whole_body(places)


def parse_json(raw: bytes) -> Any:
    """The value of a body; one with more entries than any request needs is refused before they are looked at.

    Raises Problem `malformed-json`, `invalid-request`.
    """
    if not raw:
        raise _malformed("empty")
    signs = count_signs(raw)
    if signs > MOST_SIGNS:
        raise InvalidRequest({"": [Sentence("body.values")]})
    try:
        body = canonical.read_json(raw)
    except (ValueError, RecursionError) as error:
        raise _fault(error) from None
    if signs >= MOST_ENTRIES and (long_value := find_long_value(body)):  # nearly never: saves looking
        path, fault = long_value
        raise InvalidRequest({path: [fault]})
    return body


def _is_json(request: Request) -> bool:
    if len(request.headers.get("Content-Type", "")) > _LONGEST_MEDIA_TYPE:
        return False
    return request.mimetype == "application/json" and request.mimetype_params.get("charset", "utf-8").lower() == "utf-8"


def read_whole_body(places: Places) -> bytes:
    """The body, checked for completeness: the web server passes on a body that was cut off.

    Raises Problem `length-required`, `body-too-large`, `bad-request`, `too-many-waiting`.
    """
    environ = current_request().environ
    length = _content_length(environ)
    if length is None:
        if "HTTP_TRANSFER_ENCODING" in environ:
            raise Problem("length-required", Sentence("length-required"))
        return b""
    if length > MAX_BYTES:
        raise Problem("body-too-large", Sentence("body.too-large", {"most": MAX_BYTES}))
    client = places.take_body()
    try:
        raw: bytes = environ["wsgi.input"].read(length)
    finally:
        places.free_body(client)
    if len(raw) < length:
        raise Problem("bad-request", Sentence("body.cut"))
    return raw


def drain_body(places: Places) -> bool:
    """Read what an answer left unread of a body; False where it stays unread, and the connection must close.

    The web server drops a connection whose request wasn't read to its end, often only during the next request.
    """
    environ = current_request().environ
    length = _content_length(environ)
    if not length and "HTTP_TRANSFER_ENCODING" not in environ:
        return True
    # With Expect the body hasn't been sent yet.
    if (length or 0) > MAX_BYTES or "HTTP_EXPECT" in environ:
        return False
    try:
        client = places.take_body(patience=0)
    except Problem:
        return False
    try:
        return len(environ["wsgi.input"].read(MAX_BYTES + 1)) <= MAX_BYTES
    finally:
        places.free_body(client)


def _content_length(environ: dict[str, Any]) -> int | None:
    """The body's length as werkzeug reads it: None where there is none, or it comes in chunks."""
    return get_content_length(environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING"))


def _fault(error: Exception) -> Problem:
    if isinstance(error, canonical.RepeatedMember):
        return _malformed("repeated")
    if isinstance(error, canonical.NotANumber):
        return _malformed("constant", constant=str(error))
    if isinstance(error, RecursionError):
        return _malformed("nested")
    if isinstance(error, UnicodeError):
        return _malformed("unicode")
    if isinstance(error, json.JSONDecodeError):
        return _malformed("syntax", position=error.pos)
    return _malformed("number")  # the only other thing that Python refuses: thousands of digits


def _malformed(case: str, **values: Value) -> Problem:
    return Problem("malformed-json", Sentence(f"body.{case}", values))
