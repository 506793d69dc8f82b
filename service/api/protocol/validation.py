"""Query strings through a schema."""

from typing import Any

from flask import request
from marshmallow import EXCLUDE, Schema, ValidationError

from service.api.protocol.body import flatten, invalid


def query(schema: Schema) -> dict[str, Any]:
    """The query's known parameters; others are passed over. Raises Problem `invalid-request`."""
    repeated = [name for name in schema.fields if len(request.args.getlist(name)) > 1]
    if repeated:
        raise invalid({name: ["May be given once."] for name in repeated})
    try:
        found: dict[str, Any] = schema.load(request.args.to_dict(), unknown=EXCLUDE)
    except ValidationError as error:
        raise invalid(flatten(error.messages)) from None
    return found
