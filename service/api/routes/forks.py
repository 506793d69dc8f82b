"""What-if: a new game that goes on from a version of another.

From a finished game it is a copy up to there, for nothing of that is hidden. From a running one it is the position as
one of its seats sees it, with that seat's token, and all else shuffled anew. The parent never changes.
"""

from typing import Any, Final

from domain.commands import CreateGame, SeatPlan
from domain.legality import refuse_unless_playing
from domain.position import fill_hidden, visible_position
from domain.refusals import Reason, Refused
from domain.state import Game
from domain.view import scores_of, view_of
from service.api.protocol.body import invalid, load
from service.api.protocol.problems import Problem
from service.api.protocol.request import SECRET_KEY, game_known, idempotency_key, new_game_id, token_sent, viewer_of
from service.api.protocol.web import services
from service.api.schemas.requests import NewForkSchema
from service.gamelog.cache import LoadedGame
from service.gamelog.errors import NoSuchVersion, StaleVersion
from service.gamelog.forks import Fork, copy_game
from service.gamelog.log import Outcome

_NEW_FORK = NewForkSchema()
_TALK: Final = 64 * 1024
"""Bytes of the messages that a copy takes along: without a limit a small request could store megabytes."""


def refuse_fork_early(body: dict[str, Any]) -> None:
    """Tell who may not ask so, before what is wrong with the question. Raises Problem and NoSuchGame."""
    if isinstance(body["fork"], dict) and isinstance(body["fork"].get("game"), str):
        _look_up(body["fork"]["game"])
    else:
        token_sent()


def fork(body: dict[str, Any]) -> Outcome:
    """Open a fork. Raises Problem, NoSuchGame, KeyReused, NoSuchVersion, StaleVersion and Refused."""
    asked = load(_NEW_FORK, body)
    head, seat = _look_up(asked["fork"]["game"])
    parent = head.game
    seats: tuple[SeatPlan, ...] = tuple(asked["seats"])
    version = asked["fork"]["version"]
    if len(seats) != len(parent.seats):
        raise invalid({"seats": [f"Must be {len(parent.seats)}, as many as the parent has."]})
    if asked["listed"] and not parent.listed:
        raise invalid({"listed": ["Its parent is unlisted, and whoever sees the fork may watch that, too."]})
    # A seat's fork is its own: whoever sends the same with another seat's token must not get it.
    scope = "games" if seat is None else f"games/{parent.id}/{seat}"
    key = idempotency_key(scope, body, shortest=SECRET_KEY)
    game = new_game_id(key)
    if key and (first := services().games.find_repeat(game, key)):
        return first
    if not parent.over:
        assert seat is not None
        _refuse_unless_at(version, parent)
        position = visible_position(view_of(parent, seat, ""), scores_of(parent))
        return services().games.create(_from(position, parent, game, seats, listed=asked["listed"]), key)
    history = services().games.load_history(parent.id)
    then, events = history.state_at(version).game, history.events
    if then.over:
        raise Refused(Reason.GAME_OVER, "At this version the game is over.")
    # All seats are taken, so what is missing to the first turn follows at once.
    begun = next(event["version"] for event in events if event["type"] in ("TurnStarted", "PositionSet"))
    until = max(version, begun)
    if sum(len(event["data"]["text"].encode()) for event in events[:until] if event["type"] == "MessagePosted") > _TALK:
        raise invalid({"fork.version": [f"Up to there more was said than a copy may hold, {_TALK} bytes."]})
    seating = Fork(game=game, parent=parent.id, version=version, until=until, seats=seats, listed=asked["listed"])
    return services().games.import_game(copy_game(history.entries, seating), key)


def _look_up(game: str) -> tuple[LoadedGame, int | None]:
    """The parent at its present version, and the seat that asks. Raises Problem and NoSuchGame."""
    seat = viewer_of(game)
    game_known(game)
    head = services().games.load(game)
    if seat is None and not head.game.over:
        raise Problem(
            "missing-token", "The game is running: send a token of one of its seats, Authorization: Bearer <token>."
        )
    return head, seat


def _refuse_unless_at(version: int, parent: Game) -> None:
    """Raise NoSuchVersion, StaleVersion or Refused where a running game can't be forked at that version."""
    if version > parent.version:
        raise NoSuchVersion(version)
    if version < parent.version:
        raise StaleVersion(parent.version)
    refuse_unless_playing(parent)


def _from(seen: dict[str, Any], parent: Game, game: str, seats: tuple[SeatPlan, ...], *, listed: bool) -> CreateGame:
    """The fork of a running game, from what the asking seat sees of it, with a seed of its own."""
    seed = services().outside.new_seed()
    entropies = [plan.entropy for plan in seats]
    return CreateGame(
        game=game,
        server_seed=seed,
        seats=seats,
        variants=frozenset(name for name, on in parent.variants.items() if on),
        starting_seat=parent.starting_seat,
        listed=listed,
        rules=parent.rules.name,
        parent=parent.id,
        from_version=parent.version,
        position=fill_hidden(seen, parent.rules, seed, entropies),
    )
