"""The job that judges some turns of a finished game, in time that nobody else needs.

Each job is one slice; the reconciler enqueues the next one, for another worker meanwhile. A turn is kept once it is
judged; one that was begun only its process knows, so a worker that crashes loses that turn.
"""

import random
import time
from collections.abc import Iterator
from typing import Any, Final

import orjson
from rq.timeouts import JobTimeoutException

from domain.analysis import ENGINE, answer_of, judge_steps, played_turns
from service.bootstrap import Services
from service.connections.clients import STORE_ERRORS
from service.gamelog.store.errors import StoreUnavailable

_SLICE_S: Final = 0.2
"""Of processor time."""
_LOOK: Final = 16
"""Steps, of a millisecond or less, from one look whether another job waits to the next: a slice ends for it."""


class TurnJudge:
    """Judges turns in slices; safe for one thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._begun: dict[tuple[str, int], Iterator[dict[str, Any] | None]] = {}
        """By game and number the turn that the last slice has not finished."""

    def judge(self, game: str) -> None:
        """Judge the next turns of the game's analysis, unless another job waits. One of another engine begins anew."""
        if self._services.count_queued():
            return  # the reconciler asks again
        analyses = self._services.analyses
        analysis = analyses.find(game)
        try:
            if analysis is None:  # the game was deleted
                analyses.drop(game)
            elif not analysis.packed:
                if analysis.engine != ENGINE:
                    analyses.restart(game)
                analyses.release(game)
                self._judge(game)
        except (StoreUnavailable, *STORE_ERRORS, JobTimeoutException):  # an outage, of the queue too, or a long halt
            raise
        except Exception:  # it would fail again
            analyses.drop(game)
            raise

    def _judge(self, game: str) -> None:
        history, analyses = self._services.games.load_history(game), self._services.analyses
        played, began = played_turns(history.events), time.thread_time()
        while (turns := analyses.turns(game)) is not None:
            left = [number for number in range(len(played)) if number not in turns]
            if not left:
                judged = [orjson.loads(turns[number]) for number in range(len(played))]
                analyses.finish(game, orjson.dumps(answer_of(judged, len(history.head.game.seats))))
                return
            # By chance, so that workers seldom judge the same turn; where they do the first result counts.
            number = next((number for number in left if (game, number) in self._begun), random.choice(left))  # noqa: S311
            steps = self._begun.pop((game, number), None) or judge_steps(history.events, played[number])
            for step, result in enumerate(steps):
                if result:
                    analyses.add(game, number, result, len(played))
                elif time.thread_time() - began > _SLICE_S or (step % _LOOK == 0 and self._services.count_queued()):
                    self._begun = {(game, number): steps}
                    return
            if time.thread_time() - began > _SLICE_S and len(left) > 1:
                return
