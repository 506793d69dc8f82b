"""The headers of a request: who sends it, under which conditions, and whether it is a repeat."""

import re
from collections.abc import Callable
from typing import Final

from marshmallow import ValidationError

from domain.words.refusals.sentences import Sentence
from service.api.limits.bounds import read_header
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.validation import flatten
from service.api.schemas import validators as validate
from service.api.schemas.fields import Digits
from service.api.wsgi import current_request
from service.gamelog.idempotency import IdempotencyKey
from service.signing.tokens import SeatToken, Tokens

_LONGEST_KEY: Final = 200
_STRONG_TAG: Final = re.compile(r'(?:^|,)[ \t]*"([^"]*)"[ \t]*(?=,|$)')
_CHANGED_TAG: Final = re.compile(r'W/"|"[0-9]+[-+.:;_][^"]*"')
"""A version's tag after a proxy has compressed its answer: weak, as by nginx, or with a suffix, as by Apache."""
_VERSION: Final = Digits(validate=validate.Range(0))


def read_token(tokens: Tokens) -> SeatToken | None:
    """The request's seat token, which may be revoked; None where it has none. Raises Problem `invalid-token`."""
    header = current_request().environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Problem("invalid-token", Sentence("invalid-token.scheme"))
    seat_token = tokens.read(token.strip())
    if seat_token is None:
        raise Problem("invalid-token", Sentence("invalid-token"))
    return seat_token


def read_token_of(tokens: Tokens, game: str) -> SeatToken | None:
    """The request's token of this game; None where it has none. Raises Problem for a bad or a foreign token."""
    seat_token = read_token(tokens)
    if seat_token is not None and seat_token.game != game:
        raise Problem("not-your-game", Sentence("not-your-game"))
    return seat_token


def read_if_match() -> Callable[[int], bool] | None:
    """Whether the request may be applied at a version, as `If-Match` says; None where it sets no condition.

    `*` always matches, a list matches any of its versions; a weak tag or a malformed one never matches.
    Raises Problem `bad-request`.
    """
    condition = read_header("If-Match")
    if condition is None or condition.strip() == "*":
        return None
    # Not by werkzeug, which takes a bare 57 for "57".
    tags = frozenset(_STRONG_TAG.findall(condition))
    return lambda version: str(version) in tags


def fault_of_if_match() -> str:
    """The sentence that says why no tag of `If-Match` could ever match; empty where one could."""
    condition = current_request().environ.get("HTTP_IF_MATCH", '"')
    if '"' not in condition:
        return "stale-version.unquoted"
    return "stale-version.changed" if _CHANGED_TAG.search(condition) else ""


def read_last_event_id() -> int | None:
    """The version of the last event that the client has; None without the header. Raises Problem `invalid-request`."""
    header = current_request().environ.get("HTTP_LAST_EVENT_ID")
    try:
        return None if header is None else _VERSION.deserialize(header)
    except ValidationError as error:
        raise InvalidRequest(flatten({"Last-Event-ID": error.messages})) from None


def read_idempotency_key(scope: str, body: object, secret: bytes, *, shortest: int) -> IdempotencyKey | None:
    """The request's idempotency key; None without the header. Raises Problem `invalid-request`.

    A key has `shortest` to 200 printable ASCII characters; `scope` separates resources and seats, and `secret` keys the
    digests.
    """
    key = current_request().environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not shortest <= len(key) <= _LONGEST_KEY or not (key.isascii() and key.isprintable()):
        message = Sentence("characters.ascii", {"low": shortest, "high": _LONGEST_KEY})
        raise InvalidRequest({"Idempotency-Key": [message]})
    return IdempotencyKey(scope, key, body, secret)
