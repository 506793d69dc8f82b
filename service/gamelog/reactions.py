"""What must follow an append without anybody asking: scoring rounds and bot turns.

The truth is the game itself. When somebody is due is kept by the append in the same atomic step (the due list); the
job that is enqueued here only makes it quick. Whatever is lost on the way, the reconciler finds in the due list.
"""

from collections.abc import Callable

from domain.state import Game

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

    def due_at(self, game: Game, at: int) -> int | None:
        """When a worker must look at the game, in milliseconds since 1970; `at` is the last event's time."""
        if game.scoring is not None:
            return at + _SCORING_GRACE_MS
        if game.status == "playing" and game.seats[game.turn_seat].bot is not None:
            return at + self._bot_delay_ms
        return None

    def archive_at(self, game: Game, at: int) -> int | None:
        """When the game may be archived if nothing is added to it, in milliseconds since 1970; `at` as above."""
        if self._archive_after_s is None or not game.over:
            return None
        return at + round(self._archive_after_s * 1000)

    def enqueue_next(self, game: Game) -> None:
        """Call a worker at once where the game can't go on without one."""
        if game.scoring is not None:
            self.score(game.id, game.scoring)
        elif not self._bot_delay_ms and self.due_at(game, 0) is not None:
            self.play(game.id, game.version)

    def score(self, game: str, round_number: int) -> None:
        """Have a scoring round worked out."""
        self._enqueue("workers.scoring.score_round", f"score-{game}-{round_number}", [game, round_number])

    def play(self, game: str, version: int) -> None:
        """Have a bot play its turn, which is on at `version`."""
        self._enqueue("workers.bots.play_turn", f"play-{game}-{version}", [game])
