"""Bodies and query strings through their schemas."""

from typing import Any

from flask import request
from marshmallow import EXCLUDE, Schema, ValidationError

from service.api.protocol.problems import Problem

_LONGEST_DETAIL = 500


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
    repeated = [name for name in schema.fields if len(request.args.getlist(name)) > 1]
    if repeated:
        raise invalid({name: ["May be given once."] for name in repeated})
    try:
        query: dict[str, Any] = schema.load(request.args.to_dict(), unknown=EXCLUDE)
    except ValidationError as error:
        raise invalid(flatten(error.messages)) from None
    return query


def invalid(errors: dict[str, list[str]]) -> Problem:
    """The problem for a request that is well-formed but not valid. `errors`: field path -> messages."""
    detail = "; ".join(f"{path or 'body'}: {messages[0]}" for path, messages in errors.items())
    return Problem("invalid-request", detail[:_LONGEST_DETAIL], errors=errors)


def flatten(messages: Any, path: str = "") -> dict[str, list[str]]:
    """Marshmallow's nested messages as field path -> messages: `seats.0.name`."""
    if isinstance(messages, dict):
        flat: dict[str, list[str]] = {}
        for name, inner in messages.items():
            step = "" if name == "_schema" else str(name)
            flat |= flatten(inner, f"{path}.{step}" if path and step else path or step)
        return flat
    return {path: [str(message) for message in (messages if isinstance(messages, list) else [messages])]}
