"""What-if: a new game that continues from a version of another.

A fork of a finished game is a copy up to that version: nothing in it is hidden any more. A fork of a running game
starts from the position as one of its seats sees it, sent with that seat's token; all else is shuffled anew. The
parent never changes.
"""

from dataclasses import dataclass
from typing import Any, Final

from domain.commands import CreateGame
from domain.forks.position import fork_of_running
from domain.view import Viewer
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.headers import read_token, read_token_of
from service.api.protocol.request import ApiRequest
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import NewForkSchema
from service.gamelog.cache import check_token
from service.gamelog.copies.forks import Fork, copy_game, end_of_copy
from service.gamelog.history import History
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import Outcome
from service.gamelog.store.errors import NoSuchVersion, StaleVersion

_NEW_FORK: Final = NewForkSchema()
_WEIGHT: Final = 5
"""Of a fork, besides that of a new game: it reads the whole parent and may copy it."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The game that a fork continues, and the viewer who sends the request."""

    history: History
    viewer: Viewer


def find_parent(request: ApiRequest, fork: object) -> Parent | None:
    """The parent that the member `fork` of the body names; None where it names none, and so is invalid.

    Raises Problem, TokenVoid and NoSuchGame: a sender without the right to fork is refused before the rest is checked.
    """
    request.web.limits.charge("requests", _WEIGHT)
    tokens = request.services.tokens
    game = fork.get("game") if isinstance(fork, dict) else None
    if not isinstance(game, str):
        read_token(tokens)
        return None
    token = read_token_of(tokens, game)
    history = request.services.games.load_history(game)
    check_token(history.head.amendments, token)
    request.version_read = history.head.game.version
    if token is None and not history.head.game.over:
        raise Problem("missing-token", Sentence("missing-token.fork"))
    return Parent(history, None if token is None else token.seat)


def create_fork(request: ApiRequest, parent: Parent | None) -> Outcome:
    """Open a fork. Raises Problem, KeyReused, NoSuchVersion, StaleVersion and Refused."""
    plan: dict[str, Any] = validate_body(_NEW_FORK, request.body)
    assert parent is not None, "a body without a parent is not valid"
    game = parent.history.head.game
    if len(plan["seats"]) != len(game.seats):
        raise InvalidRequest({"seats": [Sentence("fork.seats", {"seats": len(game.seats)})]})
    if plan["listed"] and not game.listed:
        raise InvalidRequest({"listed": [Sentence("fork.listed")]})
    # A fork made with a seat's token belongs to that seat: the same request with another seat's token must not get it.
    scope = "games" if parent.viewer is None else f"games/{game.id}/{parent.viewer}"
    key = request.idempotency_key(scope)
    request.web.limits.charge_new_game(plan["seats"])
    services = request.services
    fork = services.deployment.new_game_id(key.key if key else None)
    if key and (first := services.games.find_repeat(fork, key)):
        return first
    begin = _copy_finished if game.over else _deal_running
    return begin(request, parent, fork, plan, key)


def _copy_finished(
    request: ApiRequest, parent: Parent, fork: str, plan: dict[str, Any], key: IdempotencyKey | None
) -> Outcome:
    history, version = parent.history, plan["fork"]["version"]
    if version > history.head.game.version:
        raise NoSuchVersion(version)
    copy = Fork(
        game=fork,
        parent=history.head.game.id,
        version=version,
        until=end_of_copy(history.events, version),
        **_settings_of(plan),
    )
    copied = copy_game(history.entries, copy)
    request.web.limits.charge("copies", sum(len(entry.body) for entry in copied.entries))
    return request.services.games.open_copy(copied, copy.seats, key)


def _deal_running(
    request: ApiRequest, parent: Parent, fork: str, plan: dict[str, Any], key: IdempotencyKey | None
) -> Outcome:
    services, game, version = request.services, parent.history.head.game, plan["fork"]["version"]
    assert parent.viewer is not None, "find_parent refuses spectators of a running game"
    if version != game.version:
        raise StaleVersion(game.version)
    opening = CreateGame(game=fork, server_seed=services.outside.new_seed(), **_settings_of(plan))
    return services.games.create(fork_of_running(game, parent.viewer, opening), key)


def _settings_of(plan: dict[str, Any]) -> dict[str, Any]:
    return {"seats": tuple(plan["seats"]), "listed": plan["listed"], "name": plan.get("name")}
