"""The OpenAPI 3.1 document, made from the declared routes and the very schemas that validate their requests."""

import json
import re
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Response
from marshmallow import Schema
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.protocol.negotiation import JSON
from service.api.protocol.problem_codes import CODES
from service.api.protocol.problems import MEDIA_TYPE
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import Asker, Operation, Route, RouteTable
from service.api.schemas.responses import SHAPES, TEXT, ref

_REQUEST_HEADERS: Final = {
    "If-Match": "Entity tags of views: applied only if the game is still at one of these versions; `*` matches always.",
    "Accept-Language": "Used if the query has no `language`; English if it names none of the four.",
    "If-None-Match": "Entity tags of views that the client has: 304 if the game has not changed since.",
    "Last-Event-ID": "For an event stream, before `after`: the version of the last event that the client has.",
}
_RESPONSE_HEADERS: Final = {
    "Content-Language": "The language of the sentences.",
    "ETag": "The version in quotes; not with `at`.",
    "Location": "The new game's path.",
    "Idempotency-Replayed": "`true` when this is the answer to an earlier request with the same key.",
}
_ANSWERS: Final = {
    200: "Success.",
    201: "Accepted, and stored in the log.",
    204: "The game is over: no more events follow.",
    304: "Not modified: the client has the present version.",
    503: "Not ready.",
}
_ERROR_HEADERS: Final = {
    401: {"WWW-Authenticate": "`Bearer`"},
    429: {"Retry-After": "Seconds to wait."},
    503: {"Retry-After": "Seconds to wait."},
}


class _Converter(OpenAPIConverter):
    """apispec's converter, with unions and with rules over several fields."""

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        if isinstance(schema, OneOfSchema):
            kinds = {word: self.reference(kind) for word, kind in schema.type_schemas.items()}
            mapping = {word: kind["$ref"] for word, kind in kinds.items()}
            return {
                "oneOf": list(kinds.values()),
                "discriminator": {"propertyName": schema.type_field, "mapping": mapping},
            }
        converted: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]  # apispec's
        return converted | getattr(schema, "json_schema", {}) | {"description": (schema.__doc__ or "").strip()}

    def reference(self, schema: type[Schema] | Schema) -> dict[str, Any]:
        """A reference to the schema, which is added to the components if it isn't there yet."""
        found: dict[str, Any] = self.resolve_nested_schema(schema)  # type: ignore[no-untyped-call]  # apispec's
        return found


class _Marshmallow(MarshmallowPlugin):
    Converter = _Converter


def _schema_name(schema: type[Schema] | Schema) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def document_routes(routes: Iterable[Route]) -> RouteTable:
    """The route of the document, which describes `routes` and itself."""
    table = RouteTable()

    @cache  # made at the first request
    def document() -> str:
        return json.dumps(build([*routes, *table]))

    @table.get("/v1/openapi.json", Operation(answers={200: "Document"}))
    def show_document(request: ApiRequest) -> Response:  # noqa: ARG001 - every view gets its request
        """The OpenAPI document of this service."""
        return Response(document(), content_type=JSON)

    return table


def build(routes: Iterable[Route]) -> dict[str, Any]:
    """The document for these routes."""
    plugin = _Marshmallow(schema_name_resolver=_schema_name)
    spec = APISpec(
        title="Reibach & Co.",
        version="1",
        openapi_version="3.1.0",
        info={"description": "An event-sourced log of games of the card game Reibach & Co."},
        plugins=[plugin],
        tags=[{"name": "games"}, {"name": "service"}],
    )
    spec.components.security_scheme("seat", {"type": "http", "scheme": "bearer", "description": "A seat token."})
    for name, shape in SHAPES.items():
        spec.components.schema(name, shape)
    for status in sorted({code.status for code in CODES.values()} - {500}):
        spec.components.response(f"Problem{status}", _problem(status))
    for route in sorted(routes, key=lambda route: route.path):
        if route.operation.answers:
            path = document_path(route)
            spec.path(path, operations={route.method.lower(): _operation(route, path, plugin)})
    document: dict[str, Any] = spec.to_dict()
    return document


def document_path(route: Route) -> str:
    """The route's path as the document spells it."""
    return re.sub(r"<(\w+)>", lambda found: "{id}" if found[1] == "game" else f"{{{found[1]}}}", route.path)


def _operation(route: Route, path: str, plugin: _Marshmallow) -> dict[str, Any]:
    operation, view, converter = route.operation, route.view, plugin.converter
    assert isinstance(converter, _Converter)
    described: dict[str, Any] = {
        "operationId": re.sub(r"_(\w)", lambda found: found[1].upper(), view.__name__),
        "tags": ["games" if path.startswith("/v1/games") else "service"],
        "summary": (view.__doc__ or "").split("\n")[0].rstrip("."),
        "parameters": _parameters(operation, path, converter),
        "responses": {str(status): _answer(operation, status) for status in operation.answers},
    }
    for status in sorted(_errors(operation, path) - operation.answers.keys()):
        described["responses"][str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
    if operation.asker is not Asker.ANYONE:
        described["security"] = [{"seat": []}] if operation.asker is Asker.SEAT else [{"seat": []}, {}]
    if operation.body:
        kinds = [converter.reference(kind) for kind in operation.body]
        schema = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
        described["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": schema, "example": operation.example}},
        }
    return described


def _parameters(operation: Operation, path: str, converter: OpenAPIConverter) -> list[dict[str, Any]]:
    found = [{"in": "path", "name": name, "required": True, "schema": TEXT} for name in re.findall(r"{(\w+)}", path)]
    if operation.query:
        found += converter.schema2parameters(operation.query(), location="query")
    for name in operation.takes:
        found.append({"in": "header", "name": name, "schema": TEXT, "description": _REQUEST_HEADERS[name]})
    if operation.shortest_key:
        described = "A repeat with the same key and body appends nothing and is answered as the first was."
        if operation.shortest_key > 1:
            described += " The answer holds a token, so this key is a secret, too: it needs at least 22 characters."
        key = TEXT | {"pattern": f"^[ -~]{{{operation.shortest_key},200}}$"}
        found.append({"in": "header", "name": "Idempotency-Key", "schema": key, "description": described})
    return found


def _answer(operation: Operation, status: int) -> dict[str, Any]:
    content = operation.answers[status]
    described: dict[str, Any] = {"description": _ANSWERS[status]}
    if content is not None:
        media = {JSON: ref(content)} if isinstance(content, str) else content
        described["content"] = {kind: {"schema": schema} for kind, schema in media.items()}
    sent = operation.sends + (("Idempotency-Replayed",) if operation.shortest_key else ())
    if sent:
        described["headers"] = {name: {"schema": TEXT, "description": _RESPONSE_HEADERS[name]} for name in sent}
    return described


def _errors(operation: Operation, path: str) -> set[int]:
    """The error statuses that the route can answer with."""
    if not path.startswith("/v1/"):
        return set(operation.errors)
    found = {406, 429, 503} | operation.errors
    found |= {404} if "{" in path else set()
    found |= {401, 403} if operation.asker is not Asker.ANYONE else set()
    found |= {400, 413, 415, 422} if operation.body else set()
    found |= {422} if operation.query or operation.shortest_key else set()
    found |= {412} if "If-Match" in operation.takes else set()
    return found


def _problem(status: int) -> dict[str, Any]:
    codes = [name for name, code in CODES.items() if code.status == status]
    if status != HTTPStatus.CONFLICT:  # refusals by the rules stay in the order of Reason
        codes.sort()
    described: dict[str, Any] = {
        "description": f"One of: {', '.join(f'`{code}`' for code in codes)}.",
        "content": {MEDIA_TYPE: {"schema": ref("Problem")}},
    }
    headers = {"Content-Language": "Of `detail` and `errors`."} | _ERROR_HEADERS.get(status, {})
    described["headers"] = {name: {"schema": TEXT, "description": text} for name, text in headers.items()}
    return described
