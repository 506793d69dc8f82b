"""Query strings that are remembered mean what they mean when they are validated."""

import pytest
from flask import Flask
from marshmallow import Schema

from service.api.problems.problem import InvalidRequest
from service.api.protocol import validation
from service.api.protocol.validation import validate_query
from service.api.schemas.queries import EventsQuery, RecapQuery, ReplayQuery, ViewQuery

APP = Flask(__name__)
TEXTS = ("", "after=3", "after=3&limit=7", "limit=7&after=3", "at=2&wait=1.5", "since=4&by=action", "x=1", "after=%33")
WRONG = ("after=x", "after=1&after=2", "at=-1", "limit=0", "wait=31", "at=&after=&since=", "limit=1001&since=x")


def validate(schema: Schema, text: str) -> object:
    """The query's values, or its errors."""
    with APP.test_request_context(f"/?{text}"):
        try:
            return validate_query(schema)
        except InvalidRequest as refused:
            return refused.errors


def test_a_query_means_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each schema has its own values of a text; a refusal is found again; nobody can change what is remembered."""
    schemas = [schema() for schema in (EventsQuery, ViewQuery, ReplayQuery, RecapQuery)]
    again = [[validate(schema, text) for schema in schemas for text in (*TEXTS, *WRONG)] for _ in range(2)]
    assert again[0] == again[1]
    monkeypatch.setattr(validation, "_SHORT", -1)
    assert [validate(schema, text) for schema in schemas for text in (*TEXTS, *WRONG)] == again[0]
    monkeypatch.undo()
    assert validate(schemas[0], "after=3") == {"after": 3, "limit": 200}
    assert validate(schemas[2], "after=3") == {"after": 3}
    changed = validate(schemas[0], "after=3")
    assert isinstance(changed, dict)
    changed["after"] = 9
    assert validate(schemas[0], "after=3") == {"after": 3, "limit": 200}


def test_only_short_valid_queries_are_remembered() -> None:
    """4,096 of them at most; a longer one, or one that is refused, is validated each time."""
    schema = EventsQuery()
    before = validation._validate_short.cache_info().currsize
    for text in (*WRONG[:2], "after=3&" + "x" * 60):
        validate(schema, text)
    assert validation._validate_short.cache_info().currsize == before
    validate(schema, "after=987654321")
    assert validation._validate_short.cache_info().currsize == before + 1
    assert validation._validate_short.cache_parameters()["maxsize"] == 4096
