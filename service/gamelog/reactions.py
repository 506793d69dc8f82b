"""What follows an append without a request: scoring rounds and bot turns, as jobs of the workers.

The append itself writes to the shard's due list when a worker must look at the game, in the same atomic step. The job
that is enqueued here only saves waiting for it: if a job is lost, the reconciler finds the game in the due list.
"""

from collections.abc import Callable
from typing import Final, assert_never

from domain.state import Game
from domain.waiting import Waiting, WaitingFor, waiting_for
from service.gamelog.retention import Retention
from service.jobs import PLAY_TURN, SCORE_ROUND

_FOR_EVER: Final = Retention()
_SCORING_GRACE_MS = 1000
"""Milliseconds that the job enqueued by the appending process has before the reconciler enqueues another."""


class Reactions:
    """Decides when a game needs a worker, and enqueues the job."""

    def __init__(
        self,
        enqueue: Callable[[str, str, list[str | int]], None],
        bot_delay_s: float,
        retention: Retention = _FOR_EVER,
    ) -> None:
        """`enqueue(function, job id, arguments)`: adds a job to the queue; it may fail, but must not raise.

        `retention`: how long games stay as they are when nothing happens to them.
        """
        self._enqueue = enqueue
        self._retention = retention
        self._bot_delay_ms = round(bot_delay_s * 1000)

    def due_at(self, game: Game) -> int | None:
        """When a worker must look at the game, in milliseconds since 1970; None: no worker has to."""
        delays = {WaitingFor.SCORING: _SCORING_GRACE_MS, WaitingFor.BOT: self._bot_delay_ms}
        waiting = waiting_for(game)
        return waiting.since + delays[waiting.reason] if waiting and waiting.reason in delays else None

    def look_at(self, game: Game, opened: int | None) -> int | None:
        """When the archiver must look at the game if nothing is appended to it, in milliseconds since 1970.

        `opened`: now, where the game is opened or imported. None: as set before, or never.
        """
        if opened is not None:
            return self._retention.first_look(game, opened)
        return self._retention.after_end(game) if game.over else None

    def enqueue_next(self, game: Game) -> None:
        """Enqueue the job that the game waits for, if it may run at once."""
        waiting = waiting_for(game)
        if waiting and (waiting.reason is WaitingFor.SCORING or not self._bot_delay_ms):
            self.enqueue(game, waiting)

    def enqueue(self, game: Game, waiting: Waiting) -> None:
        """Enqueue the job that ends a wait; does nothing for a wait that no job ends."""
        match waiting.reason:
            case WaitingFor.SCORING:
                assert waiting.round is not None
                job = f"score-{game.id}-{waiting.round}"
                self._enqueue(SCORE_ROUND, job, [game.id, waiting.round])
            case WaitingFor.BOT:
                self._enqueue(PLAY_TURN, f"play-{game.id}-{game.version}", [game.id])
            case WaitingFor.PLAYERS | WaitingFor.SEAT:
                return
            case _ as never:
                assert_never(never)
