"""Games: opening them, and the view of a game."""

from hmac import compare_digest
from typing import Any, Final

from flask import Response

from domain.commands import CreateGame
from domain.refusals import Reason
from domain.view import view_of
from domain.words.refusals.sentences import Sentence
from service.api.content.caching import client_has
from service.api.live import wait_for_news
from service.api.problems.language import preferred_language
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.mails import client_of, limited_mails, read_email
from service.api.protocol.metrics import count_accepted
from service.api.protocol.request import ApiRequest, GameRequest
from service.api.protocol.response import (
    CREATED,
    NO_STORE,
    etag,
    json_response,
    outcome_headers,
    outcome_receipt,
    outcome_view,
)
from service.api.protocol.routing import SECRET_KEY, Asker, Operation, RouteTable
from service.api.protocol.validation import validate_body
from service.api.routes.playing.forks import create_fork, find_parent
from service.api.schemas.queries import ViewQuery
from service.api.schemas.requests import NewForkSchema, NewGameSchema
from service.api.wsgi import current_request
from service.gamelog.log import Outcome
from service.post.subscriptions import Subscription

routes: Final = RouteTable("play")

_NEW_GAME: Final = NewGameSchema()
_REFUSALS_OF_A_FORK: Final = frozenset(
    {
        "missing-token",
        "no-such-game",
        "no-such-version",
        Reason.TOO_MANY_MESSAGES,
        "stale-version",
        Reason.GAME_NOT_STARTED,
        Reason.GAME_OVER,
        Reason.SCORING_IN_PROGRESS,
    }
)


@routes.post(
    "/v1/games",
    Operation(
        asker=Asker.WATCHER,
        body=(NewGameSchema, NewForkSchema),
        negotiates=False,
        shortest_key=SECRET_KEY,
        takes=("Reibach-Opening-Key",),
        answers={201: "Created"},
        sends=("Location", "ETag"),
        weight=2,
        refusals=_REFUSALS_OF_A_FORK | {"opening-key-required"},
    ),
)
def create_game(request: ApiRequest) -> Response:
    """Open a game, or fork one.

    Two to five seats, each taken by name, a bot's, or open. With no open seat the game starts at once. With `fork` the
    new game continues from a version of another: of a finished game as a copy of its events, of a running one (with a
    token of one of its seats) from what that seat sees.
    """
    _check_opening_key(request, request.services.settings.opening_key)
    outcome = count_accepted("games", _create(request))
    game = outcome.loaded.game
    tokens = [
        {"seat": number, "name": seat.name, "token": request.services.tokens.issue(game.id, number)}
        for number, seat in enumerate(game.seats)
        if seat.name is not None and seat.bot is None and "invite" not in request.body["seats"][number]
    ]
    receipt = outcome_receipt(outcome, request.services.receipts)
    content = {"game": outcome_view(outcome, None), "seats": tokens, "receipt": receipt}
    headers = outcome_headers(outcome) | NO_STORE | {"Location": f"/v1/games/{game.id}"}
    return json_response(content, CREATED, headers)


def _check_opening_key(request: ApiRequest, key: str) -> None:
    """Raise Problem where the operator has set a key, and the present request hasn't sent it."""
    sent = current_request().headers.get("Reibach-Opening-Key", "")
    is_right = compare_digest(sent.encode("latin-1", "replace"), key.encode())
    if key and sent:
        request.web.limits.charge_key(is_right=is_right)
    if key and not is_right:
        raise Problem("opening-key-required", Sentence("opening-key-required"))


def _create(request: ApiRequest) -> Outcome:
    try:
        request.read_body()
    except Problem:
        request.negotiate()  # 406 comes before a fault of the body
        raise
    if isinstance(request.body, dict) and "fork" in request.body:
        # A sender who may not fork the parent is refused before anything else is checked.
        parent = find_parent(request, request.body["fork"])
        request.negotiate()
        return create_fork(request, parent)
    request.negotiate()
    return _create_game(request)


def _create_game(request: ApiRequest) -> Outcome:
    services = request.services
    plan: dict[str, Any] = validate_body(_NEW_GAME, request.body)
    seed = plan.get("server_seed")
    if seed is not None and not services.settings.allow_fixed_seed:
        raise InvalidRequest({"server_seed": [Sentence("server-seed")]})
    guests = _read_guests(request)
    key = request.idempotency_key("games")
    request.web.limits.charge_new_game(plan["seats"])
    game = services.deployment.new_game_id(key.key if key else None)
    with limited_mails():
        nonces = [services.registrar.name_guest(game, *guest, client_of(request)) for guest in guests.items()]
    command = CreateGame(
        game=game,
        server_seed=bytes.fromhex(seed) if seed else services.outside.new_seed(),
        seats=tuple(plan["seats"]),
        variants=frozenset(name for name, on in plan["variants"].items() if on),
        starting_seat=plan["starting_seat"],
        listed=plan["listed"],
        pace=plan["pace"],
        replaceable=plan["replaceable"],
        name=plan.get("name"),
    )
    outcome = services.games.create(command, key)
    if guests:
        now = services.outside.clock() if outcome.repeated else None
        services.registrar.invite(services.games.load_cached(game), guests, nonces, now)
    return outcome


def _read_guests(request: ApiRequest) -> dict[int, Subscription]:
    """By seat, who is invited; in the sender's language where the seat names none. Raises Problem `invalid-request`."""
    return {
        number: Subscription(
            email=read_email(request, seat["invite"], f"seats.{number}.invite"),
            language=seat.get("language", preferred_language()),
            zone=seat.get("zone", ""),
        )
        for number, seat in enumerate(request.body["seats"])
        if "invite" in seat
    }


@routes.get(
    "/v1/games/<game>",
    Operation(
        asker=Asker.WATCHER,
        query=ViewQuery,
        answers={200: "View", 304: None},
        refusals=frozenset({"no-such-version", "too-many-waiting"}),
    ),
)
def show_game(request: GameRequest) -> Response:
    """The game as the caller may see it, now or at an earlier version.

    The `ETag` is the version. With `If-None-Match` and `wait` this is a long poll. Without `wait` a game with erased
    words is always answered whole: a client's copy may have them. With `at` it is the game as it stood then; what may
    be seen follows the present version.
    """
    if "at" in request.query:
        head, then = request.load_at(request.query["at"])
        return json_response(view_of(then.game, request.viewer, then.hash.hex(), head=head.game))
    wait = request.query.get("wait", 0.0)
    loaded = wait_for_news(request, wait)
    version = loaded.game.version
    if client_has(version) and (wait or not loaded.amendments.erasures):
        return Response(status=304, headers={"ETag": etag(version)})
    view = view_of(loaded.game, request.viewer, loaded.hash.hex())
    return json_response(view, headers={"ETag": etag(version)})
