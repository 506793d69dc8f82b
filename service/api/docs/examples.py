"""The examples of the OpenAPI document: answers of a real game, kept in examples.json, and of every problem."""

import json
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final

from domain.commands import MOST_MESSAGES
from domain.people.legality import MOST_CONSENTS, MOST_VACATION_DAYS
from domain.refusals import Reason, Refused
from domain.words.refusals.sentences import Sentence
from service.api.content.negotiation import JSON
from service.api.problems.codes import CODES
from service.api.problems.problem import InvalidRequest, Problem, problem_of
from service.api.protocol.body import MAX_BYTES
from service.api.schemas.shapes import Shape
from service.post.subscriptions import PLACES
from service.signing.tokens import MOST_ROTATIONS

_VERSION: Final = 57
_AT_A_VERSION: Final = {HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED}
"""Statuses of problems that only a game can have."""
_REFUSALS: Final = (
    Refused(Reason.GAME_NOT_STARTED),
    Refused(Reason.GAME_OVER, case="won", winners=["Anna"]),
    Refused(Reason.SCORING_IN_PROGRESS, round=1),
    Refused(Reason.NOT_YOUR_TURN, seat=0, name="Anna"),
    Refused(Reason.NOT_ENOUGH_ACTION_POINTS, cost=2, left=1),
    Refused(Reason.CARD_NOT_IN_HAND, card="gold"),
    Refused(Reason.NO_SUCH_ROW, case="several", row=3, first=0, last=1),
    Refused(Reason.ROW_CLOSED, row=0),
    Refused(Reason.ROW_NEEDS_BUSINESS_FIRST, row=1),
    Refused(Reason.WRONG_BUSINESS, row=0, business="art", card="shares"),
    Refused(Reason.BUSINESS_ALREADY_HAS_ROW, case="open", card="shares", row=4),
    Refused(Reason.TOO_MANY_BUSINESSMAKERS, rows=10),
    Refused(Reason.SEAT_RESIGNED),
    Refused(Reason.SEAT_NOT_ABANDONED),
    Refused(Reason.SEAT_NOT_SILENT, days=14),
    Refused(Reason.CONSENT_UNCHANGED, case="given"),
    Refused(Reason.TOO_MANY_CONSENTS, most=MOST_CONSENTS),
    Refused(Reason.VACATION_REFUSED, case="days", most=MOST_VACATION_DAYS, hours=96),
    Refused(Reason.NOT_ON_VACATION),
    Refused(Reason.GAME_PAUSED),
    Refused(Reason.GAME_NOT_PAUSED),
    Refused(Reason.NO_OPEN_SEAT),
    Refused(Reason.TOO_MANY_MESSAGES, case="number", most=MOST_MESSAGES),
)
_SENTENCES: Final = {
    "malformed-json": Sentence("body.empty"),
    "bad-request": Sentence("body.cut"),
    "no-such-version": Sentence("no-such-version", {"last": _VERSION}),
    "method-not-allowed": Sentence("method-not-allowed", {"choices": ["GET", "HEAD", "OPTIONS"]}),
    "not-acceptable": Sentence("not-acceptable", {"choices": [JSON]}),
    "too-many-devices": Sentence("too-many-devices", {"most": len(PLACES)}),
    "too-many-handovers": Sentence("too-many-handovers", {"most": MOST_ROTATIONS}),
    "stale-version": Sentence("stale-version", {"version": _VERSION}),
    "body-too-large": Sentence("body.too-large", {"most": MAX_BYTES}),
    "unsupported-media-type": Sentence("body.media-type"),
    "too-many-waiting": Sentence("too-many-waiting.poll"),
}
"""What the service says with a code; for other codes the sentence has the code's name."""
_PROBLEMS: Final[dict[str, Problem]] = {
    **{name: Problem(name, _SENTENCES.get(name) or Sentence(name)) for name in CODES},
    **{refused.reason: problem_of(refused) for refused in _REFUSALS},
    "invalid-request": InvalidRequest({"slot": [Sentence("values", {"values": range(3)})]}),
}


def example_of(operation: str, media_type: str, schema: Shape) -> Any:
    """An answer in a media type; None where there is none. JSON is kept by its shape, a text by its operation."""
    kept = schema["$ref"].rpartition("/")[2] if media_type == JSON else f"{operation} {media_type}"
    return _kept().get(kept)


def problem_examples(codes: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Code -> example object with a whole problem."""
    return {name: {"summary": CODES[name].title, "value": problem_example(name)} for name in codes}


def problem_example(name: str) -> dict[str, Any]:
    status = CODES[name].status
    return _PROBLEMS[name].to_json(_VERSION if status in _AT_A_VERSION or name == "no-such-version" else None)


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((files("service.api.docs") / "examples.json").read_text("utf-8"))
    return kept
