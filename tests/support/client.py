"""A client as a player would write one: thin, and it never hides an answer's status or headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.documented import is_documented

SEED = "5" * 64
"""The seed of every game that a test wants to repeat."""


@dataclass(frozen=True)
class Table:
    id: str
    tokens: dict[int, str]
    answer: dict[str, Any] = field(repr=False)
    """The answer to its creation."""

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"


@dataclass(frozen=True)
class Api:
    """Requests to a running service. `json` is sent as it is given, `token` as bearer."""

    http: httpx.Client

    def request(self, method: str, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        """Any request; `headers` and the rest are httpx's."""
        headers: Mapping[str, str] = more.pop("headers", None) or {}
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.http.request(method, path, headers={**bearer, **headers}, **more)

    def get(self, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        return self.request("GET", path, token, **more)

    def post(self, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        return self.request("POST", path, token, **more)

    def create(
        self, seats: int | list[dict[str, Any]] = 2, seed: str | None = SEED, *, key: str | None = None, **body: Any
    ) -> Table:
        """A new game: of so many named players, or of the seats as given; `seed` None leaves it to chance."""
        plan = [{"name": f"player {seat}"} for seat in range(seats)] if isinstance(seats, int) else seats
        fixed = {} if seed is None else {"server_seed": seed}
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self.post("/v1/games", json={"seats": plan, **fixed, **body}, headers=headers)
        assert answer.status_code == 201, answer.text
        content = answer.json()
        return Table(content["game"]["id"], {seat["seat"]: seat["token"] for seat in content["seats"]}, content)

    def join(self, table: Table, name: str = "Carla", *, headers: Mapping[str, str] | None = None, **body: Any) -> int:
        """Take the lowest open seat; the table has its token then."""
        answer = self.post(f"{table.path}/seats", json={"name": name, **body}, headers=headers)
        assert answer.status_code == 201, answer.text
        content = answer.json()
        table.tokens[content["seat"]] = content["token"]
        seat: int = content["seat"]
        return seat

    def act(
        self, table: Table, seat: int, *actions: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """One action as itself, several as a list; the answer, accepted or refused."""
        body = actions[0] if len(actions) == 1 else {"actions": list(actions)}
        return self.post(f"{table.path}/actions", table.tokens[seat], json=body, headers=headers)

    def view(self, table: Table, seat: int | None = None, **query: Any) -> dict[str, Any]:
        return self._content(table, "", seat, query)

    def events(self, table: Table, seat: int | None = None, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._content(table, "/events", seat, query)["events"]
        return found

    def legal_actions(self, table: Table, seat: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._content(table, "/legal-actions", seat, {})["actions"]
        return found

    def await_end(self, table: Table) -> None:
        """Wait until bots and workers have ended the game: its stream of events ends with it."""
        self.get(f"{table.path}/events", headers={"Accept": "text/event-stream"})
        assert self.view(table)["status"] == "over"

    def version(self, table: Table) -> int:
        version: int = self.view(table)["version"]
        return version

    def _content(self, table: Table, path: str, seat: int | None, query: dict[str, Any]) -> dict[str, Any]:
        answer = self.get(table.path + path, None if seat is None else table.tokens[seat], params=query)
        assert answer.status_code == 200, answer.text
        content: dict[str, Any] = answer.json()
        return content


def refused(answer: httpx.Response, status: int, code: str, version: int | None = None) -> dict[str, Any]:
    """The problem in an answer, which is one in all its parts; `version`: the game's, which it must hold."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert (problem["type"], problem["status"]) == (f"/problems/{code}", status)
    assert problem["title"]
    assert problem["detail"]
    assert answer.headers["Content-Language"] in {"en", "de", "nl", "fr"}
    assert "Accept-Language" in answer.headers["Vary"]
    assert "Traceback" not in answer.text
    asked = answer.request
    assert is_documented(asked.method, asked.url.path, code), f"{code} isn't documented for {asked.method} {asked.url}"
    if version is not None:
        assert problem["version"] == version
    if code == "invalid-request":
        assert all(isinstance(said, list) and said for said in problem["errors"].values())
    assert (answer.headers.get("WWW-Authenticate") == "Bearer") == (status == 401)
    assert ("Allow" in answer.headers) == (status == 405)
    assert ("Retry-After" in answer.headers) == (status in (429, 503))
    return problem
