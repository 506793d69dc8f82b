"""Bodies and query strings through their schemas."""

import json
from typing import Any, Final

from flask import request
from marshmallow import EXCLUDE, Schema, ValidationError

from service.api.protocol.bounds import find_long_query
from service.api.protocol.problems import Problem

_MOST_ERRORS: Final = 20
"""Entries of `errors` (contract 1)."""
_MOST_ERROR_BYTES: Final = 4 * 1024
"""Of all entries as JSON, names of fields included: names and values in the messages are the sender's."""
_LONGEST_NAME: Final = 100
_LONGEST_MESSAGE: Final = 200
_LONGEST_DETAIL: Final = 300


def validate_body(schema: Schema, body: object) -> Any:
    """The body through a schema. Raises Problem `invalid-request` with `errors`: field path -> messages."""
    if not isinstance(body, dict):
        raise invalid({"": ["must be a JSON object"]})
    try:
        return schema.load(body)
    except ValidationError as error:
        raise invalid(flatten(error.messages)) from None


def validate_query(schema: Schema) -> dict[str, Any]:
    """The query's known parameters; unknown ones are ignored. Raises Problem `invalid-request`."""
    if fault := find_long_query():
        raise invalid({"query": [fault]})
    repeated = [name for name in schema.fields if len(request.args.getlist(name)) > 1]
    if repeated:
        raise invalid({name: ["May be given once."] for name in repeated})
    try:
        query: dict[str, Any] = schema.load(request.args.to_dict(), unknown=EXCLUDE)
    except ValidationError as error:
        raise invalid(flatten(error.messages)) from None
    return query


def invalid(errors: dict[str, list[str]]) -> Problem:
    """The problem for a request that is well-formed but not valid. `errors`: field path -> messages.

    The answer has at most 20 of them, about 4 KiB of JSON; long names and messages are cut.
    """
    shown: dict[str, list[str]] = {}
    size = 0
    for path, messages in errors.items():
        name = _cut(path, _LONGEST_NAME)
        entry = [_cut(message, _LONGEST_MESSAGE) for message in messages[:_MOST_ERRORS]]
        size += len(json.dumps({name: entry}, ensure_ascii=False).encode())
        if shown and (len(shown) == _MOST_ERRORS or size > _MOST_ERROR_BYTES):
            break
        shown[name] = entry
    detail = _cut("; ".join(f"{path or 'body'}: {messages[0]}" for path, messages in shown.items()), _LONGEST_DETAIL)
    left_out = len(errors) - len(shown)
    return Problem("invalid-request", f"{detail} (and {left_out} more)" if left_out > 0 else detail, errors=shown)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def flatten(messages: Any, path: str = "") -> dict[str, list[str]]:
    """Marshmallow's nested messages as field path -> messages: `seats.0.name`."""
    if isinstance(messages, dict):
        flat: dict[str, list[str]] = {}
        for name, inner in messages.items():
            step = "" if name == "_schema" else str(name)
            flat |= flatten(inner, f"{path}.{step}" if path and step else path or step)
        return flat
    return {path: [str(message) for message in (messages if isinstance(messages, list) else [messages])]}
