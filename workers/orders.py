"""Standing orders: the job that carries them out, and what wakes it.

A reader of the feed hands each line to `note_lines`, which writes to the due list when orders may begin or continue.
The reconciler then enqueues the job. Each append has a line of its own, so orders continue after a crash.
Rule: no log line, count or error names orders. Their events are like those of a request.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from operator import eq
from typing import Final

from domain.commands import Act
from domain.orders.planner import next_action
from service.bootstrap import Services
from service.gamelog.orders.form import pack
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StaleVersion
from service.gamelog.store.feed import FeedLine
from workers.counts import count_outcome

_GRACE_MS: Final = 2000
"""Milliseconds after an append within a turn, in which the job that made it continues by itself."""


def play_orders(services: Services, game: str, turn: int) -> None:
    """Carry out the orders of the seat on turn, step by step, until they end; does nothing in another turn.

    Each step is judged on the game and carried out at that version only. What happens meanwhile is judged again.
    """
    while True:
        loaded = services.games.load(game)
        seat = loaded.game.turn_seat
        held = services.orders.load(game, seat) if loaded.game.turn == turn else None
        if held is None:
            return
        action, after = next_action(held.orders, loaded.game, seat)
        if action is None:
            if after is held.orders or services.orders.replace(loaded, seat, held, after):
                return
            continue
        act = Act(seat=seat, actions=(action,), by_bot=loaded.game.timed_out)
        with suppress(StaleVersion):  # the game has another version, or these orders are stored no longer
            matches, step = partial(eq, loaded.game.version), (seat, held.raw, pack(after))
            count_outcome(services.games.handle(game, act, matches=matches, orders=step))


def note_lines(services: Services, lines: Sequence[FeedLine]) -> None:
    """Write the games of these lines to the due lists in which orders have something to do now.

    One read for all lines; a game in which a seat has orders is loaded. A line may come twice, or late. Raises
    StoreUnavailable, and redis-py's errors.
    """
    new_turns = {line.game for line in lines if not line.types or "TurnStarted" in line.types}
    for game in services.orders.find(dict.fromkeys(line.game for line in lines)):
        with suppress(NoSuchGame, CorruptLog):  # the reconciler reports a damaged game
            _wake(services, game, is_new_turn=game in new_turns)


def _wake(services: Services, name: str, *, is_new_turn: bool) -> None:
    loaded = services.games.load(name)
    game = loaded.game
    if game.scoring is not None or not services.orders.may_end_turn(game):
        return
    now = services.clock.now_ms()
    at = services.reactions.orders_due_at(game, now)
    if not is_new_turn:
        at = max(at, now + _GRACE_MS)
    # A game that has gone on meanwhile has another line.
    services.store.set_due(name, game.version, loaded.hash, at, no_later=True)
