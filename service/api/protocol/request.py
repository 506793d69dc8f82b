"""The request context: what a view function works with, handed to it as its argument."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Response

from domain.commands import Command
from domain.events import EventRecord
from domain.refusals import Refused
from domain.state import Game
from domain.view import Viewer
from domain.words.refusals.sentences import Sentence
from service.api.content.caching import revalidate
from service.api.content.compression import compress
from service.api.content.negotiation import choose_media_type
from service.api.limits.places import Places
from service.api.limits.rates import ClientLimits
from service.api.problems.problem import Problem
from service.api.protocol.body import parse_json, read_json_text
from service.api.protocol.headers import fault_of_if_match, read_idempotency_key, read_if_match
from service.api.protocol.metrics import count_accepted
from service.api.protocol.routing import Operation
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import EmptySchema
from service.api.wsgi import current_request
from service.bootstrap import Services
from service.gamelog.cache import LoadedGame, check_token
from service.gamelog.history import History
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.gamelog.store.errors import CorruptLog, NoSuchVersion, StaleVersion, StoreUnavailable, TokenVoid
from service.signing.tokens import SeatToken

_NOTHING: Final = EmptySchema()


@dataclass(frozen=True, slots=True)
class Web:
    """The services, and what only a web process has."""

    services: Services
    limits: ClientLimits
    places: Places


@dataclass(slots=True)
class ApiRequest:
    web: Web
    operation: Operation
    path: dict[str, str]
    """The variable parts of the path."""
    media_type: str = field(default="", kw_only=True)
    """Of the answer."""
    body: Any = field(default=None, kw_only=True)
    """Parsed, not validated."""
    query: dict[str, Any] = field(default_factory=dict, kw_only=True)
    """Validated."""
    version_read: int | None = field(default=None, kw_only=True)
    """The version of the request's game as the request has read it; None before."""

    @property
    def services(self) -> Services:
        return self.web.services

    @property
    def is_head(self) -> bool:
        return current_request().method == "HEAD"

    def negotiate(self) -> None:
        """Choose the answer's media type. Raises Problem `not-acceptable`."""
        self.media_type = choose_media_type(self.operation.media_types)

    def read_body(self) -> None:
        """Read and parse the body. Raises Problem."""
        self.body = parse_json(read_json_text(self.web.places))

    def read_no_body(self) -> None:
        """Read a body that must be empty, or an object without members. Raises Problem."""
        if has_body():
            self.read_body()
            validate_body(_NOTHING, self.body)
            self.body = None  # as without any body: the requests repeat each other

    def validate_body(self) -> Any:
        """The body through the operation's schema. Raises Problem `invalid-request`."""
        return validate_body(self.operation.schema, self.body)

    def idempotency_key(self, scope: str) -> IdempotencyKey | None:
        """The request's key; None where it has none. Raises Problem for one that is malformed or too short."""
        if "HTTP_IDEMPOTENCY_KEY" not in current_request().environ:
            return None  # spares deriving the secret
        secret = self.services.deployment.repeat_secret
        return read_idempotency_key(scope, self.body, secret, shortest=self.operation.shortest_key)

    def present_version(self) -> int | None:
        """The present version of the game that the request has read; None if it has read none."""
        return self.version_read


def has_body() -> bool:
    return bool(current_request().content_length) or "Transfer-Encoding" in current_request().headers


@dataclass(slots=True)
class GameRequest(ApiRequest):
    """A request about one game. Each `load` method reads the store once, and raises TokenVoid, too."""

    game: str
    token: SeatToken | None
    """With which the viewer asks; None: as a spectator."""

    def idempotency_key(self, scope: str) -> IdempotencyKey | None:
        """A later token of a seat has keys of its own, since it may be another person's."""
        generation = self.token.generation if self.token else 0
        return ApiRequest.idempotency_key(self, f"{scope}/token/{generation}" if generation else scope)

    @property
    def viewer(self) -> Viewer:
        return None if self.token is None else self.token.seat

    @property
    def seat(self) -> int:
        """The seat that asks, on a route for seats only."""
        return self.seat_token.seat

    @property
    def seat_token(self) -> SeatToken:
        """The token, on a route for seats only."""
        assert self.token is not None
        return self.token

    @property
    def games(self) -> GameLog:
        return self.services.games

    def note_read(self, head: LoadedGame) -> LoadedGame:
        """Take the game as it has just been read. Raises TokenVoid."""
        check_token(head.amendments, self.token)
        self.version_read = head.game.version
        return head

    def has_void_token(self, head: LoadedGame) -> bool:
        """Whether the token was revoked by the time at which that was read."""
        return self.token is not None and head.generation(self.token.seat) > self.token.generation

    def load(self) -> LoadedGame:
        """The game at its present version. Raises NoSuchGame."""
        return self.note_read(self.games.load(self.game))

    def load_history(self) -> History:
        """Raises NoSuchGame and CorruptLog."""
        history = self.games.load_history(self.game)
        self.note_read(history.head)
        return history

    def load_events(self, after: int, limit: int | None = None) -> tuple[LoadedGame, list[EventRecord]]:
        """The game at its present version, and its events after a version, at most `limit`, unredacted.

        Raises NoSuchGame, NoSuchVersion and CorruptLog.
        """
        with self._keep_version():
            head, events = self.games.load_events(self.game, after, limit)
        self.note_read(head)
        return head, events

    def load_at(self, version: int) -> tuple[LoadedGame, LoadedGame]:
        """The game at its present version, and at `version`. Raises NoSuchGame, NoSuchVersion and CorruptLog."""
        with self._keep_version():
            head, then = self.games.load_at(self.game, version)
        self.note_read(head)
        return head, then

    def carry_out(self, command: Command, resource: str, scope: str) -> Outcome:
        """Append what the command causes, under the request's conditions, and count it.

        `resource`: the last word of the path; `scope`: of the idempotency key. Raises what GameLog.handle raises.
        """
        key = self.idempotency_key(scope)
        try:
            outcome = self.games.handle(self.game, command, key=key, matches=read_if_match(), token=self.token)
        except Refused:  # the game log has just read the game: it is in its cache
            self.version_read = self.games.load_cached(self.game).game.version
            raise
        except StaleVersion as stale:
            if fault := fault_of_if_match():
                self.version_read = stale.version
                raise Problem("stale-version", Sentence(fault, {"version": stale.version})) from None
            raise
        return count_accepted(resource, outcome)

    def finish(self, answer: Response, head: Game) -> Response:
        """The answer with a tag, compressed where it holds no secret; without content (304) where the client has it.

        A spectator's holds none, and once the game is over (`head`: as it is now) nobody's does.
        """
        answer = revalidate(answer)
        return compress(answer) if self.viewer is None or head.over else answer

    def present_version(self) -> int | None:
        """The game's present version, for a refusal: at most one read. None if the game can't be read.

        Raises NoSuchGame.
        """
        try:
            return self.version_read or self.load().game.version
        except (StoreUnavailable, CorruptLog):
            return None

    @contextmanager
    def _keep_version(self) -> Iterator[None]:
        """Keep the version of a game that the game log has just read when it refuses: the game is in its cache."""
        try:
            yield
        except NoSuchVersion:
            head = self.games.load_cached(self.game)
            if self.has_void_token(head):
                raise TokenVoid(self.game) from None
            self.version_read = head.game.version
            raise
