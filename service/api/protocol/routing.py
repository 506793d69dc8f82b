"""How a module of routes declares them: once, with all that is needed to serve a route and to describe it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, TypeVar

from flask import Response
from marshmallow import Schema

from service.api.content.negotiation import JSON

SECRET_KEY: Final = 22
"""Characters that an idempotency key needs if the answer holds tokens: a repeat with the key returns them again."""

View = TypeVar("View", bound=Callable[[Any], Response])


class BadRoute(ValueError):
    """A route that the OpenAPI document can't describe; one line says which, and what it lacks."""


class Asker(Enum):
    """Who may send a request."""

    ANYONE = "without a token"
    WATCHER = "with a seat token, or as a spectator without one"
    SEAT = "with a seat token only"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a route takes and answers. What follows from these facts (most problems) is not repeated here."""

    answers: Mapping[int, str | Mapping[str, Any] | None]
    """Status -> name of the JSON answer's shape; or media type -> JSON schema; or None for no body. Success first."""
    asker: Asker = Asker.ANYONE
    body: tuple[type[Schema], ...] = ()
    """The body is valid as exactly one of these."""
    needs_body: bool = True
    negotiates: bool = True
    """Whether `Accept` and body are checked before the view runs; else the view calls `ApiRequest.negotiate`."""
    query: type[Schema] | None = None
    shortest_key: int = 0
    """Characters that an Idempotency-Key needs here; 0: none is taken."""
    takes: tuple[str, ...] = ()
    """Conditional request headers."""
    sends: tuple[str, ...] = ()
    """Response headers of accepted requests."""
    weight: int = 1
    """How many actions' processor time a request may cost: it counts as so many against its client's limit."""
    refusals: frozenset[str] = frozenset()
    """Codes of problems that follow from nothing else."""

    @property
    def is_revalidated(self) -> bool:
        """Whether it takes `If-None-Match`, and so sends an `ETag`."""
        return 304 in self.answers

    @cached_property
    def schema(self) -> Schema:
        """Of the body, where there is one kind of it."""
        (kind,) = self.body
        return kind()

    @cached_property
    def media_types(self) -> tuple[str, ...]:
        """The media types of the first answer, the preferred one first."""
        content = next(iter(self.answers.values()))
        return (JSON,) if content is None or isinstance(content, str) else tuple(content)


PAGE: Final = Operation(answers={}, negotiates=False)
"""A page for people, which the OpenAPI document leaves out."""


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    view: Callable[[Any], Response]
    """Gets the ApiRequest, on a path with `<game>` the GameRequest."""
    operation: Operation
    tag: str
    """The chapter of the OpenAPI document."""

    @property
    def description(self) -> tuple[str, str]:
        """What the document says of the route, from the view's docstring: its first sentence, and its paragraph."""
        summary, _, about = (inspect.getdoc(self.view) or "").partition("\n\n")
        return summary.rstrip("."), " ".join(about.split())

    @property
    def is_about_game(self) -> bool:
        return "<game>" in self.path


class RouteTable(list[Route]):
    """The routes of one module, in a chapter of the OpenAPI document. Declaring a route records it here.

    Raises BadRoute for one that the document has and whose view's docstring has no sentence, or no paragraph below it.
    """

    def __init__(self, tag: str = "") -> None:
        super().__init__()
        self._tag = tag

    def get(self, path: str, operation: Operation = PAGE) -> Callable[[View], View]:
        return self._declare("GET", path, operation)

    def post(self, path: str, operation: Operation = PAGE) -> Callable[[View], View]:
        return self._declare("POST", path, operation)

    def put(self, path: str, operation: Operation) -> Callable[[View], View]:
        return self._declare("PUT", path, operation)

    def delete(self, path: str, operation: Operation) -> Callable[[View], View]:
        return self._declare("DELETE", path, operation)

    def serve(self, path: str, respond: Callable[[], Response]) -> None:
        """Declare a page that depends on the request's headers at most."""
        self.get(path)(lambda _request: respond())

    def _declare(self, method: str, path: str, operation: Operation) -> Callable[[View], View]:
        def record(view: View) -> View:
            route = Route(method, path, view, operation, self._tag)
            if operation.answers and not all(route.description):
                raise BadRoute(f"{method} {path}: the docstring of {view.__name__} needs a sentence and a paragraph.")
            self.append(route)
            return view

        return record
