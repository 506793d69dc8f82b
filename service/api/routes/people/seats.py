"""Taking a seat of a game, and handing one over."""

from typing import Final

from flask import Response

from domain.commands import JoinGame
from domain.refusals import Reason
from domain.view import view_of
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem
from service.api.protocol.headers import read_token
from service.api.protocol.request import GameRequest
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
from service.api.schemas.requests import JoinSchema
from service.gamelog.errors import CorruptLog
from service.gamelog.log import KEYS_EXPIRE_S, Outcome
from service.gamelog.store.generations import RotationKey, TokenVoid, TooManyRotations, rotate_token
from service.signing.generations import MOST_ROTATIONS, first_generation

routes: Final = RouteTable()

_JOIN: Final = JoinSchema()


@routes.post(
    "/v1/games/<game>/seats",
    Operation(
        asker=Asker.WATCHER,
        body=(JoinSchema,),
        example={"name": "Carla", "entropy": "parrot"},
        shortest_key=SECRET_KEY,
        takes=("If-Match",),
        answers={201: "Joined"},
        sends=("ETag",),
        refusals=frozenset({Reason.NO_OPEN_SEAT}),
    ),
)
def join_game(request: GameRequest) -> Response:
    """Take the lowest open seat."""
    outcome = request.carry_out(JoinGame(**validate_body(_JOIN, request.body)), "seats", "seats")
    seat, generation = _find_joined_seat(outcome)
    if generation and not outcome.repeated:
        _void_old_token(request, seat, generation)
    content = {
        "seat": seat,
        "token": request.services.tokens.issue(request.game, seat, generation),
        "game": outcome_view(outcome, seat),
        "receipt": outcome_receipt(outcome, request.services.receipts),
    }
    return json_response(content, CREATED, outcome_headers(outcome) | NO_STORE)


def _find_joined_seat(outcome: Outcome) -> tuple[int, int]:
    """The seat that the request has taken, and the generation of its token."""
    joined = next(event for event in outcome.events if event["type"] in ("PlayerJoined", "SeatReplaced"))
    is_replaced = joined["type"] == "SeatReplaced"
    return joined["data"]["seat"], first_generation(joined["version"]) if is_replaced else 0


@routes.post(
    "/v1/games/<game>/seats/<seat>/handover",
    Operation(
        asker=Asker.SEAT,
        shortest_key=SECRET_KEY,
        voids_token=True,
        answers={201: "Joined"},
        sends=("ETag",),
        refusals=frozenset({"not-your-seat", "too-many-handovers"}),
    ),
)
def hand_over_seat(request: GameRequest) -> Response:
    """Give the asking seat a new token, and void the old one."""
    services, seat = request.services, request.seat
    token = read_token(services.tokens, may_be_void=True)
    assert token is not None, "the route is for seats"
    if request.path["seat"] != str(seat):
        raise Problem("not-your-seat", Sentence("not-your-seat"))
    key = request.idempotency_key(f"handover/{seat}")
    head = then = request.load()
    version = head.game.version
    recorded = None if key is None else RotationKey(key.digest, b"%b%d:" % (key.fingerprint, version))
    try:
        rotation = rotate_token(
            services.store,
            request.game,
            seat,
            sent=token.generation,
            key=recorded,
            keys_expire_s=KEYS_EXPIRE_S if head.game.over else None,
        )
    except TokenVoid:
        raise Problem("invalid-token", Sentence("invalid-token")) from None
    except TooManyRotations:
        raise Problem("too-many-handovers", Sentence("too-many-handovers", {"most": MOST_ROTATIONS})) from None
    if isinstance(rotation, int):
        generation, headers = rotation, {}
        _void_old_token(request, seat, generation)
    else:
        assert key is not None
        first = key.read_record(rotation)
        if not (1 <= first.version <= version and first.applied <= services.tokens.generations.ask(request.game, seat)):
            raise CorruptLog("the record of an idempotency key names no hand-over of its game")
        generation, headers = first.applied, {"Idempotency-Replayed": "true"}
        head, then = request.load_at(first.version)
    then_hash = then.hash.hex()
    content = {
        "seat": seat,
        "token": services.tokens.issue(request.game, seat, generation),
        "game": view_of(then.game, seat, then_hash, head=head.game, as_then=bool(headers)),
        "receipt": services.receipts.sign(request.game, then.game.version, then_hash),
    }
    return json_response(content, CREATED, headers | NO_STORE | {"ETag": etag(then.game.version)})


def _void_old_token(request: GameRequest, seat: int, generation: int) -> None:
    """Void the seat's old token in this process at once; the others follow."""
    request.services.tokens.generations.note(request.game, seat, generation)
    request.web.hub.wake_games([request.game])  # streams that were opened with it end
