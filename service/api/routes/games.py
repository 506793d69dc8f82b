"""Games, their seats and their views."""

import time

from flask import Blueprint, Response, current_app, request

from domain.bots import BOTS
from domain.commands import CreateGame, JoinGame
from domain.view import Viewer, view_of
from service.api.protocol.body import invalid, load, read_json
from service.api.protocol.metrics import POLLS, counted
from service.api.protocol.problems import Problem
from service.api.protocol.request import (
    SECRET_KEY,
    accept,
    game_known,
    idempotency_key,
    if_match,
    new_game_id,
    viewer_of,
)
from service.api.protocol.response import NO_STORE, answer, etag, outcome_headers, receipt_of, view_then
from service.api.protocol.validation import query
from service.api.protocol.web import services, web_of
from service.api.routes.forks import fork, refuse_fork_early
from service.api.schemas.requests import JoinSchema, NewGameSchema, ReceiptQuery, ViewQuery
from service.gamelog.cache import LoadedGame
from service.gamelog.errors import NoSuchVersion
from service.gamelog.log import Outcome

games = Blueprint("games", __name__)

_NEW_GAME = NewGameSchema()
_JOIN = JoinSchema()
_VIEW = ViewQuery()
_RECEIPT = ReceiptQuery()


@games.post("/v1/games")
def create_game() -> Response:
    """Open a game, or go on with a fork of one."""
    try:
        body = read_json()
    except Problem:
        accept("application/json")  # is asked before the body is
        raise
    forks = isinstance(body, dict) and "fork" in body
    if forks:
        refuse_fork_early(body)
    accept("application/json")
    outcome = counted("games", fork(body) if forks else _create(body))
    game = outcome.loaded.game
    tokens = [
        {"seat": seat, "name": place.name, "token": services().tokens.issue(game.id, seat)}
        for seat, place in enumerate(game.seats)
        if place.name is not None and place.bot is None
    ]
    content = {"game": view_then(outcome, None), "seats": tokens, "receipt": receipt_of(outcome)}
    headers = outcome_headers(outcome) | NO_STORE | {"Location": f"/v1/games/{game.id}"}
    return answer(content, 201, headers)


def _create(body: object) -> Outcome:
    plan = load(_NEW_GAME, body)
    seed = plan.get("server_seed")
    if seed is not None and not services().settings.allow_fixed_seed:
        raise invalid({"server_seed": ["This service draws its seeds itself."]})
    key = idempotency_key("games", body, shortest=SECRET_KEY)
    command = CreateGame(
        game=new_game_id(key),
        server_seed=bytes.fromhex(seed) if seed else services().outside.new_seed(),
        seats=tuple(plan["seats"]),
        variants=frozenset(name for name, on in plan["variants"].items() if on),
        starting_seat=plan["starting_seat"],
        listed=plan["listed"],
    )
    return services().games.create(command, key)


@games.post("/v1/games/<game>/seats")
def join_game(game: str) -> Response:
    """Take the lowest open seat."""
    viewer_of(game)
    game_known(game)
    accept("application/json")
    body = read_json()
    joining = load(_JOIN, body)
    key = idempotency_key("seats", body, shortest=SECRET_KEY)
    outcome = counted("seats", services().games.handle(game, JoinGame(**joining), key=key, matches=if_match()))
    seat = _seat_joined(outcome)
    content = {
        "seat": seat,
        "token": services().tokens.issue(game, seat),
        "game": view_then(outcome, seat),
        "receipt": receipt_of(outcome),
    }
    return answer(content, 201, outcome_headers(outcome) | NO_STORE)


def _seat_joined(outcome: Outcome) -> int:
    seat: int = next(event["data"]["seat"] for event in outcome.events if event["type"] == "PlayerJoined")
    return seat


@games.get("/v1/games/<game>")
def show_game(game: str) -> Response:
    """The game as the asking viewer may see it, now or at an earlier version."""
    viewer = viewer_of(game)
    game_known(game)
    accept("application/json")
    asked = query(_VIEW)
    if "at" in asked:
        head, then = _state_at(game, asked["at"])
        return answer(view_of(then.game, viewer, then.hash.hex(), head=head.game))
    loaded = _newer(game, asked["wait"]) if "wait" in asked else services().games.load(game)
    return _view(loaded, viewer)


def _view(loaded: LoadedGame, viewer: Viewer) -> Response:
    version = loaded.game.version
    if _has(version):
        return Response(status=304, headers={"ETag": etag(version)})
    return answer(view_of(loaded.game, viewer, loaded.hash.hex()), headers={"ETag": etag(version)})


def _has(version: int) -> bool:
    """Whether the client has this version already, as `If-None-Match` says."""
    tags = request.if_none_match
    return "If-None-Match" in request.headers and (tags.star_tag or tags.contains_weak(str(version)))


def _newer(game: str, seconds: float) -> LoadedGame:
    """The game as soon as it is newer than what the client has, or after so many seconds."""
    log = services().games
    loaded = log.load(game)
    if not seconds or not _has(loaded.game.version):
        return loaded
    polls = web_of(current_app).polls
    if not polls.acquire(blocking=False):
        raise Problem("too-many-waiting", "Ask again without waiting.", headers={"Retry-After": "5"})
    try:
        deadline = time.monotonic() + seconds
        hub = web_of(current_app).hub
        with POLLS.track_inprogress(), hub.watch(loaded) as watch:
            while not hub.closed and not watch.now.lost and (left := deadline - time.monotonic()) > 0:
                now = watch.now
                if now.head.game.version > loaded.game.version and not _has(now.head.game.version):
                    return now.head
                watch.sleep(now, left)
                watch.up()
        return log.load(game)
    finally:
        polls.release()


def _state_at(game: str, version: int) -> tuple[LoadedGame, LoadedGame]:
    """The game at its present version, and at an earlier one. Raises NoSuchVersion."""
    history = services().games.load_history(game)
    if not 1 <= version <= history.head.game.version:
        raise NoSuchVersion(version)
    return history.head, history.state_at(version)


@games.get("/v1/games/<game>/receipt")
def show_receipt(game: str) -> Response:
    """The signed receipt at a version, for anyone who may watch."""
    viewer_of(game)
    game_known(game)
    accept("application/json")
    asked = query(_RECEIPT)
    then = _state_at(game, asked["at"])[1] if "at" in asked else services().games.load(game)
    return answer(services().receipts.sign(game, then.game.version, then.hash.hex()))


@games.get("/v1/keys")
def show_keys() -> Response:
    """Every key that ever signed a receipt."""
    accept("application/json")
    return answer(services().receipts.public_keys())


@games.get("/v1/bots")
def show_bots() -> Response:
    """The bots that can take a seat."""
    accept("application/json")
    bots = [{"name": name, "about": bot.about} for name, bot in sorted(BOTS.items())]
    return answer({"bots": bots})
