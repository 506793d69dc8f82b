"""The OpenAPI 3.1 document, made from the declared routes and the very schemas that validate their requests."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from apispec import APISpec
from flask import Response

from service.api.content.negotiation import JSON
from service.api.docs.examples import problem_examples
from service.api.docs.members import describe
from service.api.docs.operations import describe_operation, document_path, problem_codes
from service.api.docs.request_schemas import Plugin
from service.api.docs.static_content import StaticContent
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import Operation, Route, RouteTable
from service.api.schemas.responses import SHAPES
from service.api.schemas.shapes import ref

INTRODUCTION: Final = """\
Games of the card game Reibach & Co., each an event log that can't be rewritten unnoticed.

1. `POST /v1/games` opens a game; the answer has a token for each seat that is taken by name. \
Open seats are joined by `POST /v1/games/{id}/seats`.
2. Send the token of a seat as `Authorization: Bearer <token>` (here: press *Authorize* and paste it). \
Without a token you are a spectator.
3. `GET /v1/games/{id}/legal-actions` has all that the seat may do now, `POST /v1/games/{id}/actions` does it.
4. Wait for the others with `GET /v1/games/{id}?wait=30`, or read the event stream.

Every refusal is `application/problem+json`; its `type` is the address of a page that explains it. \
Every `POST` takes an `Idempotency-Key`, so that it can be sent again safely.
Pages of any origin may use the API; the operator can narrow that."""

SECURITY: Final = (
    "The token of one seat of one game: in the answer to `POST /v1/games` (`seats[].token`) or to "
    "`POST /v1/games/{id}/seats` (`token`). Keep it: it can't be had again."
)
TAGS: Final = {
    "play": "Open a game, take a seat, and play.",
    "post": "Play by post: notices by mail or webhook.",
    "watch": "Find a game, and follow it with a seat's token or as a spectator.",
    "verify": "Check that a game was dealt, played and kept honestly.",
    "service": "What the service offers, and how it is.",
}


_NOTICE: Final = {
    "operationId": "notice",
    "tags": ["post"],
    "summary": "A notice, to the webhook of a seat.",
    "description": "Check the signature before you believe it; what isn't answered with 2xx within 10 s comes again.",
    "parameters": [
        {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": about}
        for name, about in (
            ("webhook-id", "The same in each attempt."),
            ("webhook-timestamp", "When it was sent, in seconds since 1970."),
            ("webhook-signature", "`v1,` and the HMAC-SHA256 of id, time and body under the webhook's secret."),
        )
    ],
    "requestBody": {"required": True, "content": {JSON: {"schema": ref("Notice")}}},
    "responses": {"2XX": {"description": "It has come."}},
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

    @table.get(
        "/v1/openapi.json", Operation(takes=("If-None-Match",), answers={200: "Document", 304: None}, sends=("ETag",))
    )
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
        info={"description": INTRODUCTION, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/", "description": "The service that this document comes from."}],
        plugins=[plugin],
        tags=[{"name": tag, "description": about} for tag, about in TAGS.items()],
    )
    spec.components.security_scheme("seat", {"type": "http", "scheme": "bearer", "description": SECURITY})
    for name, shape in SHAPES.items():
        spec.components.schema(name, shape)
    routes = [route for route in routes if route.operation.answers]
    for route in routes:
        spec.path(document_path(route), operations={route.method.lower(): describe_operation(route, plugin.schemas)})
    document: dict[str, Any] = json.loads(json.dumps(spec.to_dict()))  # a copy in which no two parts are one object
    document["components"]["examples"] = problem_examples(sorted(set().union(*map(problem_codes, routes))))
    if not fixed_seed:
        del document["components"]["schemas"]["NewGame"]["properties"]["server_seed"]
    describe(document["components"]["schemas"])
    for schema in document["components"]["schemas"].values():
        _say_defaults(schema)
    document["webhooks"] = {"notice": {"post": _NOTICE}}
    return document


def _say_defaults(schema: dict[str, Any]) -> None:
    """Put the defaults of members into words: generated clients would send them, or make these members required."""
    for member in schema.get("properties", {}).values():
        if "default" in member:
            member["description"] = f"{member.get('description', '')} Missing: {json.dumps(member.pop('default'))}."
        _say_defaults(member)
