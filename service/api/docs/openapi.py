"""The OpenAPI 3.1 document, made from the declared routes and the very schemas that validate their requests."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from apispec import APISpec
from flask import Response

from service.api.content.negotiation import JSON
from service.api.docs.examples import problem_examples
from service.api.docs.members import TEXTS, describe
from service.api.docs.operations import describe_operation, document_path, problem_codes
from service.api.docs.request_schemas import Plugin
from service.api.docs.static_content import StaticContent
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import Operation, Route, RouteTable
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


def document_routes(routes: Iterable[Route]) -> RouteTable:
    """The route of the document, which describes `routes` and itself."""
    table = RouteTable("service")

    @cache  # made at the first request
    def document(*, fixed_seed: bool, contact: tuple[str, str] | None) -> StaticContent:
        made = build([*routes, *table], fixed_seed=fixed_seed)
        if contact:
            made["info"]["contact"] = dict(zip(("name", "url"), contact, strict=True))
        return StaticContent.of(json.dumps(made).encode())

    @table.get("/v1/openapi.json", Operation(answers={200: "Document", 304: None}))
    def show_document(request: ApiRequest) -> Response:
        """The OpenAPI document of this service.

        It is made from the schemas that validate requests.
        """
        settings = request.services.settings
        contact = next(iter(settings.footer), None)
        return document(fixed_seed=settings.allow_fixed_seed, contact=contact).respond(JSON)

    return table


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
