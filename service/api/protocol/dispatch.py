"""Serves declared routes: makes each request's context, and refuses in the contract's order.

The order (contract 1): route and method (Flask); token; game; media type and body; query and content; then what the
view finds: a repeat, `If-Match`, the game's state, the rules. Whether the token is revoked is known with the game.
An accepted request pays nothing for that order: the view itself reads the game. A refused request reads it once, for
the version in the problem; if there is no such game, that is the refusal.
"""

from collections.abc import Callable, Iterable

from flask import Flask, Response

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem, problem_of, respond
from service.api.protocol.headers import read_token_of
from service.api.protocol.request import ApiRequest, GameRequest, Web, has_body
from service.api.protocol.routing import Asker, Route
from service.api.protocol.validation import validate_query
from service.gamelog.store.errors import NoSuchGame, StaleVersion, StoreUnavailable, TokenVoid


def register(app: Flask, web: Web, routes: Iterable[Route]) -> None:
    for route in routes:
        app.add_url_rule(route.path, endpoint_of(route), _endpoint(web, route), methods=[route.method])


def endpoint_of(route: Route) -> str:
    return f"{route.method} {route.path}"


def _endpoint(web: Web, route: Route) -> Callable[..., Response]:
    operation = route.operation
    query_schema = operation.query() if operation.query else None
    is_about_game = route.is_about_game

    def endpoint(**path: str) -> Response:
        request = _game_request(web, route, path) if is_about_game else ApiRequest(web, operation, path)
        try:
            if operation.negotiates:
                request.negotiate()
                if operation.body and (operation.needs_body or has_body()):
                    request.read_body()
                elif route.method == "POST":
                    request.read_no_body()
            if query_schema:
                request.query = validate_query(query_schema)
            return route.view(request)
        except Exception as error:  # noqa: BLE001 - every exception has an answer
            return _refuse(request, error)

    return endpoint


def _game_request(web: Web, route: Route, path: dict[str, str]) -> GameRequest:
    """The context of a request about a game. Raises Problem where its sender may not send it."""
    game = path["game"]
    token = read_token_of(web.services.tokens, game)
    if token is None and route.operation.asker is Asker.SEAT:
        raise Problem("missing-token", Sentence("missing-token"))
    return GameRequest(web, route.operation, path, game, token)


def _refuse(request: ApiRequest, error: Exception) -> Response:
    match error:
        case NoSuchGame() | TokenVoid() | StaleVersion():  # there is no version, or the problem has it
            return respond(problem_of(error))
        case StoreUnavailable():  # asking the store again would double the wait
            return respond(problem_of(error), request.version_read)
    try:
        version = request.present_version()
    except (NoSuchGame, TokenVoid) as comes_first:
        return respond(problem_of(comes_first))
    return respond(problem_of(error, version), version)
