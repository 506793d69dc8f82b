"""A game as one viewer may see it: all that a mail, or a page, is made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.cards import Card, in_canonical_order
from domain.clock.deadline import is_lost
from domain.commands import Action
from domain.fairness.canonical import JsonObject
from domain.legality import check_action, open_actions
from domain.orders.planner import NO_ORDERS, Orders
from domain.projections.table import GameTable, table_at
from domain.state import Consents, Game
from domain.view import redact_event


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSnapshot:
    """Nothing in it is hidden from the viewer."""

    game: str
    version: int
    """Of the game's last event."""
    events: Sequence[JsonObject]
    """All of the game's, redacted."""
    table: GameTable


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSnapshot(TableSnapshot):
    seat: int
    hand: Sequence[Card]
    actions: Sequence[tuple[Action, int]]
    """What the seat may do now, each with its cost in action points."""
    is_warned: bool
    """Whether it is the seat's turn, and the seat is abandoned if this turn times out."""
    free_from: int | None
    """When anyone may take the seat, which is abandoned; None: never."""
    consents: Consents = frozenset()
    """What players have agreed to, and is not decided."""
    orders: Orders = NO_ORDERS
    """The seat's standing orders, which nobody else knows of."""
    note: str = ""
    """What the seat's person notes for herself."""


def take_snapshot(game: Game, events: Iterable[JsonObject], seat: int, orders: Orders = NO_ORDERS) -> SeatSnapshot:
    """The game at its head. `events`: all of its events, in the contract's shape, unredacted."""
    redacted = [redact_event(event, seat, game) for event in events]
    return SeatSnapshot(
        game=game.id,
        seat=seat,
        version=game.version,
        events=redacted,
        table=table_at(redacted, len(redacted)),
        hand=in_canonical_order(game.seats[seat].hand),
        actions=[(action, check_action(game, seat, action)) for action in open_actions(game, seat)],
        is_warned=_is_warned(game, seat),
        free_from=game.seats[seat].free_from,
        consents=frozenset() if game.over else game.consents,
        orders=orders,
    )


def take_open_snapshot(game: Game, events: Iterable[JsonObject]) -> TableSnapshot:
    """The game as all may see it."""
    redacted = [redact_event(event, None, game) for event in events]
    return TableSnapshot(game=game.id, version=game.version, events=redacted, table=table_at(redacted, len(redacted)))


def _is_warned(game: Game, seat: int) -> bool:
    place = game.seats[seat]
    has_end = game.pace is not None and game.pace.has_stand_in and game.turn > 0 and not game.over
    is_last = is_lost(game, seat, more=1) and not game.timed_out
    return has_end and game.turn_seat == seat and is_last and place.away is None
