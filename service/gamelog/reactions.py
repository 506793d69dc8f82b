"""What follows an append without a request: scoring rounds and time-outs as jobs, and turns of bots.

The append itself writes to the shard's due list when a worker must look at the game, in the same atomic step. The job
that is enqueued here only saves waiting for it: if a job is lost, the reconciler finds the game in the due list.
"""

from collections.abc import Callable
from typing import Final, assert_never
from uuid import uuid4

from domain.bots import BOTS
from domain.clock.deadline import player_of
from domain.clock.waiting import Waiting, WaitingFor
from domain.state import Game
from service.gamelog.archive.retention import Retention
from service.gamelog.store.keys import DueList
from service.jobs import JUDGE_TURNS, PLAY_ORDERS, SCORE_ROUND, TIME_OUT

_FOR_EVER: Final = Retention()
_SCORING_GRACE_MS = 1000
"""Milliseconds that the job enqueued by the appending process has before the reconciler enqueues another."""


class Reactions:
    """Decides when a game needs a worker, and enqueues the job."""

    def __init__(
        self, enqueue: Callable[[str, str, list[str | int]], None], bot_delay_s: float, retention: Retention = _FOR_EVER
    ) -> None:
        """`enqueue(function, job id, arguments)`: adds a job to the queue; it may fail, but must not raise.

        `retention`: how long games stay as they are when nothing happens to them.
        """
        self._enqueue = enqueue
        self._retention = retention
        self._bot_delay_ms = round(bot_delay_s * 1000)

    def due(self, game: Game, waiting: Waiting | None, now: int) -> tuple[DueList, int | None]:
        """The due list in which the game waits, and when a worker must look at it, in ms since 1970 (None: never).

        `waiting`: what it waits for. `now`: the store's time; a wait that began later than that, by events of a clock
        that was ahead, begins now.
        """
        at = None if waiting is None else self._due_at(waiting, now)
        bot = player_of(game) if waiting and waiting.reason is WaitingFor.BOT else None
        if game.bots_only or (bot is not None and BOTS[bot].is_dear):
            return "bots", at
        return "turns" if waiting and waiting.reason is WaitingFor.BOT else "due", at

    def _due_at(self, waiting: Waiting, now: int) -> int | None:
        since = min(waiting.since, now)
        match waiting.reason:
            case WaitingFor.SCORING:
                return since + _SCORING_GRACE_MS
            case WaitingFor.BOT:
                return since + self._bot_delay_ms
            case WaitingFor.SEAT:
                return waiting.until
            case WaitingFor.PLAYERS:
                return None

    def orders_due_at(self, game: Game, now: int) -> int:
        """When orders of the seat on turn may begin, in ms since 1970: no sooner than a bot; `now`: as for `due`."""
        return min(game.turn_since, now) + self._bot_delay_ms

    def look_at(self, game: Game, opened: int | None) -> int | None:
        """When the archiver must look at the game if nothing is appended to it, in milliseconds since 1970.

        `opened`: now, where the game is opened or imported. None: as set before, or never.
        """
        if opened is not None:
            return self._retention.first_look(game, opened)
        return self._retention.after_end(game) if game.over else None

    def enqueue_next(self, game: Game, waiting: Waiting | None, before: Game) -> None:
        """Enqueue the job that scores a round which has begun since `before`. `waiting`: what the game waits for."""
        if waiting and waiting.reason is WaitingFor.SCORING and before.scoring != waiting.round:
            self.enqueue(game, waiting)

    def enqueue(self, game: Game, waiting: Waiting) -> None:
        """Enqueue the job that ends a wait; does nothing for a wait that no job ends."""
        match waiting.reason:
            case WaitingFor.SCORING:
                assert waiting.round is not None
                job = f"score-{game.id}-{waiting.round}"
                self._enqueue(SCORE_ROUND, job, [game.id, waiting.round])
            case WaitingFor.SEAT:
                if waiting.until is not None:
                    self._enqueue(TIME_OUT, f"time-out-{game.id}-{game.turn}", [game.id, game.turn])
            case WaitingFor.PLAYERS | WaitingFor.BOT:  # a thread of the workers plays bots' turns
                return
            case _ as never:
                assert_never(never)

    def enqueue_orders(self, game: Game) -> None:
        """Enqueue the job that carries out the standing orders of the seat on turn."""
        self._enqueue(PLAY_ORDERS, f"orders-{game.id}-{game.version}", [game.id, game.turn])

    def enqueue_analysis(self, game: str) -> None:
        """Enqueue a job that judges turns of a game whose analysis is under way, beside those that run."""
        self._enqueue(JUDGE_TURNS, f"judge-{game}-{uuid4().hex}", [game])
