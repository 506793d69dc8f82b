"""The standing orders of all seats: one hash per game, which is deleted with it.

Rule 1: orders are written only while the game is as they were judged on, in one step with that check.
Rule 2: the append of an action also stores the orders as they are after it, if those that it was judged by are still
stored. So a process that crashes at any point repeats no step, and loses none, and orders of a seat's former person do
nothing for the next one.
Rule 3: nothing of orders is logged, counted or published: they are their owner's alone.
Rule 4: which actions were theirs is kept for as long as the seat is the same person's, also when the orders are taken
back: what that person is told has happened depends on it.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from domain.clock.deadline import player_of
from domain.legality import refuse_finished, refuse_resigned
from domain.orders.planner import NO_ORDERS, Orders, Step, is_resting
from domain.state import Game
from service.gamelog.cache import LoadedGame, check_token
from service.gamelog.orders.form import pack, unpack
from service.gamelog.reader import GameReader
from service.gamelog.store.commit import Expect
from service.gamelog.store.errors import StoreUnavailable
from service.signing.tokens import SeatToken

_ATTEMPTS: Final = 64


class HeldOrders(NamedTuple):
    """The orders that are stored now."""

    orders: Orders
    raw: bytes
    """As stored."""


class OrderBook:
    """All standing orders of a store. Safe for threads. Calls raise StoreUnavailable."""

    def __init__(self, games: GameReader) -> None:
        self._games = games
        self._store = games.store

    def load(self, game: str, seat: int) -> HeldOrders | None:
        """The seat's orders, also such as were taken back; None where it never had any. One read.

        Load the game before: then its orders lack no step that was carried out up to its version. Raises
        StoreUnavailable.
        """
        (raw,) = self._store.read_together(("HGET", self._store.orders(game), seat))
        orders = None if raw is None else unpack(raw)
        return None if orders is None else HeldOrders(orders, raw)

    def orders_of(self, game: str, seat: int | None) -> Orders:
        """The seat's orders that are stored now, without steps where it has none. One read, as `load`."""
        held = None if seat is None else self.load(game, seat)
        return held.orders if held else NO_ORDERS

    def put(
        self, game: str, seat: int, steps: tuple[Step, ...], token: SeatToken | None = None
    ) -> tuple[LoadedGame, Orders]:
        """Give the seat new orders in place of those that it has; the game and the orders. `token`: that which asks.

        Raises NoSuchGame, TokenVoid and StoreUnavailable; and Refused where the game is over or the seat's person has
        left it.
        """
        for _ in range(_ATTEMPTS):
            loaded = self._games.load(game)
            if loaded.game.over:
                refuse_finished(loaded.game)
            refuse_resigned(loaded.game, seat)
            held = self.load(game, seat)
            orders = Orders(steps, put_in=loaded.game.turn, done=held.orders.done if held else ())
            if self.replace(loaded, seat, held, orders, token):
                return loaded, orders
        raise StoreUnavailable("the game changes faster than its orders can be placed")

    def cancel(self, game: str, seat: int, token: SeatToken | None = None) -> None:
        """Take the seat's orders back, if it has any. `token`: that which asks. Raises NoSuchGame and TokenVoid."""
        for _ in range(_ATTEMPTS):
            loaded = self._games.load(game)
            check_token(loaded.amendments, token)
            held = self.load(game, seat)
            after = replace(NO_ORDERS, done=held.orders.done) if held and held.orders.done else None
            if held is None or self.replace(loaded, seat, held, after, token):
                return
        raise StoreUnavailable("the game changes faster than its orders can be cancelled")

    def replace(
        self,
        loaded: LoadedGame,
        seat: int,
        before: HeldOrders | None,
        after: Orders | None,
        token: SeatToken | None = None,
    ) -> bool:
        """Store orders in the place of others, None: of none; False if game or orders have changed meanwhile."""
        game, key = loaded.game, self._store.orders(loaded.game.id)
        judged = [(key, seat, before.raw if before else b"")]
        state = Expect(token=token, fields=judged, version=game.version, hash=loaded.hash)
        write = ("HSET", key, seat, pack(after)) if after else ("HDEL", key, seat)
        return self._store.exchange(game.id, write, state, safely=True)

    def may_end_turn(self, game: Game, orders: Orders | None = None) -> bool:
        """Whether orders may end the present turn yet, a person's, or have done so since the game was read.

        Also by a scoring round that they have begun. `orders`: of the seat on turn, read since then; None reads them.
        """
        if not game.turn or player_of(game) is not None:
            return False
        orders = orders or self.orders_of(game.id, game.turn_seat)
        has_gone_on = game.scoring is not None or orders.done[-1:] > (game.version,)
        return (has_gone_on and orders.reached[0] == game.turn) or not is_resting(orders, game, game.turn_seat)

    def find(self, games: Iterable[str]) -> list[str]:
        """Those of the games in which a seat has, or had, orders: one read for all. Raises StoreUnavailable."""
        names = list(games)
        replies = self._store.call_each(*(("EXISTS", self._store.orders(game)) for game in names))
        return [game for game, has_orders in zip(names, replies, strict=True) if has_orders]
