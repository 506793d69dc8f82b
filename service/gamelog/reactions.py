"""What must follow an append without anybody asking: scoring rounds and bot turns.

The truth is the game itself. When somebody is due is kept by the append in the same atomic step (the due list); the
job that is enqueued here only makes it quick. Whatever is lost on the way, the reconciler finds in the due list.
"""

from collections.abc import Callable
from typing import assert_never

from domain.state import Game
from domain.waiting import Waiting, WaitingFor, waiting_for
from service.jobs import PLAY_TURN, SCORE_ROUND

_SCORING_GRACE_MS = 1000
"""So long the job enqueued by the appending process has before the reconciler looks after it."""


class Reactions:
    """Knows when a game waits for a worker, and calls one."""

    def __init__(
        self,
        enqueue: Callable[[str, str, list[str | int]], None],
        bot_delay_s: float,
        archive_after_s: float | None = None,
    ) -> None:
        """`enqueue(function, job id, arguments)`: hands a job to the workers, or fails silently where it can't.

        `archive_after_s`: how long a finished game must be quiet before it is archived; None: it never is.
        """
        self._enqueue = enqueue
        self._archive_after_s = archive_after_s
        self._bot_delay_ms = round(bot_delay_s * 1000)

    def due_at(self, game: Game) -> int | None:
        """When a worker must look at the game, in milliseconds since 1970; None: none has to."""
        delays = {WaitingFor.SCORING: _SCORING_GRACE_MS, WaitingFor.BOT: self._bot_delay_ms}
        waiting = waiting_for(game)
        return waiting.since + delays[waiting.reason] if waiting and waiting.reason in delays else None

    def archive_at(self, game: Game) -> int | None:
        """When the game may be archived if nothing is appended to it, in milliseconds since 1970; None: never."""
        if self._archive_after_s is None or not game.over:
            return None
        return game.at + round(self._archive_after_s * 1000)

    def enqueue_next(self, game: Game) -> None:
        """Enqueue the job that the game waits for, where that job need not wait."""
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
