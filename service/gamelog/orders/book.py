"""The standing orders of all seats: one hash per game, which is deleted with it.

Rule 1: orders are written only while the game is as they were judged on, in one step with that check.
Rule 2: each step has an idempotency key of its own, so that the log itself says which steps were carried out. Nothing
is removed after an append, and so a process that crashes at any point repeats no step, and loses none. The append of a
step checks that its orders are still stored: those of a seat's former person do nothing for the next one.
Rule 3: nothing of orders is logged, counted or published: they are their owner's alone.
"""

import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from domain.legality import refuse_finished, refuse_resigned
from domain.orders.planner import End, Orders, Step, drop_steps, reason_to_rest
from domain.state import Game
from service.gamelog.cache import LoadedGame, check_token
from service.gamelog.errors import StoreUnavailable
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.orders.form import StoredOrders, pack, unpack
from service.gamelog.reader import GameReader
from service.gamelog.store.streams import Exchange
from service.signing.tokens import SeatToken

_ATTEMPTS: Final = 64
_NONCE_BYTES: Final = 9


class HeldOrders(NamedTuple):
    """Orders as they stand now."""

    orders: Orders
    """Their steps are those to come."""
    key: IdempotencyKey | None
    """Of the first of these steps; None where there is none."""
    nonce: str
    raw: bytes
    """As stored."""


class OrderBook:
    """All standing orders of a store. Safe for threads. Calls raise StoreUnavailable."""

    def __init__(self, games: GameReader, secret: bytes) -> None:
        """`secret`: of the deployment, for idempotency keys."""
        self._games = games
        self._store = games.store
        self._secret = secret

    def load(self, game: str, seat: int) -> HeldOrders | None:
        """The seat's orders; None where it has none. One read, and one more where they have steps.

        Load the game before: then its orders lack no step that was carried out up to its version. Raises
        StoreUnavailable.
        """
        store, place = self._store, self._store.orders(game)
        raw: bytes | None = store.with_retries(lambda: store.client.hget(place, str(seat)), place)
        stored = None if raw is None else unpack(raw)
        if raw is None or stored is None:
            return None
        orders, key = stored.orders, None
        if orders.steps:
            keys = [self._key_of(seat, stored.nonce, number, raw) for number in range(len(orders.steps))]
            digests, names = [one.digest for one in keys], store.keys(game).idempotency
            records = store.with_retries(lambda: store.client.hmget(names, digests), names)
            done = next((number for number, record in enumerate(records) if not record), len(records))
            orders = replace(orders, steps=orders.steps[done:])
            key = keys[done] if done < len(keys) else None
        return HeldOrders(orders, key, stored.nonce, raw)

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
            orders = Orders(steps, put_in=loaded.game.turn)
            new = StoredOrders(secrets.token_urlsafe(_NONCE_BYTES), orders)
            if self._write(loaded, seat, self.load(game, seat), new, token):
                return loaded, orders
        raise StoreUnavailable("the game changes faster than its orders can be placed")

    def cancel(self, game: str, seat: int, token: SeatToken | None = None) -> None:
        """Take the seat's orders back, if it has any. `token`: that which asks. Raises NoSuchGame and TokenVoid."""
        for _ in range(_ATTEMPTS):
            loaded = self._games.load(game)
            check_token(loaded.tokens, token)
            held = self.load(game, seat)
            if held is None or self._write(loaded, seat, held, None, token):
                return
        raise StoreUnavailable("the game changes faster than its orders can be cancelled")

    def drop(self, loaded: LoadedGame, seat: int, held: HeldOrders, end: End) -> bool:
        """Drop the steps of orders that can't go on; False if game or orders have changed meanwhile."""
        left = StoredOrders(held.nonce, drop_steps(held.orders, end, loaded.game.turn))
        return self._write(loaded, seat, held, left)

    def load_active(self, game: Game) -> HeldOrders | None:
        """The orders of the seat on turn, if they have anything to do now: carry out a step, or drop some."""
        if game.status != "playing":
            return None
        held = self.load(game.id, game.turn_seat)
        return held if held and not reason_to_rest(held.orders, game, game.turn_seat) else None

    def find(self, games: Iterable[str]) -> list[str]:
        """Those of the games in which a seat has, or had, orders: one read for all. Raises StoreUnavailable."""
        names = list(games)
        found = self._store.call_each(*(("EXISTS", self._store.orders(game)) for game in names))
        return [game for game, has_orders in zip(names, found, strict=True) if has_orders]

    def _write(
        self,
        loaded: LoadedGame,
        seat: int,
        before: HeldOrders | None,
        after: StoredOrders | None,
        token: SeatToken | None = None,
    ) -> bool:
        game = loaded.game
        change = Exchange(
            game=game.id,
            seat=seat,
            before=before.raw if before else b"",
            after=pack(after) if after else b"",
            token=token,
            judged=(game.version, loaded.hash),
        )
        return self._store.exchange(self._store.orders(game.id), change, safely=True)

    def _key_of(self, seat: int, nonce: str, step: int, raw: bytes) -> IdempotencyKey:
        return IdempotencyKey(f"orders/{seat}", f"{nonce}/{step}", None, self._secret, orders=(seat, raw))
