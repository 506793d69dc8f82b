"""Taking a seat of a game, and handing one over."""

from typing import Final

from flask import Response

from domain.commands import JoinGame
from domain.refusals import Reason
from domain.view import view_of
from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import Problem
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
from service.api.schemas.requests import JoinSchema
from service.gamelog.log import KEYS_EXPIRE_S, Outcome
from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.generations import RotationKey, TooManyRotations, rotate_token
from service.signing.salts import new_salt
from service.signing.tokens import MOST_ROTATIONS, first_generation

routes: Final = RouteTable("play")


@routes.post(
    "/v1/games/<game>/seats",
    Operation(
        asker=Asker.WATCHER,
        body=(JoinSchema,),
        shortest_key=SECRET_KEY,
        takes=("If-Match",),
        answers={201: "Joined"},
        sends=("ETag",),
        refusals=frozenset({Reason.NO_OPEN_SEAT}),
    ),
)
def join_game(request: GameRequest) -> Response:
    """Take the lowest open seat.

    The answer has the seat's token. When the last open seat is taken the game starts. In a `replaceable` game that has
    started, a new person takes the lowest abandoned seat, from its `free_from` on, with its cards; the shuffle, and so
    the entropy, stays.
    """
    command = JoinGame(**request.validate_body(), salt=new_salt())
    outcome = request.carry_out(command, "seats", "seats")
    seat, generation = _find_joined_seat(outcome)
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
        answers={201: "Joined"},
        sends=("ETag",),
        refusals=frozenset({"not-your-seat", "too-many-handovers"}),
    ),
)
def hand_over_seat(request: GameRequest) -> Response:
    """Give the caller's seat a new token, and revoke the old one.

    For another player in your place, or after others saw the token. The old one is refused at once. With an
    `Idempotency-Key` the request can be repeated with the old token, if its answer was lost. There is no body.
    """
    services, seat = request.services, request.seat
    if request.path["seat"] != str(seat):
        raise Problem("not-your-seat", Sentence("not-your-seat"))
    key = request.idempotency_key(f"handover/{seat}")
    head = then = request.games.load(request.game)  # a repeat has a revoked token: the rotation judges it
    version = request.version_read = head.game.version
    recorded = None if key is None else RotationKey(key.digest, b"%b%d:" % (key.fingerprint, version))
    try:
        rotation = rotate_token(
            services.store,
            request.game,
            seat,
            sent=request.seat_token.generation,
            key=recorded,
            keys_expire_s=KEYS_EXPIRE_S if head.game.over else None,
        )
    except TooManyRotations:
        raise Problem("too-many-handovers", Sentence("too-many-handovers", {"most": MOST_ROTATIONS})) from None
    generation, headers = rotation.generation, {}
    if rotation.record:
        assert key is not None
        first = key.read_record(rotation.record)
        if not (1 <= first.version <= version and first.applied <= rotation.generation):
            raise CorruptLog("the record of an idempotency key names no hand-over of its game")
        generation, headers = first.applied, {"Idempotency-Replayed": "true"}
        head, then = request.games.load_at(request.game, first.version)
    then_hash = then.hash.hex()
    content = {
        "seat": seat,
        "token": services.tokens.issue(request.game, seat, generation),
        "game": view_of(then.game, seat, then_hash, head=head.game, as_then=bool(headers)),
        "receipt": services.receipts.sign(request.game, then.game.version, then_hash),
    }
    return json_response(content, CREATED, headers | NO_STORE | {"ETag": etag(then.game.version)})
