"""The examples of the OpenAPI document: answers of a real game, kept in examples.json, and of every problem."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from domain.commands import MOST_MESSAGES
from domain.people.legality import MOST_CONSENTS, MOST_VACATION_DAYS
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import JSON
from service.api.docs.members import TEXTS
from service.api.problems.problem import CODES, InvalidRequest, Problem
from service.api.protocol.body import MAX_BYTES
from service.api.schemas.shapes import Shape
from service.post.subscriptions import PLACES
from service.signing.tokens import MOST_ROTATIONS

_KEPT: Final[dict[str, Any]] = json.loads((files(__package__) / "examples.json").read_text("utf-8"))
_VERSION: Final = 57
_AT_A_VERSION: Final = {HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED}
"""Statuses of problems that only a game can have."""
_MOST: Final = {
    "too-many-consents": MOST_CONSENTS,
    "vacation-refused": MOST_VACATION_DAYS,
    "too-many-messages": MOST_MESSAGES,
    "too-many-devices": len(PLACES),
    "too-many-handovers": MOST_ROTATIONS,
    "body-too-large": MAX_BYTES,
}
"""The limits that sentences name."""


def _sentence_of(code: str) -> Sentence:
    name, values = TEXTS["sentences"].get(code, (code, {}))
    return Sentence(name, values | ({"most": _MOST[code]} if code in _MOST else {}))


_PROBLEMS: Final[dict[str, Problem]] = {
    **{code: Problem(code, _sentence_of(code)) for code in CODES},
    "invalid-request": InvalidRequest({"slot": [Sentence("values", {"values": range(3)})]}),
}


def example_of(operation: str, media_type: str, schema: Shape) -> Any:
    """An answer in a media type; None where there is none. JSON is kept by its shape, a text by its operation."""
    kept = schema["$ref"].rpartition("/")[2] if media_type == JSON else f"{operation} {media_type}"
    return _KEPT.get(kept)


def problem_examples(codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {name: {"summary": CODES[name].title, "value": problem_example(name)} for name in codes}


def problem_example(name: str) -> dict[str, Any]:
    status = CODES[name].status
    return _PROBLEMS[name].to_json(_VERSION if status in _AT_A_VERSION or name == "no-such-version" else None)
