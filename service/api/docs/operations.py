"""The operations of the OpenAPI document, from the declarations of the routes."""

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow_oneofschema.one_of_schema import OneOfSchema

from service.api.content.negotiation import JSON
from service.api.docs.examples import example_of
from service.api.docs.members import TEXTS
from service.api.docs.request_schemas import RequestSchemas
from service.api.problems.problem import CODES, MEDIA_TYPE
from service.api.protocol.routing import Asker, Route
from service.api.schemas.shapes import TEXT, Shape, ref

_BODIES: Final = {("showLegalActions", "act"): {"requestBody": "$response.body#/actions/0"}}
"""Operation, operation that continues from its answer -> the body."""


def document_path(route: Route) -> str:
    return re.sub(r"<(\w+)>", lambda match: "{id}" if match[1] == "game" else f"{{{match[1]}}}", route.path)


def operation_id(route: Route) -> str:
    """The operation's name in the document: the view's, in camel case."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), route.view.__name__)


def describe_operation(route: Route, schemas: RequestSchemas) -> dict[str, Any]:
    operation, (summary, description) = route.operation, route.description
    described: dict[str, Any] = {
        "operationId": operation_id(route),
        "tags": [route.tag],
        "summary": summary,
        "description": description,
        "parameters": _parameters(route, schemas),
        "security": {Asker.ANYONE: [], Asker.WATCHER: [{"seat": []}, {}], Asker.SEAT: [{"seat": []}]}[operation.asker],
        "responses": {str(status): _answer(route, status) for status in operation.answers},
    }
    for status, codes in _by_status(problem_codes(route)).items():
        described["responses"].setdefault(str(status), _problems(status, codes))
    if operation.body:
        kinds = [schemas.reference(kind) for kind in operation.body]
        # "anyOf" where a kind is a union itself: openapi-generator has no code for a union of unions.
        word = "anyOf" if any(issubclass(kind, OneOfSchema) for kind in operation.body) else "oneOf"
        schema = kinds[0] if len(kinds) == 1 else {word: kinds}
        described["requestBody"] = {
            "required": operation.needs_body,
            "content": {JSON: {"schema": schema, "example": TEXTS["examples"][operation_id(route)]}},
        }
    return described


def problem_codes(route: Route) -> set[str]:
    """The codes of the problems that the route can answer with, faults of the service aside."""
    operation, codes = route.operation, set(route.operation.refusals)
    if not route.path.startswith("/v1/"):
        return codes
    codes |= {"bad-request", "not-acceptable", "too-many-requests"}
    if route.is_about_game:
        codes |= {"no-such-game", "store-unavailable"}
    if operation.asker is not Asker.ANYONE:
        codes |= {"invalid-token", "not-your-game"}
    if operation.asker is Asker.SEAT:
        codes |= {"missing-token"}
    if operation.body or route.method in {"POST", "PUT"}:
        codes |= {"malformed-json", "length-required", "body-too-large", "unsupported-media-type", "invalid-request"}
        codes |= {"store-unavailable", "too-many-waiting"}
    if operation.query or operation.shortest_key:
        codes |= {"invalid-request"}
    if operation.shortest_key:
        codes |= {"idempotency-key-reused"}
    if "If-Match" in operation.takes:
        codes |= {"stale-version"}
    return codes


def _by_status(codes: set[str]) -> Mapping[int, list[str]]:
    """Status -> its codes, both in the order of the contract."""
    names: dict[int, list[str]] = {}
    for name, code in CODES.items():
        if name in codes:
            names.setdefault(code.status, []).append(name)
    return dict(sorted(names.items()))


def _parameters(route: Route, schemas: RequestSchemas) -> list[dict[str, Any]]:
    operation = route.operation
    parameters: list[dict[str, Any]] = []
    if route.is_about_game:
        parameters.append(
            _parameter("path", "id", "The id of the game.", "tfo3rzcs42vux4wh4l6zck4d") | {"required": True}
        )
    if "<seat>" in route.path:
        parameters.append(_parameter("path", "seat", "The number of the seat.", "0") | {"required": True})
    if operation.query:
        parameters += schemas.parameters(operation.query)
    for name in operation.takes + (("If-None-Match",) if operation.is_revalidated else ()):
        parameters.append(_parameter("header", name, *TEXTS["request_headers"][name]))
    if operation.shortest_key:
        meaning = "A repeat with the same key and body appends nothing and is answered as the first was."
        if operation.shortest_key > 1:
            meaning += " The answer holds a token, so this key is a secret, too: it needs at least 22 characters."
        key = TEXT | {"pattern": f"^[ -~]{{{operation.shortest_key},200}}$"}
        parameters.append(_parameter("header", "Idempotency-Key", meaning, "Qm9b2kXw7Tn4cJ1uVz8sLd") | {"schema": key})
    return parameters


def _parameter(place: str, name: str, meaning: str, example: str) -> dict[str, Any]:
    return {"in": place, "name": name, "schema": TEXT, "description": meaning, "example": example}


def _answer(route: Route, status: int) -> dict[str, Any]:
    operation, content, name = route.operation, route.operation.answers[status], operation_id(route)
    described: dict[str, Any] = {
        "description": "Removed." if route.method == "DELETE" else TEXTS["answers"][str(status)]
    }
    if content is not None:
        media = {JSON: ref(content)} if isinstance(content, str) else content
        described["content"] = {kind: _content(name, kind, schema) for kind, schema in media.items()}
        if links := _links_of(name):
            described["links"] = links
    sent = operation.sends + (("ETag",) if operation.is_revalidated else ())
    sent += ("Idempotency-Replayed",) if operation.shortest_key else ()
    if sent:
        described["headers"] = _headers({name: TEXTS["response_headers"][name] for name in sent})
    return described


def _content(operation: str, media_type: str, schema: Shape) -> dict[str, Any]:
    example = example_of(operation, media_type, schema)
    return {"schema": schema} if example is None else {"schema": schema, "example": example}


def _problems(status: int, codes: list[str]) -> dict[str, Any]:
    return {
        "description": "\n".join(f"- `{code}`: {CODES[code].title}" for code in codes),
        "content": {
            MEDIA_TYPE: {
                "schema": ref("Problem"),
                "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in codes},
            }
        },
        "headers": _headers(
            {"Content-Language": "Of `detail` and `errors`."} | TEXTS["error_headers"].get(str(status), {})
        ),
    }


def _headers(meanings: Mapping[str, str]) -> dict[str, Any]:
    return {name: {"schema": TEXT, "description": text} for name, text in meanings.items()}


def _links_of(operation: str) -> dict[str, Any]:
    return {
        target: {"operationId": target, "parameters": parameters, "description": "Continues with the same game."}
        | _BODIES.get((operation, target), {})
        for target, parameters in TEXTS["links"].get(operation, {}).items()
    }
