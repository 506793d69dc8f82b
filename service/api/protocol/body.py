"""JSON bodies as the contract wants them: strict, and never a reason for a 500."""

import json
import re
from typing import Any, NoReturn

from flask import request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.protocol.problems import Problem

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
MAX_BYTES = 64 * 1024


def _no_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_no_repeated_names, parse_constant=_no_constant)


def read_json() -> Any:
    """The request's body. Raises Problem `unsupported-media-type`, `malformed-json`; werkzeug's 413 when too large."""
    if request.environ.get("CONTENT_TYPE") != "application/json" and not _is_json():  # nearly always: spares a parse
        raise Problem("unsupported-media-type", "Send application/json in UTF-8.")
    if "Content-Encoding" in request.headers:
        raise Problem("unsupported-media-type", "Send the body as it is, without Content-Encoding.")
    raw = _whole_body()
    try:
        body = _decoder.decode(raw.decode())
        if _SURROGATE.search(raw):
            json.dumps(body, ensure_ascii=False).encode()  # half of a surrogate pair is no Unicode
    except (ValueError, RecursionError) as error:
        raise Problem("malformed-json", f"The body can't be read as JSON: {_reason(error)}.") from None
    return body


def _is_json() -> bool:
    return request.mimetype == "application/json" and request.mimetype_params.get("charset", "utf-8").lower() == "utf-8"


def _whole_body() -> bytes:
    """The body, all of it: the web server hands over what it got of one that is cut off, werkzeug no more than fits."""
    raw = request.get_data(cache=False)
    if request.content_length is None:  # sent in chunks
        if len(raw) == MAX_BYTES and request.environ["wsgi.input"].read(1):
            raise RequestEntityTooLarge
    elif len(raw) < request.content_length:
        raise Problem("bad-request", "The body is shorter than its Content-Length.")
    return raw


def finish_reading() -> bool:
    """Take in what a refusal left unread of the body; False where that is too much, and the connection must close.

    The web server drops a connection whose request wasn't read to its end, often only when the next one is on its way.
    """
    length = request.content_length
    if length is None and "Transfer-Encoding" not in request.headers:
        return True
    if (length or 0) > MAX_BYTES or "Expect" in request.headers:  # who expects hasn't sent the body yet
        return False
    return len(request.environ["wsgi.input"].read(MAX_BYTES + 1)) <= MAX_BYTES


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeError):
        return "it is not valid Unicode"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at character {error.pos}"
    return "a name stands twice in one object, a number is none, or one is too long"


def load(schema: Schema, body: Any) -> Any:
    """The body through a schema. Raises Problem `invalid-request` with `errors`: field path -> messages."""
    if not isinstance(body, dict):
        raise invalid({"": ["must be a JSON object"]})
    try:
        return schema.load(body)
    except ValidationError as error:
        raise invalid(flatten(error.messages)) from None


def invalid(errors: dict[str, list[str]]) -> Problem:
    """The problem for a request that is well-formed and still not valid."""
    return Problem(
        "invalid-request",
        "; ".join(f"{path or 'body'}: {said[0]}" for path, said in errors.items())[:500],
        errors=errors,
    )


def flatten(messages: Any, path: str = "") -> dict[str, list[str]]:
    """Marshmallow's nested messages as field path -> messages: `seats.0.name`."""
    if isinstance(messages, dict):
        found: dict[str, list[str]] = {}
        for name, inner in messages.items():
            step = "" if name == "_schema" else str(name)
            found |= flatten(inner, f"{path}.{step}" if path and step else path or step)
        return found
    return {path: [str(message) for message in (messages if isinstance(messages, list) else [messages])]}
