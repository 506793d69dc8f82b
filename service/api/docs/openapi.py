"""The OpenAPI 3.1 document, made from the declared routes and the very schemas that validate their requests."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from apispec import APISpec
from flask import Response

from service.api.content.negotiation import JSON
from service.api.docs.examples import problem_examples
from service.api.docs.guide import CHAPTERS, INTRODUCTION, ORDER, SECURITY
from service.api.docs.members import describe
from service.api.docs.operations import describe_operation, document_path, operation_id, problem_codes
from service.api.docs.request_schemas import Plugin
from service.api.docs.static_content import StaticContent
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import Operation, Route, RouteTable
from service.api.schemas.responses import SHAPES


def document_routes(routes: Iterable[Route]) -> RouteTable:
    """The route of the document, which describes `routes` and itself."""
    table = RouteTable()

    @cache  # made at the first request
    def document(*, fixed_seed: bool) -> StaticContent:
        return StaticContent.of(json.dumps(build([*routes, *table], fixed_seed=fixed_seed)).encode())

    @table.get(
        "/v1/openapi.json", Operation(takes=("If-None-Match",), answers={200: "Document", 304: None}, sends=("ETag",))
    )
    def show_document(request: ApiRequest) -> Response:
        """The OpenAPI document of this service."""
        return document(fixed_seed=request.services.settings.allow_fixed_seed).respond(JSON)

    return table


def build(routes: Sequence[Route], *, fixed_seed: bool) -> dict[str, Any]:
    """The document for these routes. `fixed_seed`: whether the service lets clients choose the seed of a game."""
    plugin = Plugin()
    spec = APISpec(
        title="Reibach & Co.",
        version="1",
        openapi_version="3.1.0",
        info={"description": INTRODUCTION, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/", "description": "The service that this document comes from."}],
        plugins=[plugin],
        tags=[{"name": chapter.tag, "description": chapter.about} for chapter in CHAPTERS],
    )
    spec.components.security_scheme("seat", {"type": "http", "scheme": "bearer", "description": SECURITY})
    for name, shape in SHAPES.items():
        spec.components.schema(name, shape)
    routes = [route for route in routes if route.operation.answers]
    for route in sorted(routes, key=lambda route: ORDER.index(operation_id(route))):
        spec.path(document_path(route), operations={route.method.lower(): describe_operation(route, plugin.schemas)})
    document: dict[str, Any] = json.loads(json.dumps(spec.to_dict()))  # a copy in which no two parts are one object
    document["components"]["examples"] = problem_examples(sorted(set().union(*map(problem_codes, routes))))
    if not fixed_seed:
        del document["components"]["schemas"]["NewGame"]["properties"]["server_seed"]
    describe(document["components"]["schemas"])
    return document
