"""What follows an append without a request: scoring rounds and bot turns, as jobs of the workers.

The append itself writes to the shard's due list when a worker must look at the game, in the same atomic step. The job
that is enqueued here only saves waiting for it: if a job is lost, the reconciler finds the game in the due list.
"""

from collections.abc import Callable
from typing import assert_never

from domain.state import Game
from domain.waiting import Waiting, WaitingFor, waiting_for
from service.jobs import PLAY_TURN, SCORE_ROUND

_SCORING_GRACE_MS = 1000
"""Milliseconds that the job enqueued by the appending process has before the reconciler enqueues another."""


class Reactions:
    """Decides when a game needs a worker, and enqueues the job."""

    def __init__(
        self,
        enqueue: Callable[[str, str, list[str | int]], None],
        bot_delay_s: float,
        archive_after_s: float | None = None,
    ) -> None:
        """`enqueue(function, job id, arguments)`: adds a job to the queue; it may fail, but must not raise.

        `archive_after_s`: seconds without an append after which a finished game is archived; None: never.
        """
        self._enqueue = enqueue
        self._archive_after_s = archive_after_s
        self._bot_delay_ms = round(bot_delay_s * 1000)

    def due_at(self, game: Game) -> int | None:
        """When a worker must look at the game, in milliseconds since 1970; None: no worker has to."""
        delays = {WaitingFor.SCORING: _SCORING_GRACE_MS, WaitingFor.BOT: self._bot_delay_ms}
        waiting = waiting_for(game)
        return waiting.since + delays[waiting.reason] if waiting and waiting.reason in delays else None

    def archive_at(self, game: Game) -> int | None:
        """When the game may be archived if nothing is appended to it, in milliseconds since 1970; None: never."""
        if self._archive_after_s is None or not game.over:
            return None
        return game.at + round(self._archive_after_s * 1000)

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
