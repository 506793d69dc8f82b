"""What the OpenAPI document says of each route beyond its path and docstring; a test holds the table complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from marshmallow import Schema
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.protocol.request import CSV, EVENT_STREAM, HTML, JSON, NDJSON, SECRET_KEY
from service.api.schemas.requests import (
    ActionListSchema,
    ActionSchema,
    EventsQuery,
    JoinSchema,
    LanguageQuery,
    MessageSchema,
    NewForkSchema,
    NewGameSchema,
    RecapQuery,
    ReceiptQuery,
    ReplayQuery,
    ViewQuery,
)
from service.api.schemas.responses import ref


class Asker(Enum):
    """Who may ask."""

    ANYBODY = "without a token"
    WATCHER = "with a seat token, or as a spectator without one"
    SEAT = "with a seat token only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One route. What follows from these facts (most error statuses) is not repeated here."""

    answers: Mapping[int, str | Mapping[str, Any] | None]
    """Status -> name of the JSON answer's shape; or media type -> JSON schema; or None for no body."""
    asker: Asker = Asker.ANYBODY
    body: tuple[type[Schema], ...] = ()
    """The body is valid as exactly one of these."""
    example: Mapping[str, Any] | None = None
    """A body."""
    query: type[Schema] | None = None
    shortest_key: int = 0
    """Characters that an Idempotency-Key needs here; 0: none is taken."""
    takes: tuple[str, ...] = ()
    """Conditional request headers."""
    sends: tuple[str, ...] = ()
    """Response headers of accepted requests."""
    errors: frozenset[int] = field(default=frozenset())
    """Error statuses that follow from nothing else."""


OPERATIONS: Final[dict[str, Operation]] = {
    "games.create_game": Operation(
        asker=Asker.WATCHER,
        body=(NewGameSchema, NewForkSchema),
        example={"seats": [{"name": "Anna", "entropy": "tulip"}, {"bot": "greedy"}, {}], "listed": False},
        shortest_key=SECRET_KEY,
        answers={201: "Created"},
        sends=("Location", "ETag"),
        errors=frozenset({404, 409, 412}),
    ),
    "games.join_game": Operation(
        asker=Asker.WATCHER,
        body=(JoinSchema,),
        example={"name": "Carla", "entropy": "parrot"},
        shortest_key=SECRET_KEY,
        takes=("If-Match",),
        answers={201: "Joined"},
        sends=("ETag",),
        errors=frozenset({409}),
    ),
    "games.show_game": Operation(
        asker=Asker.WATCHER,
        query=ViewQuery,
        takes=("If-None-Match",),
        answers={200: "View", 304: None},
        sends=("ETag",),
        errors=frozenset({404}),
    ),
    "score_sheet.show_scores": Operation(
        asker=Asker.WATCHER,
        query=LanguageQuery,
        takes=("Accept-Language",),
        answers={
            200: {
                JSON: ref("Scores"),
                CSV: {"type": "string", "description": "A line for each business, columns for players and rounds."},
                HTML: {"type": "string", "description": "The sheet as a page to print."},
            }
        },
    ),
    "recap.show_recap": Operation(
        asker=Asker.WATCHER,
        query=RecapQuery,
        takes=("Accept-Language",),
        answers={200: "Recap"},
        sends=("Content-Language",),
    ),
    "games.show_receipt": Operation(asker=Asker.WATCHER, query=ReceiptQuery, answers={200: "Receipt"}),
    "games.show_keys": Operation(answers={200: "Keys"}),
    "games.show_bots": Operation(answers={200: "Bots"}),
    "actions.act": Operation(
        asker=Asker.SEAT,
        body=(ActionSchema, ActionListSchema),
        example={"actions": [{"type": "take", "slot": 1}, {"type": "append", "card": "gold", "row": 0}]},
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Acted"},
        sends=("ETag",),
        errors=frozenset({409}),
    ),
    "actions.show_legal_actions": Operation(asker=Asker.SEAT, answers={200: "LegalActions"}),
    "messages.post_message": Operation(
        asker=Asker.SEAT,
        body=(MessageSchema,),
        example={"text": "Well played!\nAnother one?"},
        shortest_key=1,
        takes=("If-Match",),
        answers={201: "Accepted"},
        sends=("ETag",),
    ),
    "events.show_events": Operation(
        asker=Asker.WATCHER,
        query=EventsQuery,
        takes=("Last-Event-ID",),
        answers={
            200: {
                JSON: ref("EventsPage"),
                NDJSON: {"type": "string", "description": "One event a line."},
                EVENT_STREAM: {"type": "string", "description": "What has happened, then what happens, to the end."},
            },
            204: None,
        },
    ),
    "replay.show_replay": Operation(
        asker=Asker.WATCHER,
        query=ReplayQuery,
        answers={200: {NDJSON: {"type": "string", "description": "`{version, event, view}`, one a line."}}},
    ),
    "audit.show_audit": Operation(asker=Asker.WATCHER, answers={200: "Audit"}),
    "health.is_up": Operation(answers={200: "Health"}),
    "health.is_ready": Operation(answers={200: "Readiness", 503: "Readiness"}),
    "health.metrics": Operation(answers={200: {CONTENT_TYPE_LATEST: {"type": "string"}}}, errors=frozenset({403})),
    "show_document": Operation(answers={200: "Document"}),
}
