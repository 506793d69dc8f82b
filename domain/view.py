"""Who may see what. Allow-lists: what is not named here is never shown.

A viewer is a seat number, or None for a spectator. What may be seen follows the game's head: a businessmaker until its
owner's next turn starts (ruling 7), hands and draw pile of the deal, drawn cards and the seed when the game is over.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.cards import in_canonical_order
from domain.clock.deadline import bank_from, deadline
from domain.clock.timestamps import timestamp
from domain.erasure import ERASED
from domain.events import EVENT_TABLE, require_all
from domain.fairness.canonical import JsonObject
from domain.people.legality import AGREEMENTS, consenting
from domain.state import Game, Seat

Viewer: TypeAlias = int | None


def view_of(
    game: Game, viewer: Viewer, game_hash: str, *, head: Game | None = None, as_then: bool = False
) -> JsonObject:
    """The game as `viewer` may see it, in the contract's shape; `game_hash` is the chain's hash at its version.

    `head`: the game at its present version, where `game` is an earlier state of it. `as_then`: also hide what was
    hidden at `game`'s own version (a repeated request gets the first answer).
    """
    head = head or game
    rules = game.rules
    rounds_scored = len(game.rounds)
    playing = game.turn > 0 and not game.over
    seed_seen = game.over if as_then else head.over
    view = {
        "id": game.id,
        "name": game.name,
        "version": game.version,
        "rules": rules.name,
        "status": game.status,
        "listed": game.listed,
        "variants": game.variants,
        "pace": None if game.pace is None else game.pace.to_json(),
        "seats": [
            _view_of_seat(index, place, (head, game) if as_then else (head,)) for index, place in enumerate(game.seats)
        ],
        "display": game.display,
        "draw_pile": game.cards_in_pile if game.started else None,
        "reibach": {
            "revealed": game.revealed,
            "next_scoring_at": rules.scoring_at[rounds_scored] if rounds_scored < len(rules.scoring_at) else None,
            "rounds_scored": rounds_scored,
        },
        "turn": _view_of_turn(game) if playing else None,
        "you": None if viewer is None else {"seat": viewer, "hand": in_canonical_order(game.seats[viewer].hand)},
        "winners": game.winners,
        "fairness": {
            "commitment": game.commitment,
            "entropy": [seat.entropy for seat in game.seats],
            "server_seed": game.server_seed.hex() if seed_seen else None,
        },
        "receipt": {"version": game.version, "hash": game_hash},
    }
    if game.paused_since is not None:
        view["paused_since"] = timestamp(game.paused_since)
    if game.consents:
        view["consents"] = {to: consenting(game, to) for to in AGREEMENTS if consenting(game, to)}
    if game.replaceable:
        view["replaceable"] = True
    if head.open_information:
        view["open_information"] = True
    return view


def _view_of_turn(game: Game) -> JsonObject:
    turn: JsonObject = {"number": game.turn, "seat": game.turn_seat, "action_points": game.action_points}
    if game.pace is not None:
        for name, at in (("deadline", deadline(game)), ("bank_from", bank_from(game))):
            turn[name] = None if at is None else timestamp(at)
    return turn


def _view_of_seat(index: int, place: Seat, states: Sequence[Game]) -> JsonObject:
    """A seat as every viewer may see it, from the arguments alone.

    `states`: the states of the game in all of which a businessmaker must be visible to be shown.
    """
    view = {
        "seat": index,
        "name": place.name or None,
        "bot": place.bot,
        "away": place.away,
        "hand_size": len(place.hand),
        "total": place.total,
        "rows": [
            {
                "row": number,
                "business": business,
                "cards": cards,
                "length": length,
                "closed": closed,
                "businessmaker": businessmaker if _seen_by_all(states, index, number) else None,
            }
            for number, (businessmaker, _, business, cards, length, closed) in enumerate(place.rows)
        ],
    }
    if place.name == ERASED:
        view["erased"] = True
    if place.free_from is not None:
        view["free_from"] = timestamp(place.free_from)
    if states[0].pace is not None:
        view["timeouts"] = place.late_turns
    if place.bank is not None:
        view["bank_seconds"] = place.bank
    if place.vacations:
        view["vacations"] = [{"from": timestamp(since), "until": timestamp(until)} for since, until in place.vacations]
    return view


def _seen_by_all(states: Sequence[Game], seat: int, row: int) -> bool:
    for game in states:  # noqa: SIM110 - a generator takes twice as long, and this runs for every row
        if game.winners is None and not game.seats[seat].rows[row].shown:  # as _businessmaker_seen, without its calls
            return False
    return True


def _businessmaker_seen(head: Game, seat: int, row: int) -> bool:
    return head.over or head.seats[seat].rows[row].shown


def scores_of(game: Game) -> JsonObject:
    """The score sheet, open to all, in the contract's shape."""
    return {
        "rounds": [{"round": done.round, "version": done.version, "seats": done.seats} for done in game.rounds],
        "bonus": game.bonus,
        "totals": [seat.total for seat in game.seats],
        "winners": game.winners,
    }


def _game_created(data: JsonObject, _viewer: Viewer, head: Game) -> JsonObject:
    return data | {"server_seed": data["server_seed"] if head.over else None}


def _game_started(data: JsonObject, viewer: Viewer, head: Game) -> JsonObject:
    return data | {
        "hands": [hand if head.over or seat == viewer else None for seat, hand in enumerate(data["hands"])],
        "draw_pile": data["draw_pile"] if head.over else None,
    }


def _position_set(data: JsonObject, viewer: Viewer, head: Game) -> JsonObject:
    rows = [
        [
            row | {"businessmaker": row["businessmaker"] if _businessmaker_seen(head, seat, number) else None}
            for number, row in enumerate(laid)
        ]
        for seat, laid in enumerate(data["rows"])
    ]
    return _game_started(data, viewer, head) | {"rows": rows}


def _card_drawn(data: JsonObject, viewer: Viewer, head: Game) -> JsonObject:
    return data | {"card": data["card"] if head.over or data["seat"] == viewer else None}


def _businessmaker_laid(data: JsonObject, _viewer: Viewer, head: Game) -> JsonObject:
    return data | {"card": data["card"] if _businessmaker_seen(head, data["seat"], data["row"]) else None}


_REDACTIONS: Final[dict[str, Callable[[JsonObject, Viewer, Game], JsonObject]]] = {
    "GameCreated": _game_created,
    "GameStarted": _game_started,
    "PositionSet": _position_set,
    "CardDrawn": _card_drawn,
    "BusinessmakerLaid": _businessmaker_laid,
}
"""By event type: what a viewer sees of one with hidden fields."""
require_all("_REDACTIONS of views", _REDACTIONS, (name for name, entry in EVENT_TABLE.items() if not entry.public))
_PUBLIC: Final = EVENT_TABLE.keys() - _REDACTIONS.keys()


def redact_event(event: JsonObject, viewer: Viewer, head: Game) -> JsonObject:
    """An event {"version", "type", "at", "data", "hash"} as `viewer` may see it when the game is at `head`."""
    if event["type"] in _PUBLIC:
        return event
    return event | {"data": _REDACTIONS[event["type"]](event["data"], viewer, head)}
