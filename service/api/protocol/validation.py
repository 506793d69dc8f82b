"""Bodies and query strings through their schemas.

Messages are sentences (`schemas/validators.py`), worded by the problem that holds them.
"""

from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError

from domain.words.refusals.sentences import Sentence
from service.api.limits.bounds import find_long_query
from service.api.problems.problem import InvalidRequest
from service.api.wsgi import current_request


def validate_body(schema: Schema, body: object) -> Any:
    """The body through a schema. Raises Problem `invalid-request` with `errors`: field path -> messages."""
    if not isinstance(body, dict):
        raise InvalidRequest({"": [Sentence("body.object")]})
    try:
        return schema.load(body)
    except ValidationError as error:
        raise InvalidRequest(flatten(error.messages)) from None


def validate_query(schema: Schema) -> dict[str, Any]:
    """The query's known parameters; unknown ones are ignored. Raises Problem `invalid-request`."""
    if fault := find_long_query():
        raise InvalidRequest({"query": [fault]})
    repeated = [name for name in schema.fields if len(current_request().args.getlist(name)) > 1]
    if repeated:
        raise InvalidRequest({name: [Sentence("once")] for name in repeated})
    try:
        query: dict[str, Any] = schema.load(current_request().args.to_dict(), unknown=EXCLUDE)
    except ValidationError as error:
        raise InvalidRequest(flatten(error.messages)) from None
    return query


def flatten(messages: Any, path: str = "") -> dict[str, list[Sentence | str]]:
    """Marshmallow's nested messages as field path -> messages: `seats.0.name`."""
    if isinstance(messages, dict):
        flat: dict[str, list[Sentence | str]] = {}
        for name, inner in messages.items():
            step = "" if name == "_schema" else str(name)
            flat |= flatten(inner, f"{path}.{step}" if path and step else path or step)
        return flat
    return {path: messages if isinstance(messages, list) else [messages]}
