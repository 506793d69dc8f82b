"""How a module of routes declares them: once, with all that is needed to serve a route and to describe it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeVar

from flask import Response
from marshmallow import Schema

from service.api.content.negotiation import JSON

SECRET_KEY: Final = 22
"""Characters that an idempotency key needs if the answer holds tokens: a repeat with the key returns them again."""

View = TypeVar("View", bound=Callable[[Any], Response])


class Asker(Enum):
    """Who may send a request."""

    ANYONE = "without a token"
    WATCHER = "with a seat token, or as a spectator without one"
    SEAT = "with a seat token only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What a route takes and answers. What follows from these facts (most problems) is not repeated here."""

    answers: Mapping[int, str | Mapping[str, Any] | None]
    """Status -> name of the JSON answer's shape; or media type -> JSON schema; or None for no body. Success first."""
    asker: Asker = Asker.ANYONE
    body: tuple[type[Schema], ...] = ()
    """The body is valid as exactly one of these."""
    example: Mapping[str, Any] | None = None
    """A body."""
    negotiates: bool = True
    """Whether `Accept` and body are checked before the view runs; else the view calls `ApiRequest.negotiate`."""
    parses_body: bool = True
    """Whether the body is parsed before the view runs; else the view parses `ApiRequest.raw_body`."""
    query: type[Schema] | None = None
    shortest_key: int = 0
    """Characters that an Idempotency-Key needs here; 0: none is taken."""
    takes: tuple[str, ...] = ()
    """Conditional request headers."""
    sends: tuple[str, ...] = ()
    """Response headers of accepted requests."""
    voids_token: bool = False
    """Whether the request voids the token that it is sent with: a repeat has a void one, and the view judges it."""
    weight: int = 1
    """How many actions' processor time a request may cost: it counts as so many against its client's limit."""
    refusals: frozenset[str] = frozenset()
    """Codes of problems that follow from nothing else."""

    @property
    def media_types(self) -> tuple[str, ...]:
        """The media types of the first answer, the preferred one first."""
        content = next(iter(self.answers.values()))
        return (JSON,) if content is None or isinstance(content, str) else tuple(content)


PAGE: Final = Operation(answers={}, negotiates=False)
"""A page for people, which the OpenAPI document leaves out."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method on a path, and the function that answers it."""

    method: str
    path: str
    view: Callable[[Any], Response]
    """Gets the ApiRequest, on a path with `<game>` the GameRequest."""
    operation: Operation

    @property
    def is_about_game(self) -> bool:
        """Whether the path names a game."""
        return "<game>" in self.path


class RouteTable:
    """The routes of one module. Declaring a route does no more than record it here."""

    def __init__(self) -> None:
        """No route yet."""
        self._routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        """The routes in the order of their declaration."""
        return iter(self._routes)

    def get(self, path: str, operation: Operation = PAGE) -> Callable[[View], View]:
        """Declare the function below as the answer to GET."""
        return self._declare("GET", path, operation)

    def post(self, path: str, operation: Operation = PAGE) -> Callable[[View], View]:
        """Declare the function below as the answer to POST."""
        return self._declare("POST", path, operation)

    def put(self, path: str, operation: Operation) -> Callable[[View], View]:
        """Declare the function below as the answer to PUT."""
        return self._declare("PUT", path, operation)

    def delete(self, path: str, operation: Operation) -> Callable[[View], View]:
        """Declare the function below as the answer to DELETE."""
        return self._declare("DELETE", path, operation)

    def _declare(self, method: str, path: str, operation: Operation) -> Callable[[View], View]:
        def record(view: View) -> View:
            self._routes.append(Route(method, path, view, operation))
            return view

        return record
