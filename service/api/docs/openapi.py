"""The OpenAPI 3.1 document, made from the declared routes and the very schemas that validate their requests."""

import json
from collections.abc import Sequence
from typing import Any, Final

from apispec import APISpec

from service.api.content.negotiation import JSON
from service.api.docs.examples import problem_examples
from service.api.docs.members import TEXTS, describe
from service.api.docs.operations import describe_operation, document_path, problem_codes
from service.api.docs.request_schemas import Plugin
from service.api.protocol.routing import Route
from service.api.schemas.responses import SHAPES
from service.api.schemas.shapes import ref

_NOTICE: Final = {
    "operationId": "notice",
    "tags": ["notices"],  # of its own: generators put what has a tag of the paths in their place
    **TEXTS["notice"],
    "parameters": [
        {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": about}
        for name, about in TEXTS["notice_headers"].items()
    ],
    "requestBody": {"required": True, "content": {JSON: {"schema": ref("Notice")}}},
    "responses": {"2XX": {"description": "It has come."}},
    "security": [],  # the signature is in a header
}


def build(routes: Sequence[Route], *, fixed_seed: bool) -> dict[str, Any]:
    """The document for these routes. `fixed_seed`: whether the service lets clients choose the seed of a game."""
    plugin = Plugin()
    spec = APISpec(
        title="Reibach & Co.",
        version="1",
        openapi_version="3.1.0",
        info={"description": TEXTS["introduction"], "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/", "description": "The service that this document comes from."}],
        plugins=[plugin],
        tags=[{"name": tag, "description": about} for tag, about in TEXTS["tags"].items()],
    )
    spec.components.security_scheme("seat", {"type": "http", "scheme": "bearer", "description": TEXTS["security"]})
    for name, shape in SHAPES.items():
        spec.components.schema(name, shape)
    routes = [route for route in routes if route.operation.answers]
    for route in routes:
        spec.path(document_path(route), operations={route.method.lower(): describe_operation(route, plugin.schemas)})
    document: dict[str, Any] = json.loads(json.dumps(spec.to_dict()))  # a copy in which no two parts are one object
    document["components"]["examples"] = problem_examples(sorted(set().union(*map(problem_codes, routes))))
    if not fixed_seed:
        del document["components"]["schemas"]["NewGame"]["properties"]["server_seed"]
    for name, schema in document["components"]["schemas"].items():
        describe(schema, name)
    document["webhooks"] = {"notice": {"post": _NOTICE}}
    return document
