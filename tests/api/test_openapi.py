"""The OpenAPI document: complete, valid, and true."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from domain.commands import ACTION_TABLE
from service.api.docs.html import pages
from service.api.docs.members import MEMBERS
from service.api.docs.openapi import build
from service.api.docs.operations import document_path, operation_id, problem_codes
from service.api.problems.problem import CODES
from service.api.protocol.routing import PAGE
from service.app import all_routes
from tests.support.cases import cases
from tests.support.client import Api
from tests.support.world import Process

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(api: Api) -> Document:
    answer = api.get("/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    found: Document = answer.json()
    return found


def _operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


@pytest.mark.slow
def test_is_valid(document: Document) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # a third of a second, in each test process

    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_names_every_route_and_no_other(document: Document) -> None:
    """Path by path and method by method, the document lists the application's routes, except the HTML pages."""
    routed = {(document_path(route), route.method.lower()) for route in all_routes() if route.operation is not PAGE}
    assert {(path, method) for path, method, _ in _operations(document)} == routed
    assert not [route for route in all_routes() if route.operation is PAGE and route.path.startswith("/v1/")]
    about_the_api = {route.path for route in pages.routes}
    assert about_the_api == set(cases(__file__, "about_the_api"))
    rules = Process().http.application.url_map.iter_rules()
    served = {(rule.rule, method) for rule in rules for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    assert served == {(route.path, route.method) for route in all_routes()}


def test_every_reference_leads_somewhere(document: Document) -> None:
    """Every `$ref` and discriminator has its target, no component is unused, and no schema is there twice."""
    named = set(re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(document)))
    for kind, name in named:
        assert name in document["components"][kind]
    there = {(kind, name) for kind in ("schemas", "examples") for name in document["components"][kind]}
    assert there <= named
    assert not [name for name in document["components"]["schemas"] if re.search(r"\d$", name)]


def test_errors_are_problems(document: Document) -> None:
    """Every error of an operation is described with the codes that it can have, and no 500 is promised."""
    declared = {operation_id(route): problem_codes(route) for route in all_routes() if route.operation.answers}
    for path, _, operation in _operations(document):
        codes = set()
        for status, response in operation["responses"].items():
            assert status != "500"
            if status[0] in "45" and path != "/readyz":
                assert list(response["content"]) == ["application/problem+json"]
                here = set(response["content"]["application/problem+json"]["examples"])
                assert {CODES[code].status for code in here} == {int(status)}
                assert set(re.findall(r"^- `(.*)`:", response["description"], re.MULTILINE)) == here
                codes |= here
        assert codes == declared[operation["operationId"]]


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
    for inner in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _objects(inner)


def test_everything_is_described(document: Document) -> None:
    """Operations, tags, parameters, headers, schemas and members say what they are; no description is left over."""
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    for path, _, operation in _operations(document):
        assert operation["summary"], path
        assert operation["description"], path
        assert "security" in operation, path
        assert set(operation["tags"]) <= tags.keys()
        for parameter in operation["parameters"]:
            assert parameter["description"], (path, parameter)
            assert "example" in parameter, (path, parameter)
    for webhook in document["webhooks"].values():
        assert "security" in webhook["post"]
        assert not {*webhook["post"]["tags"]} & tags.keys()  # generators replace what has the same tag
    assert all(schema.get("description") for schema in document["components"]["schemas"].values())
    assert {tag for _, _, operation in _operations(document) for tag in operation["tags"]} == tags.keys()
    schemas = _objects(document["components"]["schemas"])
    members = [member for schema in schemas for member in schema.get("properties", {}).items()]
    assert len(members) > 200
    assert [name for name, schema in members if not schema.get("description")] == []
    text = json.dumps(document, ensure_ascii=False)
    for name, meaning in MEMBERS.items():
        assert json.dumps(meaning, ensure_ascii=False) in text, name


def test_types_are_plain(document: Document) -> None:
    """Words have a type, a constant is a word, and cards and businesses are one schema each: generators need that."""
    schemas = document["components"]["schemas"]
    for schema in _objects(schemas):
        assert isinstance(schema.get("const", ""), str)
        if "enum" in schema or "const" in schema:
            assert schema["type"] == "string"
    assert schemas["View"]["properties"]["open_information"]["type"] == "boolean"
    kinds = [kind["$ref"].rpartition("/")[2] for kind in schemas["Seat"]["oneOf"]]
    assert kinds == ["NamedSeat", "BotSeat", "OpenSeat"]
    unions = {f"#/components/schemas/{name}" for name, schema in schemas.items() if "oneOf" in schema}
    kinds = [kind for schema in _objects(document) for kind in schema.get("oneOf", ())]
    assert not unions & {part.get("$ref") for kind in kinds for part in (kind, kind.get("items", {}))}
    lists = [json.dumps(words) for words in re.findall(r'"enum": (\[.*?\])', json.dumps(document["components"]))]
    lists = [words for words in lists if "," in words]  # a word alone may be the type of several schemas
    assert len(lists) == len(set(lists))


def test_examples_fit_their_schemas(document: Document) -> None:
    """Every operation with a body or JSON answer has an example of it, which is valid and has all members."""
    components = closed(document)

    def check(content: dict[str, Any]) -> None:
        Draft202012Validator({**content["schema"], "components": components}).validate(content["example"])

    for path, _, operation in _operations(document):
        if "requestBody" in operation:
            check(operation["requestBody"]["content"]["application/json"])
        for status, answer in operation["responses"].items():
            for media_type, content in answer.get("content", {}).items():
                if media_type == "application/json" and path != "/v1/openapi.json":
                    check(content)
                elif media_type == "application/problem+json":
                    for reference in content["examples"].values():
                        example = document["components"]["examples"][reference["$ref"].rpartition("/")[2]]
                        check({"schema": content["schema"], "example": example["value"]})
                        assert example["value"]["status"] == int(status)
                        assert example["value"]["detail"]


def test_defaults_are_the_contracts(document: Document) -> None:
    """Of queries; of members they stand in words, as generated clients would send them."""
    defaults = {
        (path.rpartition("/")[2], parameter["name"]): parameter["schema"]["default"]
        for path, operations in document["paths"].items()
        for parameter in operations.get("get", {}).get("parameters", [])
        if "default" in parameter.get("schema", {})
    }
    assert defaults == {
        ("games", "limit"): 20,
        ("events", "after"): 0,
        ("events", "limit"): 200,
        ("replay", "after"): 0,
        ("recap", "by"): "turn",
        ("recap", "limit"): 200,
    }
    members = document["components"]["schemas"]["NewGame"]["properties"]
    assert members["starting_seat"]["description"].endswith(" Missing: 0.")
    of_members = [one for schema in document["components"]["schemas"].values() for one in _objects(schema)]
    assert not [one for one in of_members if "default" in one]


def test_operations_are_in_the_order_of_use(document: Document) -> None:
    """A reader opens a game first, then joins, looks and acts."""
    order = [operation["operationId"] for _, _, operation in _operations(document)]
    first = ["createGame", "listListedGames", "showGame", "joinGame", "handOverSeat", "act", "showLegalActions"]
    assert order[:7] == first  # that of the modules in `service/app.py`; those of one path stand together
    assert [tag["name"] for tag in document["tags"]] == ["play", "post", "watch", "verify", "service"]


def test_a_fixed_seed_is_offered_only_where_it_is_taken(document: Document) -> None:
    """A service that draws its seeds itself doesn't describe the member."""
    assert "server_seed" in document["components"]["schemas"]["NewGame"]["properties"]
    other = build(list(all_routes()), fixed_seed=False)
    assert "server_seed" not in other["components"]["schemas"]["NewGame"]["properties"]


TAKE = {"type": "take", "slot": 1}
SEATS, FORK = [{"name": "Anna"}, {"bot": "greedy"}], {"game": "abc", "version": 9}
UNIONS: dict[str, tuple[list[Any], list[Any]]] = {
    "/v1/games/{id}/actions": (
        [TAKE, {"type": "draw"}, {"actions": [TAKE, {"type": "append", "card": "oil", "row": 0.0}]}],
        [{"type": "draw", "slot": 1}, {"type": "pass"}, {"actions": []}, {"actions": [TAKE] * 4}, [TAKE], {}],
    ),
    "/v1/games": (
        [{"seats": SEATS}, {"seats": [{}, {}]}, {"fork": FORK, "seats": SEATS, "listed": True}],
        [{"fork": FORK}, {"fork": FORK, "seats": [{}, {}]}, {"fork": FORK, "seats": SEATS, "variants": {}}],
    ),
}
"""By path: bodies of a POST that are one of the kinds, and others that are none."""


@pytest.mark.parametrize("path", UNIONS)
def test_a_body_of_several_kinds_is_one_of_them(document: Document, path: str) -> None:
    """An action, distinguished by its type, or up to three; a new game or a fork, never both."""
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    check = Draft202012Validator({**body, "components": document["components"]})
    good, bad = UNIONS[path]
    assert [check.is_valid(one) for one in (*good, *bad)] == [True] * len(good) + [False] * len(bad)
    kinds = document["components"]["schemas"]["Action"]["discriminator"]["mapping"].keys()
    assert kinds == {entry.word for entry in ACTION_TABLE.values()}


def closed(document: Document) -> Document:
    """The document's components with objects that have no members but those described."""
    components: Document = deepcopy(document["components"])
    for schema in list(_objects(components["schemas"])):
        if "properties" in schema and schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)
    return components


def test_answers_are_as_described(document: Document, api: Api) -> None:
    """A game's answers from creation to the end hold exactly the members that the document names."""
    components = closed(document)

    def check(name: str, content: Any) -> None:
        schema = {"$ref": f"#/components/schemas/{name}", "components": components}
        Draft202012Validator(schema).validate(content)

    table = api.create([{"name": "Anna"}, {}, {"bot": "greedy"}])
    check("Created", table.answer)
    check("View", api.view(table))
    check("Joined", api.post(f"{table.path}/seats", json={"name": "Bert", "entropy": "tulip"}).json())
    of_game = {"": "View", "legal-actions": "LegalActions", "receipt": "Receipt", "recap": "Recap"}
    for path, name in (of_game | {"scores/now": "ScoresNow"}).items():
        check(name, api.get(f"{table.path}/{path}".rstrip("/"), table.tokens[0]).json())
    acted = api.act(table, 0, {"type": "draw"}, {"type": "draw"})
    check("Acted", acted.json())
    assert acted.json()["problem"]["type"] == "/problems/not-enough-action-points"
    check("Accepted", api.post(f"{table.path}/messages", table.tokens[0], json={"text": "Well …"}).json())
    check("Problem", api.act(table, 0, {"type": "take", "slot": 9}).json())
    for path, name in {"/v1/keys": "Keys", "/v1/bots": "Bots", "/healthz": "Health", "/readyz": "Readiness"}.items():
        check(name, api.get(path).json())
    finished = api.create([{"bot": "greedy"}, {"bot": "random"}])
    watched = api.view(finished)
    while watched["status"] != "over":
        check("View", watched)
        check("ScoresNow", api.get(f"{finished.path}/scores/now").json())
        newer = api.get(f"{finished.path}?wait=20", headers={"If-None-Match": f'"{watched["version"]}"'})
        assert newer.status_code == 200, "the bots have stopped playing"
        watched = newer.json()
    over = {"": "View", "/scores/now": "ScoresNow", "/scores": "Scores", "/events?limit=1000": "EventsPage"}
    for path, name in over.items():
        check(name, api.get(finished.path + path).json())
    for parent, seat in ((finished, None), (table, 0)):
        version = api.version(parent) if seat is not None else 60
        body = {"fork": {"game": parent.id, "version": version}}
        seats = [{"name": f"guest {number}"} for number in range(len(parent.answer["game"]["seats"]))]
        made = api.post("/v1/games", parent.tokens.get(seat), json={**body, "seats": seats})
        check("Created", made.json())
        check("View", made.json()["game"])
        for token in (None, made.json()["seats"][0]["token"]):
            check("EventsPage", api.get(f"{made.headers['Location']}/events?limit=1000", token).json())


def test_the_document_is_compressed_and_revalidated(api: Api) -> None:
    answer = api.get("/v1/openapi.json")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) < len(answer.content) / 5
    assert api.get("/v1/openapi.json", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
