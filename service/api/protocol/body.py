"""JSON bodies, strictly as the contract wants them: no body gets a 500."""

import json
from typing import Any, Final

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from domain.fairness import canonical
from domain.words.refusals.sentences import Sentence, Value
from service.api.protocol.problems import Problem

MAX_BYTES: Final = 64 * 1024


def read_json() -> Any:
    """The request's body. Raises Problem `unsupported-media-type`, `malformed-json`; werkzeug's 413 when too large."""
    if request.environ.get("CONTENT_TYPE") != "application/json" and not _is_json():  # nearly always: saves parsing
        raise Problem("unsupported-media-type", Sentence("body.media-type"))
    if "Content-Encoding" in request.headers:
        raise Problem("unsupported-media-type", Sentence("body.encoded"))
    raw = _read_whole_body()
    if not raw:
        raise _malformed("empty")
    try:
        return canonical.read_json(raw)
    except (ValueError, RecursionError) as error:
        raise _fault(error) from None


def _is_json() -> bool:
    return request.mimetype == "application/json" and request.mimetype_params.get("charset", "utf-8").lower() == "utf-8"


def _read_whole_body() -> bytes:
    """The body, checked for completeness.

    The web server passes on a body that was cut off, and werkzeug stops at the limit without an error.
    """
    raw = request.get_data(cache=False)
    if request.content_length is None:  # sent in chunks
        if len(raw) == MAX_BYTES and request.environ["wsgi.input"].read(1):
            raise RequestEntityTooLarge
    elif len(raw) < request.content_length:
        raise Problem("bad-request", Sentence("body.cut"))
    return raw


def drain_body() -> bool:
    """Read what a refusal left unread of the body; False where that is too much, and the connection must close.

    The web server drops a connection whose request wasn't read to its end, often only during the next request.
    """
    length = request.content_length
    if length is None and "Transfer-Encoding" not in request.headers:
        return True
    if (length or 0) > MAX_BYTES or "Expect" in request.headers:  # with Expect the body hasn't been sent yet
        return False
    return len(request.environ["wsgi.input"].read(MAX_BYTES + 1)) <= MAX_BYTES


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
