"""Who asks, for what, and under which conditions: the headers of a request."""

import base64
import re
import secrets
from collections.abc import Callable

from flask import g, request

from domain.fairness.canonical import hmac_sha256
from domain.view import Viewer
from service.api.protocol.body import invalid
from service.api.protocol.problems import Problem
from service.api.protocol.web import services
from service.gamelog.cache import LoadedGame
from service.gamelog.idempotency import IdempotencyKey
from service.signing.tokens import SeatToken

JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENT_STREAM = "text/event-stream"
CSV = "text/csv"
HTML = "text/html"
_ANYTHING = frozenset({None, "", "*/*"})
_STRONG_TAG = re.compile(r'(?:^|,)[ \t]*"([^"]*)"[ \t]*(?=,|$)')
SECRET_KEY = 22
"""Characters of an idempotency key that brings back tokens."""


def viewer_of(game: str) -> Viewer:
    """The seat that asks, or None for a spectator. A bad or foreign token is refused, never a spectator's."""
    seat = token_sent()
    if seat is None:
        return None
    if seat.game != game:
        raise Problem("not-your-game", "This seat token is for another game.")
    return seat.seat


def token_sent() -> SeatToken | None:
    """What the request's token stands for; None where it has none. Raises Problem `invalid-token`."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    seat = services().tokens.read(token.strip()) if scheme.lower() == "bearer" else None
    if seat is None:
        raise Problem("invalid-token", "This is not a seat token of this service.")
    return seat


def seat_of(game: str) -> int:
    """The seat that asks. Raises Problem where no token came."""
    seat = viewer_of(game)
    if seat is None:
        raise Problem("missing-token", "Send the seat token: Authorization: Bearer <token>.")
    return seat


def game_known(game: str) -> LoadedGame:
    """The game, perhaps not at its newest version; from now on every problem tells the present one."""
    log = services().games
    loaded = log.load_cached(game)
    g.present_version = lambda: log.load(game).game.version
    return loaded


def accept(*offered: str) -> str:
    """The best of the media types on offer. Raises Problem `not-acceptable`."""
    given = request.headers.get("Accept")
    if given == offered[0] or given in _ANYTHING:  # nearly always: spares a parse
        return offered[0]
    best = request.accept_mimetypes.best_match(offered)
    if best is None:
        raise Problem("not-acceptable", f"Available as {', '.join(offered)}.")
    return best


def if_match() -> Callable[[int], bool] | None:
    """Whether the request may be applied at a version, as `If-Match` says; None where it says nothing.

    `*` always matches, a list matches any of its versions, a weak tag and what is no tag never do.
    """
    condition = request.headers.get("If-Match")
    if condition is None or condition.strip() == "*":
        return None
    # Not werkzeug's reading, which lets a bare 57 pass for "57".
    tags = frozenset(_STRONG_TAG.findall(condition))
    return lambda version: str(version) in tags


def idempotency_key(scope: str, body: object, *, shortest: int = 1) -> IdempotencyKey | None:
    """The request's idempotency key. Raises Problem where it isn't 1 to 200 printable ASCII characters.

    `shortest`: where the answer holds tokens, the key is a secret itself and must be long enough for one.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not shortest <= len(key) <= 200 or not (key.isascii() and key.isprintable()):
        raise invalid({"Idempotency-Key": [f"Must be {shortest} to 200 printable ASCII characters."]})
    return IdempotencyKey(scope, key, body)


def new_game_id(key: IdempotencyKey | None) -> str:
    """A new game's id, 120 bits: whoever has it may watch.

    They are random; with an idempotency key they follow from the key, so that a repeat finds the game.
    """
    raw = hmac_sha256(services().deployment.game_secret, key.key.encode())[:15] if key else secrets.token_bytes(15)
    return base64.b32encode(raw).decode().lower()
