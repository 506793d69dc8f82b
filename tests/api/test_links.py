"""The links of the OpenAPI document: each leads from a real answer to a request that is accepted."""

from typing import Any, Final

import pytest

from domain.clock.timestamps import timestamp
from service.runtime.clock import now_ms
from tests.support.cases import cases
from tests.support.client import Api, Table

BODIES: Final[dict[str, dict[str, Any]]] = {
    "joinGame": {"name": "Bert"},
    "postMessage": {"text": "Hello"},
    "takeVacation": {"until": timestamp(now_ms() + 3_600_000)},
    **{name: {} for name in ("resign", "agreeToCancel", "agreeToPause", "resumeGame")},
}
QUERIES: Final[dict[str, dict[str, Any]]] = {
    "showEvents": {"limit": 1},
    "showRecap": {"since": 1, "by": "action", "limit": 1},
}
"""With these the page isn't the last one, so that its answer names the next one."""
LEADING: Final = cases(__file__, "leading")
"""The operations that links lead from."""


class Walk:
    """Follows links through one new game after the other."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.operations: dict[str, tuple[str, str, dict[str, Any]]] = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, item in api.get("/v1/openapi.json").json()["paths"].items()
            for method, operation in item.items()
        }

    def links(self, source: str) -> dict[str, dict[str, Any]]:
        answers = self.operations[source][2]["responses"].values()
        return {name: link for answer in answers for name, link in answer.get("links", {}).items()}

    def answer_of(self, source: str) -> tuple[Table, dict[str, Any]]:
        """A game, and the answer of this operation about it. A link to `joinGame` needs an open seat."""
        table = self.api.create([{"name": "Anna"}, {}])
        if source == "createGame":
            return table, table.answer
        if source == "joinGame":
            answer = self.send(table, source)
            table.tokens[answer["seat"]] = answer["token"]
            return table, answer
        self.api.join(table)
        if source == "resumeGame":
            for token in table.tokens.values():
                assert self.api.request("POST", f"/v1/games/{table.id}/pause", token, json={}).is_success
        return table, self.send(table, source)

    def send(
        self, table: Table, operation: str, parameters: dict[str, Any] | None = None, body: Any = None
    ) -> dict[str, Any]:
        """A request of the seat that is to move, and its answer, which is a success."""
        method, path, _ = self.operations[operation]
        query = QUERIES.get(operation, {}) | (parameters or {})
        turn = self.api.view(table)["turn"]
        seat = turn["seat"] if turn else 0
        if operation == "act" and body is None:
            body = self.api.legal_actions(table, seat)[0]
        sent = {"json": BODIES[operation] if body is None else body} if method == "POST" else {}
        path = path.replace("{id}", query.pop("id", table.id))
        answer = self.api.request(method, path, table.tokens[seat], params=query, **sent)
        assert answer.is_success, (operation, answer.text)
        content: dict[str, Any] = answer.json()
        return content


def resolve(expression: str, table: Table, answer: Any) -> Any:
    if expression == "$request.path.id":
        return table.id
    for step in expression.removeprefix("$response.body#/").split("/"):
        answer = answer[int(step)] if isinstance(answer, list) else answer[step]
    assert answer is not None, f"{expression} leads nowhere"
    return answer


@pytest.fixture(scope="module")
def walk(api: Api) -> Walk:
    return Walk(api)


@pytest.mark.parametrize("source", LEADING)
def test_every_link_can_be_followed(walk: Walk, source: str) -> None:
    """With the parameters and the body that it names, a token, and nothing that its target doesn't require."""
    table, answer = walk.answer_of(source)
    for target, link in walk.links(source).items():
        parameters = {name: resolve(value, table, answer) for name, value in link["parameters"].items()}
        body = resolve(link["requestBody"], table, answer) if "requestBody" in link else None
        found = walk.send(table, target, parameters, body)
        if target == "joinGame":
            table.tokens[found["seat"]] = found["token"]


def test_no_other_operation_has_links(walk: Walk) -> None:
    assert {name for name in walk.operations if walk.links(name)} == set(LEADING)
