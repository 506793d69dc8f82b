"""The job that judges some turns of a finished game, in time that nobody else needs.

Each job is one slice; the reconciler enqueues the next one. The turns that it has judged are kept at its end; one
that it has begun only this process knows, so a worker that crashes loses that turn and one slice.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.analysis import ENGINE, PlayedTurn, judge_steps, played_turns
from domain.events import EventRecord
from service.bootstrap import Services
from service.gamelog.store.analyses import Analysis, compose
from service.gamelog.store.errors import StoreUnavailable

_SLICE_S: Final = 0.2
"""Of processor time: so long others wait for a slice."""


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
                self._judge(game, analysis if analysis.engine == ENGINE else analyses.restart(game))
        except StoreUnavailable:
            raise
        except Exception:  # it would fail again
            analyses.drop(game)
            raise

    def _judge(self, game: str, analysis: Analysis) -> None:
        history, analyses = self._services.games.load_history(game), self._services.analyses
        played = played_turns(history.events)
        turns = self._judge_slice(game, history.events, played, analysis.judged)
        if analysis.judged + len(turns) < len(played):
            analyses.add(game, analysis.judged, turns, len(played))
        else:
            before = analyses.turns(game, analysis.judged)
            analyses.finish(game, compose([*before, *turns], len(history.head.game.seats)))

    def _judge_slice(
        self, game: str, events: Sequence[EventRecord], played: Sequence[PlayedTurn], first: int
    ) -> list[dict[str, Any]]:
        """The turns from number `first` on that this slice finishes."""
        began, turns = time.thread_time(), list[dict[str, Any]]()
        for number, turn in enumerate(played[first:], first):
            steps = self._begun.pop((game, number), None) or judge_steps(events, turn)
            for result in steps:
                turns += [result] if result else ()
                if time.thread_time() - began > _SLICE_S:
                    self._begun = {} if result else {(game, number): steps}
                    return turns
        return turns
